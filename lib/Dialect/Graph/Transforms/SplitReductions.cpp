//===- SplitReductions.cpp - Reduce in two stages -------------------------===//
//
// A reduction to few elements has few independent parts. One of its dimensions
// is cut into pieces that are reduced on their own, and then their results:
//
//   [2048,128] over 0   ->   [8,256,128] over 1   ->   [8,128] over 0
//
// The cut follows from the shape alone, so that results are the same on every
// machine and with any number of threads.
//
//===----------------------------------------------------------------------===//

#include "graph/Dialect/Graph/IR/Tensor.h"
#include "graph/Dialect/Graph/Transforms/Passes.h"

#include "llvm/Support/MathExtras.h"

namespace graph {
#define GEN_PASS_DEF_GRAPHSPLITREDUCTIONS
#include "graph/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace graph

using namespace mlir;
using namespace graph;

/// Independent parts beyond this number gain nothing.
static constexpr int64_t kEnoughParts = 64;
/// Fewer pieces do not pay for the second stage.
static constexpr int64_t kFewestPieces = 4;
/// A piece of fewer elements is not worth a task of its own.
static constexpr int64_t kSmallestPiece = 32 * 1024;
/// The columns that one part of a column reduction takes.
static constexpr int64_t kColumnStrip = 64;

static bool isReduced(ReduceOp reduce, int64_t dim) {
  return llvm::is_contained(reduce.getDims(), dim);
}

/// How many parts the kernel of a reduction can run at the same time: rows, or
/// strips of columns where the innermost dimension is kept.
static int64_t getNumParts(ReduceOp reduce) {
  ArrayRef<int64_t> shape = reduce.getOperand().getType().getShape();
  int64_t kept = reduce.getType().getNumElements();
  for (int64_t dim = shape.size() - 1; dim >= 0; --dim)
    if (shape[dim] != 1)
      return isReduced(reduce, dim) ? kept
                                    : llvm::divideCeil(kept, kColumnStrip);
  return kept;
}

/// The largest divisor of `size` that is not above `limit`.
static int64_t getLargestDivisor(int64_t size, int64_t limit) {
  for (int64_t divisor = limit; divisor > 1; --divisor)
    if (size % divisor == 0)
      return divisor;
  return 1;
}

static void split(ReduceOp reduce, int64_t dim, int64_t pieces) {
  ImplicitLocOpBuilder builder(reduce.getLoc(), reduce);
  Tensor operand(builder, reduce.getOperand());
  // Rounding between the stages would round twice.
  Type element = operand.getElementType();
  if (isa<BFloat16Type, Float16Type>(element))
    operand = cast(operand, builder.getF32Type());

  SmallVector<int64_t> shape(operand.getShape());
  shape[dim] /= pieces;
  shape.insert(shape.begin() + dim, pieces);
  SmallVector<int64_t> dims;
  int64_t place = dim;
  for (int64_t reduced : reduce.getDims()) {
    dims.push_back(reduced >= dim ? reduced + 1 : reduced);
    place -= reduced < dim;
  }
  Tensor partial =
      graph::reduce(reduce.getKind(), reshape(operand, shape), dims);
  Tensor result = graph::reduce(reduce.getKind(), partial, {place});
  reduce.replaceAllUsesWith(cast(result, element).getValue());
  reduce.erase();
}

namespace {
struct SplitReductions
    : graph::impl::GraphSplitReductionsBase<SplitReductions> {
  using GraphSplitReductionsBase::GraphSplitReductionsBase;

  void runOnOperation() override {
    for (Block &block : getOperation().getBody())
      for (ReduceOp reduce : llvm::to_vector(block.getOps<ReduceOp>()))
        visit(reduce);
  }

  void visit(ReduceOp reduce) {
    RankedTensorType type = reduce.getOperand().getType();
    int64_t parts = getNumParts(reduce);
    if (parts == 0)
      return;
    int64_t limit =
        std::min(kEnoughParts / parts, type.getNumElements() / kSmallestPiece);
    for (int64_t dim : reduce.getDims()) {
      int64_t pieces = getLargestDivisor(type.getDimSize(dim), limit);
      // A dimension that is one piece only would be moved, not cut.
      if (pieces < kFewestPieces || pieces == type.getDimSize(dim))
        continue;
      split(reduce, dim, pieces);
      ++numSplit;
      return;
    }
  }
};
} // namespace
