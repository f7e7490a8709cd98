//===- ColumnMajorGemm.h - Products as BLAS sees them -----------*- C++ -*-===//
//
// BLAS stores matrices by columns. The transpose of a row-major matrix is
// column-major in the same memory, so a product with a row-major result is
// given to the library as
//
//   c^T[n, m] = b^T[n, k] * a^T[k, m]
//
// with the operands exchanged. A product whose result is column-major keeps
// their order.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPHRT_CUDA_COLUMNMAJORGEMM_H
#define GRAPHRT_CUDA_COLUMNMAJORGEMM_H

#include "graphrt/artifact/program_generated.h"

#include <vector>

namespace graphrt::cuda {

/// A matrix in column-major memory, and whether it is read transposed.
struct ColumnMajorMatrix {
  const fb::Buffer *buffer;
  /// Of the memory, before the transposition.
  int64_t rows, columns;
  /// Elements from one column to the next.
  int64_t leadingDimension;
  bool isTransposed;
  /// Elements from one matrix of the batch to the next.
  int64_t batchStride = 0;
};

/// A dimension of the batch that one call of the library does not cover, with
/// the strides of a, b and c in elements.
struct OuterDimension {
  int64_t extent;
  int64_t strides[3];
};

struct ColumnMajorGemm {
  /// Extents of the result and of the sum.
  int64_t m, n, k;
  ColumnMajorMatrix a, b, c;
  /// Whether a and b are the second and the first operand of the command.
  bool isExchanged;
  /// Products in one call of the library, side by side in memory.
  int64_t batch = 1;
  /// What is left of the batch, outermost first.
  std::vector<OuterDimension> outer;

  /// Rewrites a command that the loader has checked. All extents are positive.
  explicit ColumnMajorGemm(const fb::Gemm &gemm);

private:
  void collapseBatch(const fb::Gemm &gemm);
};

} // namespace graphrt::cuda

#endif // GRAPHRT_CUDA_COLUMNMAJORGEMM_H
