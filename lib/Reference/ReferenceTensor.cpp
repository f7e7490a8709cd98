//===- ReferenceTensor.cpp - A tensor of the interpreter ------------------===//

#include "graph/Reference/ReferenceTensor.h"

#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace graph;

ReferenceTensor::ReferenceTensor(RankedTensorType type) : type(type) {
  if (isa<FloatType>(type.getElementType()))
    storage = Floats(type.getNumElements());
  else
    storage = Ints(type.getNumElements());
}

double graph::roundToType(FloatType type, double value) {
  if (type.isF64())
    return value;
  if (type.isF32())
    return static_cast<float>(value);
  APFloat number(value);
  bool losesInfo;
  number.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return number.convertToDouble();
}

int64_t graph::wrapToWidth(int64_t value, unsigned width) {
  if (width == 1)
    return value & 1;
  return llvm::SignExtend64(static_cast<uint64_t>(value), width);
}

static double toDouble(APFloat number) {
  bool losesInfo;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return number.convertToDouble();
}

static int64_t toInt64(const APInt &number) {
  return number.getBitWidth() == 1 ? number.getZExtValue()
                                   : number.getSExtValue();
}

/// The attribute with its elements in reach: a resource as dense elements,
/// null where its data is absent.
static DenseElementsAttr resolve(ElementsAttr attr) {
  auto resource = dyn_cast<DenseResourceElementsAttr>(attr);
  if (!resource)
    return dyn_cast<DenseElementsAttr>(attr);
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!blob)
    return {};
  ArrayRef<char> data = blob->getData();
  bool isSplat;
  if (!DenseElementsAttr::isValidRawBuffer(resource.getType(), data, isSplat))
    return {};
  return DenseElementsAttr::getFromRawBuffer(resource.getType(), data);
}

FailureOr<ReferenceTensor> graph::getConstantElements(ElementsAttr attr) {
  DenseElementsAttr dense = resolve(attr);
  if (!dense)
    return failure();
  ReferenceTensor tensor(cast<RankedTensorType>(dense.getType()));
  if (tensor.isFloat())
    llvm::transform(dense.getValues<APFloat>(), tensor.floats().begin(),
                    toDouble);
  else
    llvm::transform(dense.getValues<APInt>(), tensor.ints().begin(), toInt64);
  return tensor;
}
