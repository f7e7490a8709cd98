//===- GemmForm.h - A dot as strided matrix products ------------*- C++ -*-===//
//
// Any graph.dot whose operands and result are strided views of memory is, if
// their strides allow it, a batch of plain matrix products:
//
//   dot [B,H,S,D] x [B,H,T,D], batch 0,1, contract 3 -> [B,H,S,T]
//     batch B, H    m = S    n = T    k = D
//
// Dimensions of size 1 vanish; contracted dimensions must nest to one k; free
// dimensions that do not nest to one m (one n) are batch dimensions along which
// the other operand does not move. No contracted, no free dimension: k, m or n
// is 1.
//
// How a dot is written in the IR after `--graph-prepare-dots`:
//
//  - alone, `graph.dot`: operands and result are contiguous tensors;
//  - in a `graph.fusion` that holds nothing but one dot, the view operations
//    above it down from block arguments and those between it and the yield:
//
//      %r = graph.fusion(%qkv, %k) : ... {
//      ^bb0(%a: tensor<2x16x12x8xf32>, %b: tensor<2x4x16x8xf32>):
//        %q = graph.slice %a ...
//        %t = graph.transpose %q perm = [0, 2, 1, 3] ...
//        %s = graph.dot %t, %b batch = [0, 1] x [0, 1] contract = [3] x [3] ...
//        graph.yield %s
//      }
//
// For both, `getGemmForm` succeeds: it is all that a lowering needs.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_ANALYSIS_GEMMFORM_H
#define GRAPH_ANALYSIS_GEMMFORM_H

#include "graph/Analysis/StridedView.h"

namespace graph {

/// A batch of matrices in the memory of `base`: an operand or result of a dot
/// that stands alone, a block argument or yielded value in a fusion. Offset and
/// strides count elements. One of `rowStride` and `columnStride` is 1, the
/// other at least the extent along it (a leading dimension as BLAS wants it).
struct MatrixView {
  mlir::Value base;
  int64_t offset = 0;
  /// One per batch dimension; 0 uses the same matrix again.
  llvm::SmallVector<int64_t> batchStrides;
  int64_t rowStride = 1, columnStride = 1;
};

/// c[batch][i, j] = sum over l of a[batch][i, l] * b[batch][l, j] with i < m,
/// j < n, l < k. `c.columnStride` is 1. No extent is 0 after
/// `--graph-prepare-dots`. The three have one element type.
struct GemmForm {
  llvm::SmallVector<int64_t> batch;
  int64_t m = 1, n = 1, k = 1;
  MatrixView a, b, c;
};

/// The form of a dot whose operands and result lie in memory as the views say
/// (`result` is the view of the dot's own result). Fails where some matrix has
/// no stride of 1, or where contracted dimensions do not nest.
llvm::FailureOr<GemmForm> getGemmForm(DotOp dot, const StridedView &lhs,
                                      const StridedView &rhs,
                                      const StridedView &result);

/// The form of a dot that stands alone.
llvm::FailureOr<GemmForm> getGemmForm(DotOp dot);

/// The dot of a fusion that was formed by `--graph-prepare-dots`: nothing but
/// views beside it. Null in any other fusion.
DotOp getFusedDot(FusionOp fusion);

/// The form of such a fusion: bases of a and b are block arguments, that of c
/// is the yielded value.
llvm::FailureOr<GemmForm> getGemmForm(FusionOp fusion);

/// The form of a dot or of such a fusion, with operands of `op` as the bases of
/// a and b, and its result as that of c. Fails for other operations.
llvm::FailureOr<GemmForm> getGemmForm(mlir::Operation *op);

} // namespace graph

#endif // GRAPH_ANALYSIS_GEMMFORM_H
