//===- StridedView.cpp - Values as strided windows of others --------------===//

#include "graph/Analysis/StridedView.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace graph;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

static SmallVector<int64_t> getRowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0; stride *= shape[i])
    strides[i] = stride;
  return strides;
}

StridedView StridedView::identity(Value base) {
  return {base, 0, SmallVector<int64_t>(shapeOf(base)),
          getRowMajorStrides(shapeOf(base))};
}

void StridedView::transpose(ArrayRef<int64_t> perm) {
  StridedView old = *this;
  for (auto [i, dim] : llvm::enumerate(perm)) {
    shape[i] = old.shape[dim];
    strides[i] = old.strides[dim];
  }
}

void StridedView::slice(ArrayRef<int64_t> starts, ArrayRef<int64_t> steps,
                        ArrayRef<int64_t> sizes) {
  for (size_t i = 0; i < sizes.size(); ++i) {
    // An empty slice may start at the end: there is nothing to point at.
    if (sizes[i] != 0)
      offset += starts[i] * strides[i];
    strides[i] *= steps[i];
  }
  shape.assign(sizes.begin(), sizes.end());
}

void StridedView::broadcast(ArrayRef<int64_t> dims, ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> old = std::move(strides);
  strides.assign(sizes.size(), 0);
  for (auto [i, dim] : llvm::enumerate(dims))
    strides[dim] = old[i];
  shape.assign(sizes.begin(), sizes.end());
}

LogicalResult StridedView::reshape(ArrayRef<int64_t> sizes) {
  if (llvm::is_contained(sizes, 0)) {
    shape.assign(sizes.begin(), sizes.end());
    strides = getRowMajorStrides(sizes);
    return success();
  }
  // The old dimensions as runs that nest, outermost first: `size` elements,
  // `stride` apart.
  struct Run {
    int64_t size, stride;
  };
  SmallVector<Run> runs;
  for (auto [size, stride] : llvm::zip_equal(shape, strides)) {
    if (size == 1)
      continue;
    if (!runs.empty() && runs.back().stride == size * stride)
      runs.back() = {runs.back().size * size, stride};
    else
      runs.push_back({size, stride});
  }
  // Every new dimension is cut from the inner end of one run.
  SmallVector<int64_t> newStrides(sizes.size(), 0);
  for (size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] == 1)
      continue;
    while (runs.back().size == 1)
      runs.pop_back();
    Run &run = runs.back();
    if (run.size % sizes[i] != 0)
      return failure();
    newStrides[i] = run.stride;
    run = {run.size / sizes[i], run.stride * sizes[i]};
  }
  shape.assign(sizes.begin(), sizes.end());
  strides = std::move(newStrides);
  return success();
}

LogicalResult StridedView::apply(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](TransposeOp op) {
        transpose(op.getPerm());
        return success();
      })
      .Case([&](SliceOp op) {
        slice(op.getStarts(), op.getStrides(), shapeOf(op.getResult()));
        return success();
      })
      .Case([&](BroadcastOp op) {
        broadcast(op.getDims(), shapeOf(op.getResult()));
        return success();
      })
      .Case([&](ReshapeOp op) { return reshape(shapeOf(op.getResult())); })
      .Default(failure());
}

LogicalResult StridedView::applyInverse(Operation *op) {
  if (auto transposed = dyn_cast<TransposeOp>(op)) {
    transpose(mlir::invertPermutationVector(transposed.getPerm()));
    return success();
  }
  if (auto reshaped = dyn_cast<ReshapeOp>(op))
    return reshape(shapeOf(reshaped.getOperand()));
  return failure();
}

bool graph::isViewOp(Operation *op) {
  return isa<TransposeOp, SliceOp, BroadcastOp, ReshapeOp>(op);
}

StridedView graph::getStridedView(Value value) {
  SmallVector<Operation *> chain;
  Value base = value;
  while (Operation *op = base.getDefiningOp()) {
    if (!isViewOp(op))
      break;
    chain.push_back(op);
    base = op->getOperand(0);
  }
  StridedView view = StridedView::identity(base);
  for (Operation *op : llvm::reverse(chain))
    if (failed(view.apply(op)))
      view = StridedView::identity(op->getResult(0));
  return view;
}
