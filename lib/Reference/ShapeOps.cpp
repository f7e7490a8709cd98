//===- ShapeOps.cpp - Sources and movements of elements -------------------===//

#include "graph/Reference/Ops.h"

#include "Strided.h"

using namespace mlir;
using namespace graph;

ReferenceTensor reference::iota(int64_t dim, RankedTensorType type) {
  ReferenceTensor result(type);
  ArrayRef<int64_t> shape = type.getShape();
  int64_t stride = computeStrides(shape)[dim];
  for (int64_t i = 0, e = result.getNumElements(); i < e; ++i) {
    int64_t position = i / stride % shape[dim];
    if (result.isFloat())
      result.floats()[i] = position;
    else
      result.ints()[i] = wrapToWidth(position, result.getWidth());
  }
  return result;
}

ReferenceTensor reference::broadcast(const ReferenceTensor &x,
                                     ArrayRef<int64_t> dims,
                                     RankedTensorType type) {
  ReferenceTensor result(type);
  Strided from(x.getShape()), repeated;
  repeated.strides.assign(type.getRank(), 0);
  for (auto [dim, stride] : llvm::zip_equal(dims, from.strides))
    repeated.strides[dim] = stride;
  copyElements(type.getShape(), x, repeated, result, Strided(type.getShape()));
  return result;
}

ReferenceTensor reference::reshape(const ReferenceTensor &x,
                                   RankedTensorType type) {
  return dispatchByStorage(x, [&]<typename T>(T *) {
    return ReferenceTensor(type, x.elements<T>().vec());
  });
}

ReferenceTensor reference::transpose(const ReferenceTensor &x,
                                     ArrayRef<int64_t> perm) {
  SmallVector<int64_t> shape = applyPermutation(x.getShape(), perm);
  ReferenceTensor result(x.getType().clone(shape));
  Strided from(x.getShape());
  applyPermutationToVector(from.strides, perm);
  copyElements(shape, x, from, result, Strided(shape));
  return result;
}

ReferenceTensor reference::slice(const ReferenceTensor &x,
                                 ArrayRef<int64_t> starts,
                                 ArrayRef<int64_t> strides,
                                 RankedTensorType type) {
  ReferenceTensor result(type);
  Strided from(x.getShape());
  from.moveTo(starts);
  from.stretch(strides);
  copyElements(type.getShape(), x, from, result, Strided(type.getShape()));
  return result;
}

ReferenceTensor reference::pad(const ReferenceTensor &x, Attribute value,
                               ArrayRef<int64_t> low,
                               ArrayRef<int64_t> interior,
                               RankedTensorType type) {
  FailureOr<ReferenceTensor> padding =
      getConstantElements(DenseElementsAttr::get(type, value));
  ReferenceTensor result = std::move(*padding);
  Strided to(type.getShape());
  to.moveTo(low);
  to.stretch(llvm::map_to_vector(interior, [](int64_t n) { return n + 1; }));
  copyElements(x.getShape(), x, Strided(x.getShape()), result, to);
  return result;
}

ReferenceTensor reference::concat(ArrayRef<const ReferenceTensor *> xs,
                                  int64_t dim, RankedTensorType type) {
  ReferenceTensor result(type);
  SmallVector<int64_t> position(type.getRank(), 0);
  for (const ReferenceTensor *x : xs) {
    Strided to(type.getShape());
    to.moveTo(position);
    copyElements(x->getShape(), *x, Strided(x->getShape()), result, to);
    position[dim] += x->getShape()[dim];
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Rows by index
//===----------------------------------------------------------------------===//

/// The row that `index` names in a table of `numRows`, none if it names no row.
static std::optional<int64_t> getRow(int64_t index, int64_t numRows,
                                     IndexMode mode) {
  if (index >= 0 && index < numRows)
    return index;
  if (mode == IndexMode::fill || numRows == 0)
    return std::nullopt;
  return index < 0 ? 0 : numRows - 1;
}

/// Calls `fn(i, row)` with the number of an index and the row it names.
static void forEachRow(const ReferenceTensor &indices, int64_t numRows,
                       IndexMode mode,
                       function_ref<void(int64_t, int64_t)> fn) {
  for (auto [i, index] : llvm::enumerate(indices.ints()))
    if (std::optional<int64_t> row = getRow(index, numRows, mode))
      fn(i, *row);
}

static int64_t getRowSize(const ReferenceTensor &table) {
  return llvm::product_of(table.getShape().drop_front());
}

ReferenceTensor reference::gather(const ReferenceTensor &table,
                                  const ReferenceTensor &indices,
                                  IndexMode mode, RankedTensorType type) {
  ReferenceTensor result(type);
  int64_t size = getRowSize(table);
  dispatchByStorage(table, [&]<typename T>(T *) {
    forEachRow(indices, table.getShape()[0], mode, [&](int64_t i, int64_t row) {
      llvm::copy(table.elements<T>().slice(row * size, size),
                 result.elements<T>().begin() + i * size);
    });
  });
  return result;
}

ReferenceTensor reference::scatterAdd(const ReferenceTensor &init,
                                      const ReferenceTensor &indices,
                                      const ReferenceTensor &updates,
                                      IndexMode mode) {
  ReferenceTensor result = init;
  int64_t size = getRowSize(init);
  unsigned width = init.getWidth();
  forEachRow(indices, init.getShape()[0], mode, [&](int64_t i, int64_t row) {
    for (int64_t column = 0; column < size; ++column) {
      int64_t from = i * size + column, to = row * size + column;
      if (init.isFloat())
        result.floats()[to] += updates.floats()[from];
      else
        result.ints()[to] = wrapToWidth(uint64_t(result.ints()[to]) +
                                            uint64_t(updates.ints()[from]),
                                        width);
    }
  });
  return result;
}
