//===- GraphShapeFolders.cpp - Folding of movements and reductions --------===//

#include "ConstantFolding.h"

#include <limits>

using namespace mlir;
using namespace graph;
using llvm::APFloat;
using llvm::APInt;

static bool isIdentity(ArrayRef<int64_t> perm) {
  return llvm::equal(perm, llvm::seq<int64_t>(0, perm.size()));
}

//===----------------------------------------------------------------------===//
// Movements
//===----------------------------------------------------------------------===//

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  RankedTensorType from = getOperand().getType();
  if (from == getType())
    return getOperand();
  return moveElements(getType(), adaptor.getOperand(), [&](int64_t i) {
    SmallVector<int64_t> to = delinearize(i, getType().getShape());
    SmallVector<int64_t> position;
    for (int64_t dim : getDims())
      position.push_back(to[dim]);
    return linearize(position, from.getShape());
  });
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  auto inner = getOperand().getDefiningOp<ReshapeOp>();
  if (inner && inner.getOperand().getType() == getType())
    return inner.getOperand();
  return moveElements(getType(), adaptor.getOperand(),
                      [](int64_t i) { return i; });
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (isIdentity(getPerm()))
    return getOperand();
  if (auto inner = getOperand().getDefiningOp<TransposeOp>()) {
    SmallVector<int64_t> perm;
    for (int64_t dim : getPerm())
      perm.push_back(inner.getPerm()[dim]);
    if (isIdentity(perm))
      return inner.getOperand();
  }
  return moveElements(getType(), adaptor.getOperand(), [&](int64_t i) {
    SmallVector<int64_t> to = delinearize(i, getType().getShape());
    SmallVector<int64_t> position(to.size());
    for (auto [at, dim] : llvm::zip_equal(to, getPerm()))
      position[dim] = at;
    return linearize(position, getOperand().getType().getShape());
  });
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  return moveElements(getType(), adaptor.getOperand(), [&](int64_t i) {
    SmallVector<int64_t> position = delinearize(i, getType().getShape());
    for (auto [at, start, stride] :
         llvm::zip_equal(position, getStarts(), getStrides()))
      at = start + at * stride;
    return linearize(position, getOperand().getType().getShape());
  });
}

OpFoldResult PadOp::fold(FoldAdaptor adaptor) {
  RankedTensorType from = getOperand().getType();
  if (from == getType())
    return getOperand();
  DenseElementsAttr elements = getElements(adaptor.getOperand());
  if (!elements || !isFoldable(getType()))
    return {};
  auto pad = [&]<typename T>(const T &value) -> Attribute {
    SmallVector<T> result(getType().getNumElements(), value);
    for (auto [i, element] : llvm::enumerate(elements.getValues<T>())) {
      SmallVector<int64_t> position = delinearize(i, from.getShape());
      for (auto [at, low, interior] :
           llvm::zip_equal(position, getLow(), getInterior()))
        at = low + at * (interior + 1);
      result[linearize(position, getType().getShape())] = element;
    }
    return DenseElementsAttr::get(getType(), ArrayRef<T>(result));
  };
  if (auto value = dyn_cast<FloatAttr>(getValue()))
    return pad(value.getValue());
  return pad(cast<IntegerAttr>(getValue()).getValue());
}

OpFoldResult ConcatOp::fold(FoldAdaptor adaptor) {
  if (getOperands().size() == 1)
    return getOperands().front();
  if (!isFoldable(getType()) ||
      !llvm::all_of(adaptor.getOperands(), getElements))
    return {};
  auto concat = [&]<typename T>(const T &any) -> Attribute {
    SmallVector<T> result(getType().getNumElements(), any);
    int64_t offset = 0;
    for (auto [attr, operand] :
         llvm::zip_equal(adaptor.getOperands(), getOperands())) {
      ArrayRef<int64_t> shape =
          cast<RankedTensorType>(operand.getType()).getShape();
      for (auto [i, element] :
           llvm::enumerate(getElements(attr).getValues<T>())) {
        SmallVector<int64_t> position = delinearize(i, shape);
        position[getDim()] += offset;
        result[linearize(position, getType().getShape())] = element;
      }
      offset += shape[getDim()];
    }
    return DenseElementsAttr::get(getType(), ArrayRef<T>(result));
  };
  if (isa<FloatType>(getType().getElementType()))
    return concat(APFloat(0.0));
  return concat(APInt());
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

static APFloat combine(ReduceKind kind, const APFloat &x, const APFloat &y) {
  switch (kind) {
  case ReduceKind::sum:
    return x + y;
  case ReduceKind::prod:
    return x * y;
  case ReduceKind::max:
    return llvm::maximum(x, y);
  case ReduceKind::min:
    return llvm::minimum(x, y);
  }
  llvm_unreachable("unknown reduction");
}

static APInt combine(ReduceKind kind, const APInt &x, const APInt &y) {
  bool isBool = x.getBitWidth() == 1;
  switch (kind) {
  case ReduceKind::sum:
    return x + y;
  case ReduceKind::prod:
    return x * y;
  case ReduceKind::max:
    return isBool ? x | y : llvm::APIntOps::smax(x, y);
  case ReduceKind::min:
    return isBool ? x & y : llvm::APIntOps::smin(x, y);
  }
  llvm_unreachable("unknown reduction");
}

/// Combines in row-major order; an element is widened by `widen` before and
/// narrowed by `narrow` at the end.
template <typename T, typename Widen, typename Narrow>
static Attribute reduceElements(ReduceOp op, DenseElementsAttr elements,
                                Widen widen, Narrow narrow) {
  RankedTensorType type = op.getType();
  ArrayRef<int64_t> shape = op.getOperand().getType().getShape();
  SmallVector<std::optional<T>> partial(type.getNumElements());
  for (auto [i, element] : llvm::enumerate(elements.getValues<T>())) {
    SmallVector<int64_t> position = delinearize(i, shape), kept;
    for (auto [dim, at] : llvm::enumerate(position))
      if (!llvm::is_contained(op.getDims(), static_cast<int64_t>(dim)))
        kept.push_back(at);
    std::optional<T> &result = partial[linearize(kept, type.getShape())];
    T value = widen(element);
    result = result ? combine(op.getKind(), *result, value) : value;
  }
  SmallVector<T> results;
  for (std::optional<T> &result : partial)
    results.push_back(narrow(*result));
  return DenseElementsAttr::get(type, ArrayRef<T>(results));
}

OpFoldResult ReduceOp::fold(FoldAdaptor adaptor) {
  if (getDims().empty())
    return getOperand();
  RankedTensorType from = getOperand().getType();
  DenseElementsAttr elements = getElements(adaptor.getOperand());
  if (!elements)
    return {};
  bool isExtremum =
      getKind() == ReduceKind::max || getKind() == ReduceKind::min;
  if (isExtremum && elements.isSplat())
    return elements.resizeSplat(getType());
  if (!isFoldable(from))
    return {};
  if (auto type = dyn_cast<FloatType>(from.getElementType())) {
    const llvm::fltSemantics &wide =
        type.getWidth() < 32 ? APFloat::IEEEsingle() : type.getFloatSemantics();
    return reduceElements<APFloat>(
        *this, elements, [&](APFloat x) { return graph::round(x, wide); },
        [&](APFloat x) { return graph::round(x, type.getFloatSemantics()); });
  }
  auto same = [](APInt x) { return x; };
  return reduceElements<APInt>(*this, elements, same, same);
}
