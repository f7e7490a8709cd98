//===- ConstantData.cpp - The bytes of constants --------------------------===//

#include "ConstantData.h"
#include "graph/Dialect/Exec/IR/ExecOps.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

static void appendInteger(const APInt &value, int64_t size,
                          std::string &bytes) {
  uint64_t word = value.getZExtValue();
  for (int64_t i = 0; i < size; ++i)
    bytes.push_back(static_cast<char>(word >> (8 * i)));
}

LogicalResult graph::appendElements(ElementsAttr value, std::string &bytes) {
  ShapedType type = value.getShapedType();
  int64_t elementSize = exec::getElementSize(type.getElementType());
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob ||
        blob->getData().size() != static_cast<size_t>(exec::getByteSize(type)))
      return failure();
    bytes.append(blob->getData().data(), blob->getData().size());
    return success();
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense)
    return failure();
  if (dense.isSplat()) {
    std::string element;
    auto first = dense.getType().getElementType().isInteger()
                     ? dense.getSplatValue<APInt>()
                     : dense.getSplatValue<APFloat>().bitcastToAPInt();
    appendInteger(first, elementSize, element);
    for (int64_t i = 0; i < type.getNumElements(); ++i)
      bytes += element;
    return success();
  }
  if (!type.getElementType().isInteger(1)) {
    bytes.append(dense.getRawData().data(), dense.getRawData().size());
    return success();
  }
  for (bool element : dense.getValues<bool>())
    bytes.push_back(element);
  return success();
}
