//===- ColumnMajorGemm.cpp - Products as BLAS sees them -------------------===//

#include "ColumnMajorGemm.h"

#include <algorithm>

using namespace graphrt;
using namespace graphrt::cuda;

namespace {

bool isRowMajor(const fb::Matrix &matrix, int64_t rows, int64_t columns) {
  return (columns == 1 || matrix.column_stride() == 1) &&
         (rows == 1 || matrix.row_stride() >= columns);
}

/// A matrix of rows x columns, or of its transpose if `transpose` is set, in
/// column-major memory. Strides of dimensions of extent 1 mean nothing.
ColumnMajorMatrix view(const fb::Matrix &matrix, int64_t rows, int64_t columns,
                       bool transpose) {
  ColumnMajorMatrix result;
  result.buffer = matrix.buffer();
  if (isRowMajor(matrix, rows, columns)) {
    // Memory holds the transpose by columns.
    result.rows = columns;
    result.columns = rows;
    result.leadingDimension =
        rows == 1 ? columns : std::max(matrix.row_stride(), columns);
    result.isTransposed = !transpose;
  } else {
    result.rows = rows;
    result.columns = columns;
    result.leadingDimension =
        columns == 1 ? rows : std::max(matrix.column_stride(), rows);
    result.isTransposed = transpose;
  }
  return result;
}

} // namespace

ColumnMajorGemm::ColumnMajorGemm(const fb::Gemm &gemm) {
  isExchanged = isRowMajor(*gemm.c(), gemm.m(), gemm.n());
  k = gemm.k();
  c = view(*gemm.c(), gemm.m(), gemm.n(), isExchanged);
  if (isExchanged) {
    m = gemm.n();
    n = gemm.m();
    a = view(*gemm.b(), k, gemm.n(), /*transpose=*/true);
    b = view(*gemm.a(), gemm.m(), k, /*transpose=*/true);
  } else {
    m = gemm.m();
    n = gemm.n();
    a = view(*gemm.a(), gemm.m(), k, /*transpose=*/false);
    b = view(*gemm.b(), k, gemm.n(), /*transpose=*/false);
  }
  collapseBatch(gemm);
}

/// Joins dimensions of the batch that step evenly through all three matrices,
/// and leaves the innermost to the library.
void ColumnMajorGemm::collapseBatch(const fb::Gemm &gemm) {
  if (!gemm.batch())
    return;
  const fb::Matrix *matrices[3] = {isExchanged ? gemm.b() : gemm.a(),
                                   isExchanged ? gemm.a() : gemm.b(), gemm.c()};
  for (size_t d = 0; d < gemm.batch()->size(); ++d) {
    OuterDimension next{gemm.batch()->Get(d), {}};
    for (int i = 0; i < 3; ++i)
      next.strides[i] = matrices[i]->batch_strides()->Get(d);
    if (next.extent == 1)
      continue;
    bool isEven = !outer.empty();
    for (int i = 0; isEven && i < 3; ++i)
      isEven = outer.back().strides[i] == next.extent * next.strides[i];
    if (isEven)
      next.extent *= outer.back().extent;
    if (isEven)
      outer.back() = next;
    else
      outer.push_back(next);
  }
  if (outer.empty())
    return;
  batch = outer.back().extent;
  ColumnMajorMatrix *views[3] = {&a, &b, &c};
  for (int i = 0; i < 3; ++i)
    views[i]->batchStride = outer.back().strides[i];
  outer.pop_back();
}
