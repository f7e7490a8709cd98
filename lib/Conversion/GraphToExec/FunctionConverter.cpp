//===- FunctionConverter.cpp - One function to commands -------------------===//

#include "FunctionConverter.h"
#include "graph/Analysis/GemmForm.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace graph;

/// A constant of one value becomes a kernel that fills memory rather than data
/// in the artifact where it is larger than this many bytes.
static constexpr int64_t maxSplatBytes = 1024;

namespace {

class FunctionConverter {
public:
  FunctionConverter(func::FuncOp function, ModuleContext &context)
      : function(function), context(context), builder(function.getContext()) {}

  LogicalResult convert();

private:
  /// Makes the exec.func and the buffers of arguments and results.
  LogicalResult createFunction();
  LogicalResult createArgument(BlockArgument argument);
  LogicalResult createResult(unsigned index);

  LogicalResult convertOp(Operation *op);
  LogicalResult convertFusion(FusionOp fusion);
  void convertPlainDot(FusionOp fusion, const GemmForm &form, ValueRange ins,
                       Value out);
  LogicalResult convertProduct(FusionOp fusion, const EmittedKernel &kernel,
                               ValueRange ins, ValueRange outs);
  exec::GemmOp createGemm(Location loc, Type elementType, const GemmForm &form,
                          Value a, Value b, Value c);
  LogicalResult convertAsFusion(Operation *op);
  LogicalResult convertReturn(func::ReturnOp op);

  /// The buffer of a graph value; makes that of a constant.
  FailureOr<Value> getBuffer(Value value);
  exec::BufferType getBufferType(Type tensor);
  Value allocate(Value value);
  /// The part of a buffer from an element on.
  Value getView(Value buffer, int64_t offset, Type elementType);

  func::FuncOp function;
  ModuleContext &context;
  OpBuilder builder;
  exec::FuncOp result;
  DenseMap<Value, Value> buffers;
  /// Where the results of the function go.
  SmallVector<Value> destinations;
};

} // namespace

exec::BufferType FunctionConverter::getBufferType(Type tensor) {
  return exec::BufferType::get(builder.getContext(),
                               exec::getByteSize(cast<ShapedType>(tensor)));
}

Value FunctionConverter::allocate(Value value) {
  Value buffer = exec::AllocOp::create(builder, value.getLoc(),
                                       getBufferType(value.getType()));
  buffers[value] = buffer;
  return buffer;
}

/// The name an attribute gives, or `prefix` and the number.
static StringAttr getNameOr(Attribute name, StringRef prefix, unsigned index,
                            Builder &builder) {
  if (name)
    return cast<StringAttr>(name);
  return builder.getStringAttr(prefix + Twine(index));
}

LogicalResult FunctionConverter::createFunction() {
  SmallVector<Attribute> inputNames, inputTypes, outputNames, outputTypes;
  for (BlockArgument argument : function.getArguments()) {
    unsigned i = argument.getArgNumber();
    if (function.getArgAttr(i, kStateAttr))
      continue;
    inputNames.push_back(
        getNameOr(function.getArgAttr(i, kNameAttr), "arg", i, builder));
    inputTypes.push_back(TypeAttr::get(argument.getType()));
  }
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    if (function.getResultAttr(i, kStateAttr))
      continue;
    outputNames.push_back(
        getNameOr(function.getResultAttr(i, kNameAttr), "result", i, builder));
    outputTypes.push_back(TypeAttr::get(type));
  }
  builder.setInsertionPointAfter(function);
  result = exec::FuncOp::create(
      builder, function.getLoc(), function.getSymNameAttr(),
      builder.getArrayAttr(inputNames), builder.getArrayAttr(inputTypes),
      builder.getArrayAttr(outputNames), builder.getArrayAttr(outputTypes),
      exec::PlanAttr());
  builder.setInsertionPointToStart(&result.getBody().emplaceBlock());
  for (BlockArgument argument : function.getArguments())
    if (failed(createArgument(argument)))
      return failure();
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (failed(createResult(i)))
      return failure();
  return success();
}

/// The state of an argument or result with these attributes, null without
/// `graph.state`.
static FailureOr<exec::StateOp> getState(ModuleContext &context,
                                         Attribute state, Attribute name,
                                         Type type, Location location) {
  if (!state)
    return exec::StateOp();
  if (!name)
    return emitError(location)
           << "found '" << kStateAttr << "' without '" << kNameAttr << "'";
  return context.getState(cast<StringAttr>(name).getValue(),
                          cast<RankedTensorType>(type), location);
}

LogicalResult FunctionConverter::createArgument(BlockArgument argument) {
  unsigned i = argument.getArgNumber();
  Attribute name = function.getArgAttr(i, kNameAttr);
  FailureOr<exec::StateOp> state =
      getState(context, function.getArgAttr(i, kStateAttr), name,
               argument.getType(), argument.getLoc());
  if (failed(state))
    return failure();
  exec::BufferType type = getBufferType(argument.getType());
  if (*state)
    buffers[argument] = exec::StateRefOp::create(builder, argument.getLoc(),
                                                 type, state->getSymName());
  else
    buffers[argument] = exec::InputOp::create(
        builder, argument.getLoc(), type, getNameOr(name, "arg", i, builder));
  return success();
}

LogicalResult FunctionConverter::createResult(unsigned index) {
  Type tensor = function.getResultTypes()[index];
  Attribute name = function.getResultAttr(index, kNameAttr);
  FailureOr<exec::StateOp> state =
      getState(context, function.getResultAttr(index, kStateAttr), name, tensor,
               function.getLoc());
  if (failed(state))
    return failure();
  exec::BufferType type = getBufferType(tensor);
  if (*state)
    destinations.push_back(exec::StateRefOp::create(builder, function.getLoc(),
                                                    type, state->getSymName()));
  else
    destinations.push_back(
        exec::OutputOp::create(builder, function.getLoc(), type,
                               getNameOr(name, "result", index, builder)));
  return success();
}

FailureOr<Value> FunctionConverter::getBuffer(Value value) {
  if (Value buffer = buffers.lookup(value))
    return buffer;
  auto constant = value.getDefiningOp<ConstantOp>();
  assert(constant && "operations are converted in order");
  auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
  exec::BufferType type = getBufferType(value.getType());
  if (splat && type.getSize() > maxSplatBytes) {
    if (failed(convertAsFusion(constant)))
      return failure();
    return buffers.lookup(value);
  }
  exec::ConstantOp data =
      context.getConstant(constant.getValue(), constant.getLoc());
  Value buffer = exec::ConstantRefOp::create(builder, constant.getLoc(), type,
                                             data.getSymName());
  buffers[value] = buffer;
  return buffer;
}

Value FunctionConverter::getView(Value buffer, int64_t offset,
                                 Type elementType) {
  if (offset == 0)
    return buffer;
  int64_t bytes = offset * exec::getElementSize(elementType);
  int64_t size = cast<exec::BufferType>(buffer.getType()).getSize() - bytes;
  return exec::ViewOp::create(builder, buffer.getLoc(),
                              exec::BufferType::get(builder.getContext(), size),
                              buffer, bytes);
}

/// The location of a command: what it computes, and where it is written.
static Location getCommandLoc(StringRef what, Location location) {
  return NameLoc::get(StringAttr::get(location.getContext(), what), location);
}

LogicalResult FunctionConverter::convertOp(Operation *op) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      // Made where a command needs its memory.
      .Case([](ConstantOp) { return success(); })
      .Case([&](ReshapeOp reshape) -> LogicalResult {
        FailureOr<Value> buffer = getBuffer(reshape.getOperand());
        if (failed(buffer))
          return failure();
        buffers[reshape.getResult()] = *buffer;
        return success();
      })
      .Case([&](FusionOp fusion) { return convertFusion(fusion); })
      .Case([&](func::ReturnOp op) { return convertReturn(op); })
      .Default([&](Operation *op) -> LogicalResult {
        if (!isa<GraphDialect>(op->getDialect()))
          return op->emitError("found ")
                 << op->getName()
                 << ", expected operations of the graph dialect";
        return convertAsFusion(op);
      });
}

LogicalResult FunctionConverter::convertAsFusion(Operation *op) {
  // Beside the operation, so that it has the lifetime of other fusions.
  OpBuilder graphBuilder(op);
  auto fusion = FusionOp::create(graphBuilder, op->getLoc(),
                                 op->getResultTypes(), op->getOperands());
  Block &body = fusion.getBody().emplaceBlock();
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, body.addArgument(operand.getType(), operand.getLoc()));
  graphBuilder.setInsertionPointToStart(&body);
  Operation *inner = graphBuilder.clone(*op, mapping);
  YieldOp::create(graphBuilder, op->getLoc(), inner->getResults());
  if (failed(convertFusion(fusion)))
    return failure();
  for (auto [value, fused] :
       llvm::zip_equal(op->getResults(), fusion.getResults())) {
    // By value: the insertion may move the entries.
    Value buffer = buffers.at(fused);
    buffers[value] = buffer;
  }
  return success();
}

LogicalResult FunctionConverter::convertFusion(FusionOp fusion) {
  SmallVector<Value> ins, outs;
  for (Value operand : fusion.getOperands()) {
    FailureOr<Value> buffer = getBuffer(operand);
    if (failed(buffer))
      return failure();
    ins.push_back(*buffer);
  }
  for (Value value : fusion.getResults())
    outs.push_back(allocate(value));
  if (getFusedDot(fusion) && !context.getTarget().hasContraction()) {
    FailureOr<GemmForm> form = getGemmForm(fusion);
    if (failed(form))
      return fusion.emitError("found a dot that is no matrix product; run "
                              "--graph-prepare-dots");
    convertPlainDot(fusion, *form, ins, outs.front());
    return success();
  }

  FailureOr<EmittedKernel> kernel = context.getKernels().getKernel(fusion);
  if (failed(kernel))
    return failure();
  if (kernel->product)
    return convertProduct(fusion, *kernel, ins, outs);
  if (kernel->numWorkgroups == 0)
    return success();

  SmallVector<SmallVector<int64_t>> inPlace(outs.size());
  for (const InPlacePair &pair : kernel->inPlace)
    inPlace[pair.output].push_back(pair.input);
  SmallVector<Attribute> inPlaceAttrs;
  for (ArrayRef<int64_t> inputs : inPlace)
    inPlaceAttrs.push_back(builder.getI64ArrayAttr(inputs));
  exec::DispatchOp::create(
      builder, getCommandLoc(summarize(fusion, " "), fusion.getLoc()),
      context.getKernelSymbol(*kernel), kernel->numWorkgroups, ins, outs,
      kernel->inPlace.empty() ? ArrayAttr()
                              : builder.getArrayAttr(inPlaceAttrs));
  return success();
}

/// Matrices of a form lie in the buffers `a`, `b` and `c`.
exec::GemmOp FunctionConverter::createGemm(Location loc, Type elementType,
                                           const GemmForm &form, Value a,
                                           Value b, Value c) {
  auto getStrides = [](const MatrixView &matrix) {
    SmallVector<int64_t> strides(matrix.batchStrides);
    strides.append({matrix.rowStride, matrix.columnStride});
    return strides;
  };
  ValueRange none;
  return exec::GemmOp::create(
      builder, loc, elementType, form.batch, form.m, form.n, form.k,
      getView(a, form.a.offset, elementType),
      getView(b, form.b.offset, elementType), /*extra_ins=*/none,
      /*kernel_ins=*/none, /*extra_outs=*/none,
      getView(c, form.c.offset, elementType), getStrides(form.a),
      getStrides(form.b), getStrides(form.c), exec::EpilogueAttr(),
      SymbolRefAttr(), IntegerAttr());
}

/// A dot and its views, for the library alone.
void FunctionConverter::convertPlainDot(FusionOp fusion, const GemmForm &form,
                                        ValueRange ins, Value out) {
  auto getIn = [&](const MatrixView &matrix) {
    return ins[cast<BlockArgument>(matrix.base).getArgNumber()];
  };
  createGemm(getCommandLoc("dot", fusion.getLoc()),
             getElementTypeOrSelf(fusion.getResult(0)), form, getIn(form.a),
             getIn(form.b), out);
}

static std::optional<exec::Epilogue> getEpilogue(EpilogueKind kind) {
  switch (kind) {
  case EpilogueKind::None:
    return std::nullopt;
  case EpilogueKind::Bias:
    return exec::Epilogue::bias;
  case EpilogueKind::Relu:
    return exec::Epilogue::relu;
  case EpilogueKind::ReluBias:
    return exec::Epilogue::relu_bias;
  case EpilogueKind::Gelu:
    return exec::Epilogue::gelu;
  case EpilogueKind::GeluBias:
    return exec::Epilogue::gelu_bias;
  case EpilogueKind::DGelu:
    return exec::Epilogue::dgelu;
  case EpilogueKind::BGradA:
    return exec::Epilogue::bgrad_a;
  case EpilogueKind::BGradB:
    return exec::Epilogue::bgrad_b;
  }
}

/// A product for the library, with our own kernel where that is absent.
LogicalResult FunctionConverter::convertProduct(FusionOp fusion,
                                                const EmittedKernel &kernel,
                                                ValueRange ins,
                                                ValueRange outs) {
  const LibraryProduct &product = *kernel.product;
  exec::GemmOp gemm =
      createGemm(getCommandLoc(summarize(fusion, " "), fusion.getLoc()),
                 getElementTypeOrSelf(fusion.getResults().back()), product.form,
                 ins[product.lhs], ins[product.rhs], outs.back());
  gemm.setKernelAttr(context.getKernelSymbol(kernel));
  gemm.setWorkgroups(kernel.numWorkgroups);
  gemm.getKernelInsMutable().assign(ins);
  const DotEpilogue &epilogue = product.epilogue;
  if (std::optional<exec::Epilogue> kind = getEpilogue(epilogue.kind))
    gemm.setEpilogue(*kind);
  for (std::optional<unsigned> in : {epilogue.bias, epilogue.aux})
    if (in)
      gemm.getExtraInsMutable().append(ins[*in]);
  if (epilogue.hasExtraOutput)
    gemm.getExtraOutsMutable().assign(outs.front());
  return success();
}

/// The symbol of the state that a buffer is; null for other memory.
static StringAttr getStateSymbol(Value buffer) {
  auto reference = buffer.getDefiningOp<exec::StateRefOp>();
  return reference ? reference.getStateAttr().getAttr() : StringAttr();
}

LogicalResult FunctionConverter::convertReturn(func::ReturnOp op) {
  SmallVector<Value> sources;
  for (Value value : op.getOperands()) {
    FailureOr<Value> buffer = getBuffer(value);
    if (failed(buffer))
      return failure();
    sources.push_back(*buffer);
  }
  DenseMap<StringAttr, Value> overwritten;
  for (auto [source, destination] : llvm::zip_equal(sources, destinations)) {
    StringAttr state = getStateSymbol(destination);
    if (!state)
      continue;
    if (!overwritten.try_emplace(state, Value()).second)
      return op.emitError("found two results that write the state '")
             << state.getValue() << "', expected one";
    if (state == getStateSymbol(source))
      overwritten.erase(state);
  }
  // Old values of states that are overwritten are saved first.
  for (Value &source : sources) {
    auto found = overwritten.find(getStateSymbol(source));
    if (found == overwritten.end())
      continue;
    if (!found->second) {
      found->second =
          exec::AllocOp::create(builder, op.getLoc(), source.getType());
      exec::CopyOp::create(builder, getCommandLoc("copy", op.getLoc()), source,
                           found->second);
    }
    source = found->second;
  }
  for (auto [source, destination] : llvm::zip_equal(sources, destinations))
    if (StringAttr state = getStateSymbol(destination);
        (!state || state != getStateSymbol(source)) &&
        cast<exec::BufferType>(source.getType()).getSize() != 0)
      exec::CopyOp::create(builder, getCommandLoc("copy", op.getLoc()), source,
                           destination);
  return success();
}

LogicalResult FunctionConverter::convert() {
  assert(!function.isExternal() && "func.func has verified that");
  if (failed(createFunction()))
    return failure();
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front()))
    if (failed(convertOp(&op)))
      return failure();
  return success();
}

LogicalResult graph::convertFunction(func::FuncOp function,
                                     ModuleContext &context) {
  return FunctionConverter(function, context).convert();
}
