//===- Strided.h - Boxes of elements in row-major storage -------*- C++ -*-===//

#ifndef GRAPH_LIB_REFERENCE_STRIDED_H
#define GRAPH_LIB_REFERENCE_STRIDED_H

#include "graph/Reference/ReferenceTensor.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

namespace graph {

/// Where the elements of a box lie: element i at `offset + sum i[d] *
/// strides[d]`.
struct Strided {
  int64_t offset = 0;
  llvm::SmallVector<int64_t> strides;

  Strided() = default;
  /// All elements of a row-major tensor.
  explicit Strided(llvm::ArrayRef<int64_t> shape)
      : strides(mlir::computeStrides(shape)) {}

  /// Moves the first element to `position`.
  void moveTo(llvm::ArrayRef<int64_t> position) {
    for (auto [stride, i] : llvm::zip_equal(strides, position))
      offset += i * stride;
  }
  /// Takes only each `factors[d]`-th element along dimension d.
  void stretch(llvm::ArrayRef<int64_t> factors) {
    for (auto [stride, factor] : llvm::zip_equal(strides, factors))
      stride *= factor;
  }
};

/// Calls `fn(a, b)` with the storage positions in two boxes of one shape, in
/// row-major order.
template <typename Fn>
void forEachPosition(llvm::ArrayRef<int64_t> shape, const Strided &a,
                     const Strided &b, Fn fn) {
  int64_t left = mlir::computeProduct(shape), i = a.offset, j = b.offset;
  llvm::SmallVector<int64_t> index(shape.size());
  while (left-- > 0) {
    fn(i, j);
    for (size_t dim = shape.size(); dim-- > 0;) {
      i += a.strides[dim];
      j += b.strides[dim];
      if (++index[dim] < shape[dim])
        break;
      index[dim] = 0;
      i -= shape[dim] * a.strides[dim];
      j -= shape[dim] * b.strides[dim];
    }
  }
}

/// Copies a box of `shape` from one tensor to a box of another.
inline void copyElements(llvm::ArrayRef<int64_t> shape,
                         const ReferenceTensor &from, const Strided &source,
                         ReferenceTensor &to, const Strided &target) {
  dispatchByStorage(from, [&]<typename T>(T *) {
    llvm::ArrayRef<T> in = from.elements<T>();
    llvm::MutableArrayRef<T> out = to.elements<T>();
    forEachPosition(shape, source, target,
                    [&](int64_t i, int64_t j) { out[j] = in[i]; });
  });
}

} // namespace graph

#endif // GRAPH_LIB_REFERENCE_STRIDED_H
