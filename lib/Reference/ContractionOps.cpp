//===- ContractionOps.cpp - Reductions and contractions -------------------===//

#include "graph/Reference/Ops.h"

#include "Strided.h"

#include <limits>

using namespace mlir;
using namespace graph;

/// The dimensions that are kept, then those that are reduced: transposed so,
/// the elements that combine to one result element lie next to each other.
static SmallVector<int64_t> keptThenReduced(int64_t rank,
                                            ArrayRef<int64_t> reduced) {
  SmallVector<int64_t> perm;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(reduced, dim))
      perm.push_back(dim);
  llvm::append_range(perm, reduced);
  return perm;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

// The combiner and the neutral element of doubles and of integers. Integers are
// combined in 64 bits and wrapped at the end, which is the same.

static double combine(ReduceKind kind, double a, double b) {
  switch (kind) {
  case ReduceKind::sum:
    return a + b;
  case ReduceKind::prod:
    return a * b;
  case ReduceKind::max:
    return a != a || a > b ? a : b;
  case ReduceKind::min:
    return a != a || a < b ? a : b;
  }
  llvm_unreachable("unknown reduction");
}
static int64_t combine(ReduceKind kind, int64_t a, int64_t b) {
  switch (kind) {
  case ReduceKind::sum:
    return uint64_t(a) + uint64_t(b);
  case ReduceKind::prod:
    return uint64_t(a) * uint64_t(b);
  case ReduceKind::max:
    return std::max(a, b);
  case ReduceKind::min:
    return std::min(a, b);
  }
  llvm_unreachable("unknown reduction");
}

static double getNeutral(ReduceKind kind, double *, unsigned) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  switch (kind) {
  case ReduceKind::sum:
    return 0;
  case ReduceKind::prod:
    return 1;
  case ReduceKind::max:
    return -inf;
  case ReduceKind::min:
    return inf;
  }
  llvm_unreachable("unknown reduction");
}
static int64_t getNeutral(ReduceKind kind, int64_t *, unsigned width) {
  switch (kind) {
  case ReduceKind::sum:
    return 0;
  case ReduceKind::prod:
    return 1;
  case ReduceKind::max:
    return width == 1 ? 0 : llvm::minIntN(width);
  case ReduceKind::min:
    return width == 1 ? 1 : llvm::maxIntN(width);
  }
  llvm_unreachable("unknown reduction");
}

static double finish(double value, unsigned) { return value; }
static int64_t finish(int64_t value, unsigned width) {
  return wrapToWidth(value, width);
}

ReferenceTensor reference::reduce(ReduceKind kind, const ReferenceTensor &x,
                                  ArrayRef<int64_t> dims) {
  ReferenceTensor rows =
      transpose(x, keptThenReduced(x.getType().getRank(), dims));
  ArrayRef<int64_t> shape = rows.getShape();
  int64_t count = computeProduct(shape.take_back(dims.size()));
  ReferenceTensor result(x.getType().clone(shape.drop_back(dims.size())));
  dispatchByStorage(x, [&]<typename T>(T *tag) {
    ArrayRef<T> in = rows.elements<T>();
    for (auto [i, out] : llvm::enumerate(result.elements<T>())) {
      T value = getNeutral(kind, tag, x.getWidth());
      for (T element : in.slice(i * count, count))
        value = combine(kind, value, element);
      out = finish(value, x.getWidth());
    }
  });
  return result;
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// An operand of a dot as `[batch, free, contracted]`, each of one dimension.
struct DotOperand {
  ReferenceTensor tensor;
  int64_t batch, free, contracted;

  DotOperand(const ReferenceTensor &x, ArrayRef<int64_t> batchDims,
             ArrayRef<int64_t> contractedDims)
      : tensor(x) {
    SmallVector<int64_t> reduced(contractedDims), perm(batchDims);
    for (int64_t dim : keptThenReduced(x.getType().getRank(), reduced))
      if (!llvm::is_contained(batchDims, dim))
        perm.push_back(dim);
    tensor = reference::transpose(x, perm);
    ArrayRef<int64_t> shape = tensor.getShape();
    batch = computeProduct(shape.take_front(batchDims.size()));
    contracted = computeProduct(shape.take_back(reduced.size()));
    free = computeProduct(
        shape.drop_front(batchDims.size()).drop_back(reduced.size()));
  }

  /// The contracted elements of one row.
  template <typename T> ArrayRef<T> getRow(int64_t b, int64_t i) const {
    return tensor.elements<T>().slice((b * free + i) * contracted, contracted);
  }
};

ReferenceTensor
reference::dot(const ReferenceTensor &lhs, const ReferenceTensor &rhs,
               ArrayRef<int64_t> lhsBatch, ArrayRef<int64_t> rhsBatch,
               ArrayRef<int64_t> lhsContract, ArrayRef<int64_t> rhsContract,
               RankedTensorType type) {
  DotOperand l(lhs, lhsBatch, lhsContract), r(rhs, rhsBatch, rhsContract);
  ReferenceTensor result(type);
  dispatchByStorage(lhs, [&]<typename T>(T *) {
    auto out = result.elements<T>().begin();
    for (int64_t b = 0; b < l.batch; ++b)
      for (int64_t i = 0; i < l.free; ++i)
        for (int64_t j = 0; j < r.free; ++j) {
          T sum = 0;
          for (auto [x, y] :
               llvm::zip_equal(l.getRow<T>(b, i), r.getRow<T>(b, j)))
            sum =
                combine(ReduceKind::sum, sum, combine(ReduceKind::prod, x, y));
          *out++ = finish(sum, result.getWidth());
        }
  });
  return result;
}
