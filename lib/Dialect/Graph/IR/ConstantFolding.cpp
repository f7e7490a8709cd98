//===- ConstantFolding.cpp - Evaluation on constant tensors ---------------===//

#include "ConstantFolding.h"

using namespace mlir;
using namespace graph;
using llvm::APFloat;
using llvm::APInt;

bool graph::isFoldable(RankedTensorType type) {
  int64_t bytes =
      llvm::divideCeil(type.getElementType().getIntOrFloatBitWidth(), 8);
  return type.getNumElements() <= kFoldedBytes / bytes;
}

DenseElementsAttr graph::getElements(Attribute attr) {
  auto elements = dyn_cast_if_present<DenseElementsAttr>(attr);
  return elements && elements.getNumElements() != 0 ? elements : nullptr;
}

APFloat graph::convert(APFloat x, const llvm::fltSemantics &semantics) {
  bool losesInfo;
  x.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return x;
}

APFloat graph::round(APFloat x, const llvm::fltSemantics &semantics) {
  if (APFloat::getSizeInBits(semantics) < 32)
    x = convert(x, APFloat::IEEEsingle());
  return convert(x, semantics);
}

bool graph::isSplatOf(Attribute attr, double number) {
  DenseElementsAttr elements = getElements(attr);
  if (!elements || !elements.isSplat())
    return false;
  if (auto type = dyn_cast<FloatType>(elements.getElementType())) {
    APFloat expected = round(APFloat(number), type.getFloatSemantics());
    return elements.getSplatValue<APFloat>().bitwiseIsEqual(expected);
  }
  APInt value = elements.getSplatValue<APInt>();
  if (value.getBitWidth() == 1)
    return value.getBoolValue() == (number != 0);
  return value.getSExtValue() == static_cast<int64_t>(number);
}

Attribute graph::moveElements(RankedTensorType type, Attribute operand,
                              function_ref<int64_t(int64_t)> source) {
  DenseElementsAttr elements = getElements(operand);
  if (!elements || type.getNumElements() == 0)
    return {};
  if (elements.isSplat())
    return elements.resizeSplat(type);
  if (!isFoldable(type))
    return {};
  auto move = [&]<typename T>(T) -> Attribute {
    auto from = elements.value_begin<T>();
    SmallVector<T> result;
    for (int64_t i = 0, e = type.getNumElements(); i < e; ++i)
      result.push_back(*(from + source(i)));
    return DenseElementsAttr::get(type, ArrayRef<T>(result));
  };
  if (isa<FloatType>(type.getElementType()))
    return move(APFloat(0.0));
  return move(APInt());
}

SmallVector<int64_t> graph::delinearize(int64_t i, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> position(shape.size());
  for (size_t dim = shape.size(); dim-- > 0; i /= shape[dim])
    position[dim] = i % shape[dim];
  return position;
}

int64_t graph::linearize(ArrayRef<int64_t> position, ArrayRef<int64_t> shape) {
  int64_t i = 0;
  for (auto [at, size] : llvm::zip_equal(position, shape))
    i = i * size + at;
  return i;
}
