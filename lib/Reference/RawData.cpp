//===- RawData.cpp - Tensors as bytes of their element type ---------------===//

#include "graph/Reference/RawData.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace graph;

graphrt::ElementType graph::getRuntimeType(Type elementType) {
  for (unsigned i = 0; i < graphrt::numElementTypes; ++i) {
    auto type = static_cast<graphrt::ElementType>(i);
    if (getElementType(elementType.getContext(), type) == elementType)
      return type;
  }
  llvm_unreachable("not an element type of the graph dialect");
}

Type graph::getElementType(MLIRContext *context, graphrt::ElementType type) {
  Builder builder(context);
  switch (type) {
  case graphrt::ElementType::f64:
    return builder.getF64Type();
  case graphrt::ElementType::f32:
    return builder.getF32Type();
  case graphrt::ElementType::bf16:
    return builder.getBF16Type();
  case graphrt::ElementType::f16:
    return builder.getF16Type();
  case graphrt::ElementType::i1:
    return builder.getI1Type();
  case graphrt::ElementType::i8:
  case graphrt::ElementType::i16:
  case graphrt::ElementType::i32:
  case graphrt::ElementType::i64:
    return builder.getIntegerType(8 * graphrt::byteSize(type));
  }
  llvm_unreachable("unknown element type");
}

static APFloat toAPFloat(FloatType type, double value) {
  APFloat number(value);
  bool losesInfo;
  number.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return number;
}

std::vector<uint8_t> graph::toBytes(const ReferenceTensor &tensor) {
  size_t size = graphrt::byteSize(getRuntimeType(tensor.getElementType()));
  std::vector<uint8_t> bytes(tensor.getNumElements() * size);
  auto store = [&](int64_t i, uint64_t bits) {
    for (size_t byte = 0; byte < size; ++byte)
      bytes[i * size + byte] = bits >> (8 * byte);
  };
  if (auto type = dyn_cast<FloatType>(tensor.getElementType()))
    for (auto [i, value] : llvm::enumerate(tensor.floats()))
      store(i, toAPFloat(type, value).bitcastToAPInt().getZExtValue());
  else
    for (auto [i, value] : llvm::enumerate(tensor.ints()))
      store(i, value);
  return bytes;
}

ReferenceTensor graph::fromBytes(RankedTensorType type,
                                 ArrayRef<uint8_t> bytes) {
  ReferenceTensor tensor(type);
  size_t size = graphrt::byteSize(getRuntimeType(type.getElementType()));
  assert(bytes.size() == tensor.getNumElements() * size && "wrong size");
  auto load = [&](int64_t i) {
    uint64_t bits = 0;
    for (size_t byte = 0; byte < size; ++byte)
      bits |= uint64_t(bytes[i * size + byte]) << (8 * byte);
    return bits;
  };
  if (auto element = dyn_cast<FloatType>(type.getElementType()))
    for (auto [i, value] : llvm::enumerate(tensor.floats())) {
      APFloat number(element.getFloatSemantics(), APInt(8 * size, load(i)));
      bool losesInfo;
      number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                     &losesInfo);
      value = number.convertToDouble();
    }
  else
    for (auto [i, value] : llvm::enumerate(tensor.ints()))
      value = wrapToWidth(load(i), tensor.getWidth());
  return tensor;
}

llvm::Expected<ReferenceTensor> graph::readNpy(const std::string &path,
                                               RankedTensorType type) {
  graphrt::Expected<graphrt::npy::Array> array = graphrt::npy::readFile(path);
  if (!array)
    return llvm::createStringError(array.failure().message);
  auto found = RankedTensorType::get(
      array->shape, getElementType(type.getContext(), array->type));
  if (found != type) {
    std::string message;
    llvm::raw_string_ostream(message)
        << '\'' << path << "': found " << found << ", expected " << type;
    return llvm::createStringError(message);
  }
  return fromBytes(type, array->data);
}

llvm::Error graph::writeNpy(const std::string &path,
                            const ReferenceTensor &tensor) {
  graphrt::npy::Array array{getRuntimeType(tensor.getElementType()),
                            tensor.getShape().vec(), toBytes(tensor)};
  if (graphrt::Status status = graphrt::npy::writeFile(path, array))
    return llvm::createStringError(status.failure().message);
  return llvm::Error::success();
}
