//===- LossScaling.cpp - Dynamic loss scaling of training steps -----------===//

#include "LossScaling.h"

#include "graph/Dialect/Graph/IR/Tensor.h"

using namespace mlir;
using namespace graph;

static constexpr llvm::StringLiteral scaleName = "loss_scale";
static constexpr llvm::StringLiteral goodStepsName = "good_steps";
/// Both, and their inverses, are normal numbers of f32.
static constexpr double smallestScale = 0x1p-126, largestScale = 0x1p126;

//===----------------------------------------------------------------------===//
// States of functions
//===----------------------------------------------------------------------===//

static StringAttr getStateName(DictionaryAttr attrs) {
  return attrs && attrs.contains(kStateAttr)
             ? attrs.getAs<StringAttr>(kNameAttr)
             : StringAttr();
}

static SmallVector<StringAttr> getStatesRead(func::FuncOp function) {
  SmallVector<StringAttr> names;
  for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
    if (StringAttr name = getStateName(function.getArgAttrDict(i)))
      names.push_back(name);
  return names;
}

static SmallVector<StringAttr> getStatesWritten(func::FuncOp function) {
  SmallVector<StringAttr> names;
  for (unsigned i = 0, e = function.getNumResults(); i < e; ++i)
    if (StringAttr name = getStateName(function.getResultAttrDict(i)))
      names.push_back(name);
  return names;
}

bool graph::isInitializer(func::FuncOp function) {
  return getStatesRead(function).empty() && !getStatesWritten(function).empty();
}

static DictionaryAttr getStateAttrs(MLIRContext *context, StringRef name) {
  Builder b(context);
  return b.getDictionaryAttr({b.getNamedAttr(kNameAttr, b.getStringAttr(name)),
                              b.getNamedAttr(kStateAttr, b.getUnitAttr())});
}

/// The argument that reads a state; added where the function has none.
static Value readState(func::FuncOp function, StringRef name, Type type) {
  unsigned numArguments = function.getNumArguments();
  for (unsigned i = 0; i < numArguments; ++i)
    if (StringAttr other = getStateName(function.getArgAttrDict(i));
        other && other == name)
      return function.getArgument(i);
  (void)function.insertArgument(numArguments, type,
                                getStateAttrs(function.getContext(), name),
                                function.getLoc());
  return function.getArgument(numArguments);
}

static Operation *getReturn(func::FuncOp function) {
  return function.getBody().front().getTerminator();
}

static void writeState(func::FuncOp function, StringRef name, Value value) {
  unsigned numResults = function.getNumResults();
  (void)function.insertResult(numResults, value.getType(),
                              getStateAttrs(function.getContext(), name));
  getReturn(function)->insertOperands(numResults, value);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// One reduction: the largest magnitude is NaN or infinite where any element
/// is.
static Tensor isFinite(Tensor x) {
  Tensor magnitude = abs(x);
  if (x.getRank() != 0)
    magnitude = reduce(ReduceKind::max, magnitude,
                       llvm::to_vector(llvm::seq<int64_t>(0, x.getRank())));
  return compare(ComparePredicate::lt, magnitude,
                 std::numeric_limits<double>::infinity());
}

/// In f32 or wider, because the inverse may be no normal number of f16.
static Tensor unscale(Tensor gradient, Tensor inverse) {
  Type element = gradient.getElementType();
  Type wide = element.isF64() ? element : inverse.getElementType();
  return cast(cast(gradient, wide) * cast(inverse, wide), element);
}

namespace {

class LossScaler {
public:
  LossScaler(ModuleOp module, const LossScalingOptions &options)
      : module(module), symbols(module), options(options),
        b(module.getLoc(), module.getContext()),
        scalarF32(RankedTensorType::get({}, b.getF32Type())),
        scalarI32(RankedTensorType::get({}, b.getI32Type())) {}

  LogicalResult checkOptions();
  LogicalResult run(ArrayRef<func::FuncOp> steps);

private:
  LogicalResult checkNames();
  LogicalResult scaleStep(func::FuncOp function);
  LogicalResult scaleGradients(ValueAndGradOp op, Tensor scale,
                               SmallVectorImpl<Tensor> &checks);
  func::FuncOp getScaledCallee(func::FuncOp callee);
  void keepStatesUnless(func::FuncOp function, Tensor isGood);
  void updateScale(func::FuncOp function, Tensor scale, Tensor isGood);
  LogicalResult initialize(ArrayRef<func::FuncOp> steps);

  ModuleOp module;
  SymbolTable symbols;
  LossScalingOptions options;
  ImplicitLocOpBuilder b;
  RankedTensorType scalarF32, scalarI32;
  llvm::DenseMap<Operation *, func::FuncOp> scaledCallees;
};

} // namespace

LogicalResult LossScaler::checkOptions() {
  int exponent;
  if (!(options.initialScale >= smallestScale &&
        options.initialScale <= largestScale) ||
      std::frexp(options.initialScale, &exponent) != 0.5)
    return module.emitError("found initial-scale ")
           << options.initialScale
           << ", expected a power of two from 2^-126 to 2^126";
  if (options.growthInterval < 1)
    return module.emitError("found growth-interval ")
           << options.growthInterval << ", expected at least 1";
  return success();
}

LogicalResult LossScaler::checkNames() {
  auto check = [&](func::FuncOp function,
                   DictionaryAttr attrs) -> LogicalResult {
    auto name = attrs ? attrs.getAs<StringAttr>(kNameAttr) : StringAttr();
    if (name && (name == scaleName || name == goodStepsName))
      return function.emitOpError("found the name ")
             << name << ", expected another: loss scaling has a state of it";
    return success();
  };
  for (auto function : module.getOps<func::FuncOp>()) {
    for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
      if (failed(check(function, function.getArgAttrDict(i))))
        return failure();
    for (unsigned i = 0, e = function.getNumResults(); i < e; ++i)
      if (failed(check(function, function.getResultAttrDict(i))))
        return failure();
  }
  return success();
}

/// A function that returns the loss times its last argument, then the results
/// of `callee`.
func::FuncOp LossScaler::getScaledCallee(func::FuncOp callee) {
  func::FuncOp &scaled = scaledCallees[callee];
  if (scaled)
    return scaled;
  FunctionType type = callee.getFunctionType();
  auto inputs = llvm::to_vector(type.getInputs());
  inputs.push_back(scalarF32);
  auto results = llvm::to_vector(type.getResults());
  results.insert(results.begin(), type.getResult(0));

  OpBuilder::InsertionGuard guard(b);
  b.setLoc(callee.getLoc());
  scaled =
      func::FuncOp::create(b.getLoc(), (callee.getSymName() + "_scaled").str(),
                           b.getFunctionType(inputs, results));
  scaled.setPrivate();
  symbols.insert(scaled, std::next(Block::iterator(callee)));
  Block *body = scaled.addEntryBlock();
  b.setInsertionPointToStart(body);
  auto call = func::CallOp::create(b, callee, body->getArguments().drop_back());
  Tensor loss(b, call.getResult(0)), scale(b, body->getArguments().back());
  SmallVector<Value> values = {loss * cast(scale, loss.getElementType())};
  llvm::append_range(values, call.getResults());
  func::ReturnOp::create(b, values);
  return scaled;
}

/// Appends to `checks` whether each gradient is finite.
LogicalResult LossScaler::scaleGradients(ValueAndGradOp op, Tensor scale,
                                         SmallVectorImpl<Tensor> &checks) {
  auto callee = symbols.lookup<func::FuncOp>(op.getCallee());
  Type loss = callee.getResultTypes()[0];
  if (getElementTypeOrSelf(loss).getIntOrFloatBitWidth() < 32)
    return op.emitOpError("found loss of type ")
           << loss << ", expected f32 or f64: a scaled loss would overflow";

  b.setInsertionPoint(op);
  b.setLoc(op.getLoc());
  auto operands = llvm::to_vector(op.getOperands());
  operands.push_back(scale);
  auto types = llvm::to_vector(op.getResultTypes());
  types.insert(types.begin(), loss);
  auto scaled = ValueAndGradOp::create(
      b, types, getScaledCallee(callee).getSymName(), operands, op.getWrt());
  SmallVector<Value> results(llvm::drop_begin(scaled.getResults()));
  Tensor inverse = 1 / scale;
  for (Value &value :
       MutableArrayRef<Value>(results).drop_front(callee.getNumResults())) {
    Tensor gradient = unscale({b, value}, inverse);
    checks.push_back(isFinite(gradient));
    value = gradient;
  }
  op.replaceAllUsesWith(results);
  op.erase();
  return success();
}

void LossScaler::keepStatesUnless(func::FuncOp function, Tensor isGood) {
  Operation *terminator = getReturn(function);
  for (unsigned i = 0, e = function.getNumResults(); i < e; ++i) {
    StringAttr name = getStateName(function.getResultAttrDict(i));
    if (!name)
      continue;
    Tensor updated(b, terminator->getOperand(i));
    Tensor old(b, readState(function, name, updated.getType()));
    if (updated.getValue() != old.getValue())
      terminator->setOperand(i, select(isGood, updated, old));
  }
}

void LossScaler::updateScale(func::FuncOp function, Tensor scale,
                             Tensor isGood) {
  Tensor goodSteps(b, readState(function, goodStepsName, scalarI32));
  Tensor count = goodSteps + 1;
  Tensor grows = compare(ComparePredicate::ge, count, options.growthInterval);
  Tensor larger = min(scale * 2, largestScale);
  Tensor smaller = max(scale * 0.5, smallestScale);
  writeState(function, scaleName,
             select(isGood, select(grows, larger, scale), smaller));
  writeState(
      function, goodStepsName,
      select(isGood, select(grows, count.full(0), count), count.full(0)));
}

LogicalResult LossScaler::scaleStep(func::FuncOp function) {
  bool isTraining = !getStatesWritten(function).empty();
  Tensor scale(b, readState(function, scaleName, scalarF32));
  SmallVector<Tensor> checks;
  for (auto op : llvm::to_vector(function.getOps<ValueAndGradOp>()))
    if (failed(scaleGradients(op, scale, checks)))
      return failure();
  if (!isTraining || checks.empty())
    return success();
  b.setInsertionPoint(getReturn(function));
  Tensor isGood = checks.front();
  for (Tensor check : llvm::drop_begin(checks))
    isGood = min(isGood, check);
  keepStatesUnless(function, isGood);
  updateScale(function, scale, isGood);
  return success();
}

LogicalResult LossScaler::initialize(ArrayRef<func::FuncOp> steps) {
  llvm::DenseSet<StringAttr> states;
  for (func::FuncOp step : steps)
    states.insert_range(getStatesWritten(step));
  unsigned numInitializers = 0;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic() || function.isExternal() ||
        !isInitializer(function) ||
        llvm::none_of(getStatesWritten(function),
                      [&](StringAttr name) { return states.contains(name); }))
      continue;
    ++numInitializers;
    b.setInsertionPoint(getReturn(function));
    b.setLoc(function.getLoc());
    writeState(function, scaleName, full(b, scalarF32, options.initialScale));
    writeState(function, goodStepsName, full(b, scalarI32, 0));
  }
  if (numInitializers == 0)
    return func::FuncOp(steps.front())
        .emitOpError(
            "found no public function that initialises its states, expected "
            "one "
            "that writes them and reads none: it is to set the loss scale");
  return success();
}

LogicalResult LossScaler::run(ArrayRef<func::FuncOp> steps) {
  if (failed(checkNames()) || failed(initialize(steps)))
    return failure();
  for (func::FuncOp step : steps)
    if (failed(scaleStep(step)))
      return failure();
  return success();
}

/// The public functions that take a derivative; an error where another does.
static FailureOr<SmallVector<func::FuncOp>>
findSteps(ModuleOp module, ArrayRef<Operation *> differentiated) {
  SmallVector<func::FuncOp> steps;
  WalkResult walked = module.walk([&](ValueAndGradOp op) -> WalkResult {
    auto function = op->getParentOfType<func::FuncOp>();
    if (llvm::is_contained(differentiated, function))
      return op.emitOpError("is differentiated itself, expected one "
                            "derivative: f16 does not scale inner losses, "
                            "bf16 need not");
    if (!function.isPublic())
      return op.emitOpError("found in a private function, expected a public "
                            "one: inline the calls before");
    if (steps.empty() || steps.back() != function)
      steps.push_back(function);
    return success();
  });
  if (walked.wasInterrupted())
    return failure();
  return steps;
}

LogicalResult graph::scaleLoss(ModuleOp module,
                               ArrayRef<Operation *> differentiated,
                               const LossScalingOptions &options) {
  LossScaler scaler(module, options);
  if (failed(scaler.checkOptions()))
    return failure();
  FailureOr<SmallVector<func::FuncOp>> steps =
      findSteps(module, differentiated);
  if (failed(steps))
    return failure();
  if (steps->empty())
    return success();
  if (llvm::none_of(*steps, [](func::FuncOp function) {
        return !getStatesWritten(function).empty();
      }))
    return func::FuncOp(steps->front())
        .emitOpError("writes no state, expected a training step: the loss "
                     "scale is a state "
                     "that it updates");
  return scaler.run(*steps);
}
