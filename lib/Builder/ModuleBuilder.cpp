//===- ModuleBuilder.cpp - Whole modules written in C++ -------------------===//

#include "graph/Builder/ModuleBuilder.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace graph;

static SmallVector<Tensor> wrap(ImplicitLocOpBuilder &builder,
                                ValueRange values) {
  return llvm::map_to_vector(
      values, [&](Value value) { return Tensor(builder, value); });
}

static SmallVector<Value> unwrap(ArrayRef<Tensor> tensors) {
  return SmallVector<Value>(tensors.begin(), tensors.end());
}

//===----------------------------------------------------------------------===//
// FunctionBuilder
//===----------------------------------------------------------------------===//

FunctionBuilder::FunctionBuilder(ModuleBuilder &module, func::FuncOp function)
    : module(module), function(function),
      builder(function.getLoc(), function.getContext()) {
  builder.setInsertionPointToStart(function.addEntryBlock());
}

static DictionaryAttr slotAttrs(Builder &builder, StringRef name,
                                bool isState) {
  SmallVector<NamedAttribute> attrs;
  attrs.emplace_back(builder.getStringAttr(kNameAttr),
                     builder.getStringAttr(name));
  if (isState)
    attrs.emplace_back(builder.getStringAttr(kStateAttr),
                       builder.getUnitAttr());
  return builder.getDictionaryAttr(attrs);
}

void FunctionBuilder::addArgument(StringRef name, RankedTensorType type,
                                  bool isState) {
  function.getBody().front().addArgument(type, builder.getLoc());
  argumentAttrs.push_back(slotAttrs(builder, name, isState));
}

void FunctionBuilder::addResult(StringRef name, Tensor value, bool isState) {
  results.push_back(value);
  resultAttrs.push_back(slotAttrs(builder, name, isState));
}

Tensor FunctionBuilder::input(StringRef name, RankedTensorType type) {
  if (!inputs.insert(name).second)
    module.error(builder.getLoc()) << "input '" << name << "' is given twice";
  addArgument(name, type, /*isState=*/false);
  return {builder, function.getBody().front().getArguments().back()};
}

void FunctionBuilder::output(StringRef name, Tensor value) {
  if (!outputs.insert(name).second)
    module.error(builder.getLoc()) << "output '" << name << "' is given twice";
  addResult(name, value, /*isState=*/false);
}

Tensor FunctionBuilder::state(StringRef name, RankedTensorType type) {
  module.checkState(builder.getLoc(), name, type);
  Tensor &value = statesRead[name];
  if (!value) {
    addArgument(name, type, /*isState=*/true);
    value = {builder, function.getBody().front().getArguments().back()};
  }
  return value;
}

void FunctionBuilder::setState(StringRef name, Tensor value) {
  if (!statesWritten.insert(name).second)
    module.error(builder.getLoc()) << "state '" << name << "' is written twice";
  module.checkState(builder.getLoc(), name, value.getType());
  addResult(name, value, /*isState=*/true);
}

SmallVector<Tensor> FunctionBuilder::call(func::FuncOp callee,
                                          ArrayRef<Tensor> operands) {
  return wrap(
      builder,
      func::CallOp::create(builder, callee, unwrap(operands)).getResults());
}

ValueAndGrad FunctionBuilder::valueAndGrad(func::FuncOp callee,
                                           ArrayRef<Tensor> operands,
                                           ArrayRef<int64_t> wrt) {
  SmallVector<Type> types(callee.getResultTypes());
  for (int64_t i : wrt)
    if (i >= 0 && i < static_cast<int64_t>(operands.size()))
      types.push_back(operands[i].getType());
  auto op = ValueAndGradOp::create(builder, types, callee.getSymName(),
                                   unwrap(operands), wrt);
  SmallVector<Tensor> all = wrap(builder, op.getResults());
  size_t numValues = callee.getNumResults();
  return {SmallVector<Tensor>(ArrayRef(all).take_front(numValues)),
          SmallVector<Tensor>(ArrayRef(all).drop_front(numValues))};
}

void FunctionBuilder::finish() {
  func::ReturnOp::create(builder, results);
  function.setFunctionType(builder.getFunctionType(
      function.getBody().getArgumentTypes(), TypeRange(ValueRange(results))));
  function.setAllArgAttrs(argumentAttrs);
  function.setAllResultAttrs(resultAttrs);
}

//===----------------------------------------------------------------------===//
// ModuleBuilder
//===----------------------------------------------------------------------===//

ModuleBuilder::ModuleBuilder()
    : ownedContext(
          std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED)),
      context(ownedContext.get()) {
  initialize();
}

ModuleBuilder::ModuleBuilder(MLIRContext &context) : context(&context) {
  initialize();
}

void ModuleBuilder::initialize() {
  context->loadDialect<GraphDialect, func::FuncDialect>();
  module = ModuleOp::create(UnknownLoc::get(context));
}

RankedTensorType ModuleBuilder::type(ArrayRef<int64_t> shape,
                                     Type elementType) {
  return RankedTensorType::get(shape, elementType ? elementType
                                                  : Float32Type::get(context));
}

func::FuncOp ModuleBuilder::publicFunction(StringRef name, Body body) {
  return addFunction(name, /*isPublic=*/true, body);
}

func::FuncOp ModuleBuilder::privateFunction(StringRef name, Body body) {
  return addFunction(name, /*isPublic=*/false, body);
}

func::FuncOp ModuleBuilder::addFunction(StringRef name, bool isPublic,
                                        Body body) {
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto function =
      func::FuncOp::create(builder, NameLoc::get(builder.getStringAttr(name)),
                           name, builder.getFunctionType({}, {}));
  if (!isPublic)
    function.setPrivate();
  FunctionBuilder functionBuilder(*this, function);
  body(functionBuilder);
  functionBuilder.finish();
  return function;
}

LogicalResult ModuleBuilder::verify() {
  return failure(hasErrors || failed(mlir::verify(*module)));
}

void ModuleBuilder::print(llvm::raw_ostream &os) {
  module->print(os);
  os << "\n";
}

InFlightDiagnostic ModuleBuilder::error(Location loc) {
  hasErrors = true;
  return emitError(loc);
}

void ModuleBuilder::checkState(Location loc, StringRef name, Type type) {
  Type expected = stateTypes.try_emplace(name, type).first->second;
  if (type != expected)
    error(loc) << "state '" << name << "' has type " << type << ", expected "
               << expected << " as elsewhere in the module";
}
