//===- StridedView.h - Values as strided windows of others ------*- C++ -*-===//
//
// A tensor in memory is contiguous and row-major. A transpose, slice,
// broadcast and most reshapes of it need not move any element: they are
// another offset and other strides into the same memory:
//
//   %qkv                              : 2x16x3x4x8   offset   0
//   [1536,96,32,8,1] slice dimension 2 at 1            : 2x16x1x4x8   offset 32
//   [1536,96,32,8,1] reshape                           : 2x16x4x8     offset 32
//   [1536,96,8,1] transpose perm = [0, 2, 1, 3]     : 2x4x16x8     offset  32
//   [1536,8,96,1]
//
// A matrix product reads its operands through such views and writes its result
// through one (see GemmForm.h).
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_ANALYSIS_STRIDEDVIEW_H
#define GRAPH_ANALYSIS_STRIDEDVIEW_H

#include "graph/Dialect/Graph/IR/GraphOps.h"

namespace graph {

/// Element [i0, i1, ...] of the view is element `offset + i0 * strides[0] +
/// i1 * strides[1] + ...` of the memory of `base`. Offset and strides count
/// elements; strides are not negative, 0 repeats.
struct StridedView {
  mlir::Value base;
  int64_t offset = 0;
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<int64_t> strides;

  /// All of `base`, a tensor, as it lies in memory.
  static StridedView identity(mlir::Value base);

  void transpose(llvm::ArrayRef<int64_t> perm);
  void slice(llvm::ArrayRef<int64_t> starts, llvm::ArrayRef<int64_t> steps,
             llvm::ArrayRef<int64_t> sizes);
  /// As graph.broadcast: dimension i becomes dimension dims[i] of `sizes`.
  void broadcast(llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> sizes);
  /// Fails, and leaves the view as it is, where elements would have to move: a
  /// dimension of `sizes` spans dimensions of the view that do not nest.
  llvm::LogicalResult reshape(llvm::ArrayRef<int64_t> sizes);

  /// Composes with what `op` does to its operand. Fails where `op` is no
  /// movement of elements or would have to move them in memory.
  llvm::LogicalResult apply(mlir::Operation *op);
  /// The view of op's operand in the memory in which this is the view of its
  /// result. Fails where op is neither a transpose nor a reshape.
  llvm::LogicalResult applyInverse(mlir::Operation *op);
};

/// Whether the operation may be a view of its operand: a transpose, slice,
/// broadcast or reshape.
bool isViewOp(mlir::Operation *op);

/// `value` as a view of a value as far up as the chain of view operations above
/// it lets one view express; of itself where there is none. Does not look out
/// of the block of `value`.
StridedView getStridedView(mlir::Value value);

} // namespace graph

#endif // GRAPH_ANALYSIS_STRIDEDVIEW_H
