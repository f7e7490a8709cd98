//===- KernelRules.cpp - How each operation is evaluated at a position ----===//
//
// Elementwise operations and everything whose iteration space says all
// (broadcast, transpose, slice) share a rule; the table at the end lists the
// operations that need their own.
//
//===----------------------------------------------------------------------===//

#include "KernelPlanner.h"

#include "llvm/ADT/StringMap.h"
#include <numeric>

using namespace mlir;
using namespace graph;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Operands at the result's position.
static FailureOr<unsigned> evaluateElementwise(KernelPlanner &planner,
                                               Operation *op,
                                               const AffineIndex &index) {
  KernelNode node{KernelNode::Elementwise, op->getResult(0)};
  for (Value operand : op->getOperands()) {
    FailureOr<unsigned> child = planner.evaluate(operand, index);
    if (failed(child))
      return failure();
    node.operands.push_back(*child);
  }
  return planner.addNode(std::move(node));
}

/// The element of the only operand at which the iteration space puts the
/// result's position.
static FailureOr<unsigned> evaluateMovement(KernelPlanner &planner,
                                            Operation *op,
                                            const AffineIndex &index) {
  IterationSpace space =
      cast<IterationSpaceOpInterface>(op).getIterationSpace();
  // The result's dimensions, taken apart into factors.
  SmallVector<int64_t> sizes;
  SmallVector<unsigned> order;
  for (const DimMap &dim : space.results[0])
    for (unsigned factor : dim.factors) {
      order.push_back(factor);
      sizes.push_back(space.factors[factor].size);
    }
  FailureOr<KernelPlanner::Indices> digits = planner.getDims(index, sizes);
  if (failed(digits))
    return failure();
  KernelPlanner::Indices factors(space.factors.size());
  for (auto [factor, digit] : llvm::zip_equal(order, *digits))
    factors[factor] = digit;

  Value operand = op->getOperand(0);
  KernelPlanner::Indices dims;
  for (const DimMap &dim : space.operands[0]) {
    AffineIndex position;
    for (unsigned factor : dim.factors)
      position = position * space.factors[factor].size + factors[factor];
    dims.push_back(position * dim.stride + AffineIndex::constant(dim.offset));
  }
  return planner.evaluate(operand, flatten(dims, shapeOf(operand)));
}

/// Row-major order is unchanged.
static FailureOr<unsigned> evaluateReshape(KernelPlanner &planner,
                                           Operation *op,
                                           const AffineIndex &index) {
  return planner.evaluate(op->getOperand(0), index);
}

static FailureOr<unsigned> evaluateConstant(KernelPlanner &planner, Operation *,
                                            const AffineIndex &) {
  return planner.fail("a constant of different values is not computed");
}

static FailureOr<unsigned> evaluateIota(KernelPlanner &planner, Operation *op,
                                        const AffineIndex &index) {
  auto dims = planner.getDims(index, shapeOf(op->getResult(0)));
  if (failed(dims))
    return failure();
  return planner.addNode({KernelNode::Position, op->getResult(0),
                          (*dims)[cast<IotaOp>(op).getDim()]});
}

static FailureOr<unsigned> evaluateRandom(KernelPlanner &planner, Operation *op,
                                          const AffineIndex &index) {
  FailureOr<unsigned> key = planner.evaluate(op->getOperand(0), {});
  if (failed(key))
    return failure();
  KernelNode node{KernelNode::Random, op->getResult(0), index};
  node.operands = {*key};
  return planner.addNode(std::move(node));
}

static FailureOr<unsigned> evaluatePad(KernelPlanner &planner, Operation *op,
                                       const AffineIndex &index) {
  auto pad = cast<PadOp>(op);
  ArrayRef<int64_t> shape = shapeOf(pad.getOperand());
  auto dims = planner.getDims(index, shapeOf(pad.getResult()));
  if (failed(dims))
    return failure();
  Alternative inside;
  KernelNode node{KernelNode::Guarded, pad.getResult()};
  node.constant = cast<TypedAttr>(pad.getValue());
  KernelPlanner::Indices operandDims;
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t low = pad.getLow()[d], high = pad.getHigh()[d];
    int64_t step = pad.getInterior()[d] + 1;
    if (step == 1 && low >= 0 && high >= 0 &&
        failed(planner.alignTo((*dims)[d],
                               std::gcd(std::gcd(low, high), shape[d]))))
      return failure();
    auto window = planner.getWindow((*dims)[d], low, step, shape[d]);
    if (window.isEmpty)
      return planner.addNode(std::move(node));
    if (window.guard)
      inside.guards.push_back(*window.guard);
    operandDims.push_back(window.index);
  }
  FailureOr<unsigned> operand =
      planner.evaluate(pad.getOperand(), flatten(operandDims, shape));
  if (failed(operand) || inside.guards.empty())
    return operand;
  inside.node = *operand;
  node.alternatives.push_back(std::move(inside));
  return planner.addNode(std::move(node));
}

static FailureOr<unsigned> evaluateConcat(KernelPlanner &planner, Operation *op,
                                          const AffineIndex &index) {
  auto concat = cast<ConcatOp>(op);
  int64_t along = concat.getDim();
  auto dims = planner.getDims(index, shapeOf(concat.getResult()));
  if (failed(dims))
    return failure();
  int64_t divisor = 0;
  for (Value operand : op->getOperands())
    divisor = std::gcd(divisor, shapeOf(operand)[along]);
  if (failed(planner.alignTo((*dims)[along], divisor)))
    return failure();

  KernelNode node{KernelNode::Guarded, concat.getResult()};
  Type element = node.getElementType();
  node.constant =
      cast<TypedAttr>(Builder(op->getContext()).getZeroAttr(element));
  int64_t low = 0;
  for (Value operand : op->getOperands()) {
    ArrayRef<int64_t> shape = shapeOf(operand);
    auto window = planner.getWindow((*dims)[along], low, 1, shape[along]);
    low += shape[along];
    if (window.isEmpty)
      continue;
    KernelPlanner::Indices operandDims = *dims;
    operandDims[along] = window.index;
    FailureOr<unsigned> child =
        planner.evaluate(operand, flatten(operandDims, shape));
    if (failed(child) || !window.guard)
      return child;
    node.alternatives.push_back({{*window.guard}, *child});
  }
  // What is in no other operand is in the last one.
  if (!node.alternatives.empty())
    node.alternatives.back().guards.clear();
  return planner.addNode(std::move(node));
}

static FailureOr<unsigned> evaluateGather(KernelPlanner &planner, Operation *op,
                                          const AffineIndex &index) {
  auto gather = cast<GatherOp>(op);
  ArrayRef<int64_t> table = shapeOf(gather.getTable());
  ArrayRef<int64_t> points = shapeOf(gather.getIndices());
  auto dims = planner.getDims(index, shapeOf(gather.getResult()));
  if (failed(dims))
    return failure();
  ArrayRef<AffineIndex> all = *dims;
  FailureOr<unsigned> row = planner.evaluate(
      gather.getIndices(), flatten(all.take_front(points.size()), points));
  if (failed(row))
    return failure();

  KernelNode node{KernelNode::Guarded, gather.getResult()};
  node.constant = cast<TypedAttr>(
      Builder(op->getContext()).getZeroAttr(node.getElementType()));
  if (table.front() == 0)
    return planner.addNode(std::move(node));
  KernelVariable variable{KernelVariable::Row, table.front()};
  variable.node = *row;
  KernelPlanner::Indices tableDims = {planner.addVariable(variable)};
  llvm::append_range(tableDims, all.drop_front(points.size()));
  FailureOr<unsigned> element =
      planner.evaluate(gather.getTable(), flatten(tableDims, table));
  if (failed(element) || gather.getMode() == IndexMode::clip)
    return element;
  Guard guard;
  guard.size = table.front();
  guard.node = *row;
  node.alternatives.push_back({{guard}, *element});
  return planner.addNode(std::move(node));
}

static FailureOr<unsigned> evaluateReduce(KernelPlanner &planner, Operation *op,
                                          const AffineIndex &index) {
  auto reduce = cast<ReduceOp>(op);
  KernelPlan &plan = planner.getPlan();
  ArrayRef<int64_t> shape = shapeOf(reduce.getOperand());
  SmallVector<int64_t> kept, reduced;
  for (auto [dim, size] : llvm::enumerate(shape))
    (llvm::is_contained(reduce.getDims(), static_cast<int64_t>(dim)) ? reduced
                                                                     : kept)
        .push_back(size);

  VariableSet rows =
      planner.getDomainPosition(KernelVariable::Parallel).getVariables();
  bool isEmpty = plan.getNumPoints(KernelVariable::Parallel) == 0;
  if (llvm::product_of(kept) != plan.getNumPoints(KernelVariable::Parallel) ||
      llvm::product_of(reduced) != plan.getNumPoints(KernelVariable::Reduced))
    return planner.fail("reductions of different sizes");
  if (index.getVariables() != rows && !isEmpty)
    return planner.fail("a reduction is needed at other than its own row");
  auto keptDims = planner.getDims(index, kept);
  auto reducedDims = planner.getDims(
      planner.getDomainPosition(KernelVariable::Reduced), reduced);
  if (failed(keptDims) || failed(reducedDims))
    return failure();

  KernelPlanner::Indices dims;
  size_t nextKept = 0, nextReduced = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    dims.push_back(
        llvm::is_contained(reduce.getDims(), static_cast<int64_t>(dim))
            ? (*reducedDims)[nextReduced++]
            : (*keptDims)[nextKept++]);
  FailureOr<unsigned> operand =
      planner.evaluate(reduce.getOperand(), flatten(dims, shape));
  if (failed(operand))
    return failure();
  KernelNode node{KernelNode::Reduce, reduce.getResult()};
  node.operands = {*operand};
  return planner.addNode(std::move(node));
}

KernelRule graph::getKernelRule(Operation *op) {
  static const llvm::StringMap<KernelRule> rules = {
      {BroadcastOp::getOperationName(), evaluateMovement},
      {ConcatOp::getOperationName(), evaluateConcat},
      {ConstantOp::getOperationName(), evaluateConstant},
      {GatherOp::getOperationName(), evaluateGather},
      {IotaOp::getOperationName(), evaluateIota},
      {PadOp::getOperationName(), evaluatePad},
      {RandomNormalOp::getOperationName(), evaluateRandom},
      {RandomUniformOp::getOperationName(), evaluateRandom},
      {ReduceOp::getOperationName(), evaluateReduce},
      {ReshapeOp::getOperationName(), evaluateReshape},
      {SliceOp::getOperationName(), evaluateMovement},
      {TransposeOp::getOperationName(), evaluateMovement},
  };
  if (isa<ScalarBodyOpInterface>(op))
    return evaluateElementwise;
  return rules.lookup(op->getName().getStringRef());
}
