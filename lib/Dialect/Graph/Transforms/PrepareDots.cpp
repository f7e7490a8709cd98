//===- PrepareDots.cpp - Give every dot a strided form --------------------===//
//
// For every operand of a dot there are up to three places to read it from: the
// memory under the chain of views above it, the operand itself, and a copy of
// it whose dimensions are in the order batch, free, contracted. For the result
// there are two: the memory under the transposes below it, and its own. The
// cheapest combination, in bytes copied, that has a strided form is chosen;
// with copies of both operands there always is one.
//
//===----------------------------------------------------------------------===//

#include "ViewChain.h"
#include "graph/Analysis/GemmForm.h"
#include "graph/Dialect/Graph/Transforms/Passes.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SetVector.h"

namespace graph {
#define GEN_PASS_DEF_GRAPHPREPAREDOTS
#include "graph/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace graph

using namespace mlir;
using namespace graph;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Of a value that is copied; i1 and other narrow elements take whole bytes.
static int64_t getBytes(Value value) {
  RankedTensorType type = typeOf(value);
  return type.getNumElements() *
         llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

namespace {
/// One way to reach an operand or to leave a result.
struct Access {
  /// Where it lies in memory.
  StridedView view;
  int64_t copiedBytes = 0;
  /// The view operations between dot and memory, in program order.
  SmallVector<Operation *> chain = {};
  /// Operands: not empty where the memory is a copy, with dimension i of the
  /// copy dimension copyOrder[i] of the operand.
  SmallVector<int64_t> copyOrder = {};
};
} // namespace

static Access getViewAccess(Value operand) {
  ViewChain chain = getOperandViews(operand);
  return {chain.view, 0, chain.ops};
}

/// A copy in the order batch, free, contracted. Contracted dimensions are in
/// the order in which they lie in the other operand, so that they nest there.
static Access getCopyAccess(Value operand, ArrayRef<int64_t> batch,
                            ArrayRef<int64_t> free, ArrayRef<int64_t> contract,
                            ArrayRef<int64_t> otherContract,
                            const StridedView &other) {
  Access access;
  access.copiedBytes = getBytes(operand);
  SmallVector<int64_t> &order = access.copyOrder;
  order.assign(batch.begin(), batch.end());
  llvm::append_range(order, free);
  // The stride in the other operand, largest first, then the dimension.
  SmallVector<std::pair<int64_t, int64_t>> contracted;
  for (auto [dim, otherDim] : llvm::zip_equal(contract, otherContract))
    contracted.push_back({-other.strides[otherDim], dim});
  llvm::sort(contracted);
  llvm::append_range(order, llvm::make_second_range(contracted));

  access.view = StridedView::identity(operand);
  int64_t stride = 1;
  for (int64_t dim : llvm::reverse(order)) {
    access.view.strides[dim] = stride;
    stride *= access.view.shape[dim];
  }
  return access;
}

/// All accesses of an operand that need no copy for the dot's sake.
static SmallVector<Access, 3> getOperandAccesses(Value operand) {
  SmallVector<Access, 3> accesses = {getViewAccess(operand)};
  if (!accesses.front().chain.empty())
    accesses.push_back({StridedView::identity(operand), getBytes(operand)});
  return accesses;
}

/// The transposes and reshapes that alone use the dot's result, and the result
/// itself.
static SmallVector<Access, 2> getResultAccesses(DotOp dot) {
  ViewChain chain = getResultViews(dot.getResult());
  Access views = {chain.view, 0, chain.ops};
  if (chain.ops.empty())
    return {views};
  return {views,
          {StridedView::identity(dot.getResult()), getBytes(dot.getResult())}};
}

namespace {
struct PrepareDots : graph::impl::GraphPrepareDotsBase<PrepareDots> {
  using GraphPrepareDotsBase::GraphPrepareDotsBase;

  void runOnOperation() override {
    for (Block &block : getOperation().getBody())
      for (DotOp dot : llvm::to_vector(block.getOps<DotOp>()))
        prepare(dot);
  }

  void prepare(DotOp dot);
  void wrap(DotOp dot, const Access &lhs, const Access &rhs,
            const Access &result);
};
} // namespace

/// A product without terms or without results.
static bool isEmpty(DotOp dot) {
  ArrayRef<int64_t> shape = dot.getLhs().getType().getShape();
  return dot.getType().getNumElements() == 0 ||
         llvm::any_of(dot.getLhsContract(),
                      [&](int64_t dim) { return shape[dim] == 0; });
}

void PrepareDots::prepare(DotOp dot) {
  if (isEmpty(dot)) {
    OpBuilder builder(dot);
    Attribute zero = builder.getZeroAttr(dot.getType().getElementType());
    auto value = DenseElementsAttr::get(dot.getType(), zero);
    dot.replaceAllUsesWith(
        ConstantOp::create(builder, dot.getLoc(), value).getResult());
    dot.erase();
    return;
  }

  SmallVector<Access, 3> lhsAccesses = getOperandAccesses(dot.getLhs());
  SmallVector<Access, 3> rhsAccesses = getOperandAccesses(dot.getRhs());
  lhsAccesses.push_back(getCopyAccess(
      dot.getLhs(), dot.getLhsBatch(), dot.getLhsFree(), dot.getLhsContract(),
      dot.getRhsContract(), rhsAccesses.front().view));
  rhsAccesses.push_back(getCopyAccess(
      dot.getRhs(), dot.getRhsBatch(), dot.getRhsFree(), dot.getRhsContract(),
      dot.getLhsContract(), lhsAccesses.front().view));
  // With lhs copied in the order of a view of rhs that itself must be copied,
  // the two would not nest: one more, in the order of the first copy.
  rhsAccesses.push_back(getCopyAccess(
      dot.getRhs(), dot.getRhsBatch(), dot.getRhsFree(), dot.getRhsContract(),
      dot.getLhsContract(), lhsAccesses.back().view));

  SmallVector<Access, 2> resultAccesses = getResultAccesses(dot);
  std::tuple<const Access *, const Access *, const Access *> best;
  int64_t bestBytes = std::numeric_limits<int64_t>::max();
  for (const Access &result : resultAccesses)
    for (const Access &lhs : lhsAccesses)
      for (const Access &rhs : rhsAccesses) {
        int64_t bytes = lhs.copiedBytes + rhs.copiedBytes + result.copiedBytes;
        if (bytes < bestBytes &&
            succeeded(getGemmForm(dot, lhs.view, rhs.view, result.view))) {
          best = {&lhs, &rhs, &result};
          bestBytes = bytes;
        }
      }
  auto [lhs, rhs, result] = best;
  assert(lhs && "copies of both operands have a strided form");
  numCopies += !lhs->copyOrder.empty() + !rhs->copyOrder.empty();
  wrap(dot, *lhs, *rhs, *result);
}

/// Puts the dot with its views into a fusion, where it has any.
void PrepareDots::wrap(DotOp dot, const Access &lhs, const Access &rhs,
                       const Access &result) {
  ImplicitLocOpBuilder builder(dot.getLoc(), dot);
  auto hasView = [](const Access &access) {
    return !access.chain.empty() || !access.copyOrder.empty();
  };
  if (!hasView(lhs) && !hasView(rhs) && !hasView(result))
    return;

  // The memory of both operands, one block argument for each.
  llvm::SmallSetVector<Value, 2> memory;
  auto getMemory = [&](const Access &access, Value operand) -> Value {
    if (!access.copyOrder.empty())
      return TransposeOp::create(builder, operand, access.copyOrder);
    return access.chain.empty() ? operand : access.chain.front()->getOperand(0);
  };
  Value lhsMemory = getMemory(lhs, dot.getLhs());
  Value rhsMemory = getMemory(rhs, dot.getRhs());
  memory.insert(lhsMemory);
  memory.insert(rhsMemory);

  Value end = result.chain.empty() ? Value(dot.getResult())
                                   : result.chain.back()->getResult(0);
  auto fusion = FusionOp::create(builder, end.getType(), memory.getArrayRef());
  Block &body = fusion.getBody().emplaceBlock();
  for (Value value : memory)
    body.addArgument(value.getType(), value.getLoc());
  builder.setInsertionPointToStart(&body);

  auto viewOf = [&](const Access &access, Value from) -> Value {
    Value value = body.getArgument(llvm::find(memory, from) - memory.begin());
    if (!access.copyOrder.empty())
      return TransposeOp::create(builder, value,
                                 invertPermutationVector(access.copyOrder));
    return cloneViews(builder, access.chain, value);
  };
  Value newLhs = viewOf(lhs, lhsMemory), newRhs = viewOf(rhs, rhsMemory);
  Operation *newDot = builder.clone(*dot);
  newDot->setOperands({newLhs, newRhs});
  Value value = cloneViews(builder, result.chain, newDot->getResult(0));
  YieldOp::create(builder, value);

  end.replaceAllUsesWith(fusion.getResult(0));
  for (Operation *op : llvm::reverse(result.chain))
    op->erase();
  dot.erase();
  eraseUnusedViews({lhs.chain, rhs.chain});
}
