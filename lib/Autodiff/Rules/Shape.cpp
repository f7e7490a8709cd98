//===- Shape.cpp - VJPs of the movements of elements ----------------------===//
//
// A movement is linear; its VJP is its transpose.
//
//===----------------------------------------------------------------------===//

#include "graph/Autodiff/Vjp.h"

using namespace mlir;
using namespace graph;

/// The sum over the repetitions.
static Tensor broadcastVjp(Vjp<BroadcastOp> &v) {
  SmallVector<int64_t> repeated;
  for (int64_t dim = 0; dim < v.g.getRank(); ++dim)
    if (!llvm::is_contained(v.op.getDims(), dim))
      repeated.push_back(dim);
  return repeated.empty() ? v.g : sum(v.g, repeated);
}

static Tensor transposeVjp(Vjp<TransposeOp> &v) {
  SmallVector<int64_t> inverse(v.g.getRank());
  for (auto [i, dim] : llvm::enumerate(v.op.getPerm()))
    inverse[dim] = i;
  return transpose(v.g, inverse);
}

/// The elements go back to where they were, zeros to all other places.
static Tensor sliceVjp(Vjp<SliceOp> &v) {
  SmallVector<int64_t> high, interior;
  ArrayRef<int64_t> starts = v.op.getStarts(), strides = v.op.getStrides();
  for (auto [dim, size] :
       llvm::enumerate(v.op.getOperand().getType().getShape())) {
    int64_t taken = v.g.dim(dim), gaps = std::max<int64_t>(taken - 1, 0);
    interior.push_back(strides[dim] - 1);
    high.push_back(size - starts[dim] - taken - gaps * interior.back());
  }
  return pad(v.g, starts, high, interior);
}

static Tensor padVjp(Vjp<PadOp> &v) {
  SmallVector<int64_t> limits, strides;
  ArrayRef<int64_t> low = v.op.getLow();
  for (auto [dim, size] :
       llvm::enumerate(v.op.getOperand().getType().getShape())) {
    strides.push_back(v.op.getInterior()[dim] + 1);
    limits.push_back(low[dim] +
                     (size == 0 ? 0 : (size - 1) * strides.back() + 1));
  }
  return slice(v.g, low, limits, strides);
}

static void concatVjp(Vjp<ConcatOp> &v) {
  int64_t dim = v.op.getDim(), start = 0;
  for (auto [i, operand] : llvm::enumerate(v.op.getOperands())) {
    int64_t limit =
        start + cast<RankedTensorType>(operand.getType()).getDimSize(dim);
    if (v.needs(i))
      v.add(i, sliceDim(v.g, dim, start, limit));
    start = limit;
  }
}

void graph::populateShapeVjps(VjpTable &rules) {
  rules.add<BroadcastOp>(broadcastVjp);
  rules.add<ReshapeOp>([](auto &v) { return reshape(v.g, v.x().getShape()); });
  rules.add<TransposeOp>(transposeVjp);
  rules.add<SliceOp>(sliceVjp);
  rules.add<PadOp>(padVjp);
  rules.add<ConcatOp>(concatVjp);

  // Rows by index: an index that is out of range means the same both ways.
  rules.addInF32<GatherOp>(
      [](auto &v) {
        Tensor zeros = v.g.full(0, v.op.getTable().getType().getShape());
        return scatterAdd(zeros, v.x(1), v.g, v.op.getMode());
      },
      notDifferentiable);
  rules.add<ScatterAddOp>(
      [](auto &v) { return v.g; }, notDifferentiable,
      [](auto &v) { return gather(v.g, v.x(1), v.op.getMode()); });
}
