//===- Tensor.cpp - Dense arrays ------------------------------------------===//

#include "Tensor.h"
#include "DlpackLayout.h"
#include "Memory.h"

#include <algorithm>
#include <cstring>

using namespace graphrt;
using namespace graphrt::rt;

namespace {

Failure invalid(std::string message) {
  return {ErrorCode::InvalidArgument, std::move(message)};
}

struct DlpackType {
  DLDataTypeCode code;
  uint8_t bits;
};

/// In the order of ElementType.
constexpr DlpackType dlpackTypes[numElementTypes] = {
    {kDLFloat, 64}, {kDLFloat, 32}, {kDLBfloat, 16},
    {kDLFloat, 16}, {kDLBool, 8},   {kDLInt, 8},
    {kDLInt, 16},   {kDLInt, 32},   {kDLInt, 64}};

Expected<ElementType> fromDlpackType(DLDataType type) {
  for (unsigned i = 0; i < numElementTypes; ++i)
    if (dlpackTypes[i].code == type.code && dlpackTypes[i].bits == type.bits &&
        type.lanes == 1)
      return static_cast<ElementType>(i);
  return invalid("found DLPack type code " + std::to_string(type.code) +
                 " with " + std::to_string(type.bits) + " bits and " +
                 std::to_string(type.lanes) +
                 " lanes, expected one of f64, f32, bf16, f16, bool, i8 to "
                 "i64");
}

bool isRowMajor(const DLTensor &tensor) {
  uint64_t expected = 1;
  for (int32_t d = tensor.ndim; d-- > 0;) {
    if (tensor.shape[d] > 1 && uint64_t(tensor.strides[d]) != expected)
      return false;
    expected *= std::max<int64_t>(tensor.shape[d], 1);
  }
  return true;
}

/// What an exported tensor keeps alive.
struct Export {
  DLManagedTensorVersioned managed = {};
  Tensor tensor;
  std::vector<int64_t> strides;
};

} // namespace

Expected<Tensor> Tensor::describe(ElementType type,
                                  std::vector<int64_t> shape) {
  if (static_cast<unsigned>(type) >= numElementTypes)
    return invalid("found element type " +
                   std::to_string(static_cast<unsigned>(type)) +
                   ", expected 0 to " + std::to_string(numElementTypes - 1));
  Tensor tensor;
  tensor.type = type;
  tensor.shape = std::move(shape);
  int64_t bytes = byteSize(type);
  bool isEmpty = false;
  for (int64_t extent : tensor.shape) {
    if (extent < 0)
      return invalid("found extent " + std::to_string(extent) +
                     " in a shape, expected one that is not negative");
    isEmpty |= extent == 0;
    if (__builtin_mul_overflow(bytes, std::max<int64_t>(extent, 1), &bytes))
      return invalid("found a shape whose size exceeds 63 bits");
  }
  tensor.bytes = isEmpty ? 0 : bytes;
  return tensor;
}

void Tensor::allocate() {
  AlignedMemory memory = allocateAligned(bytes);
  data = memory.get();
  owner = std::shared_ptr<char[]>(std::move(memory));
}

Expected<Tensor> Tensor::create(ElementType type, std::vector<int64_t> shape) {
  Expected<Tensor> tensor = describe(type, std::move(shape));
  if (!tensor)
    return tensor;
  tensor->allocate();
  std::memset(tensor->data, 0, tensor->bytes);
  return tensor;
}

Expected<Tensor> Tensor::borrow(void *data, ElementType type,
                                std::vector<int64_t> shape,
                                void (*release)(void *), void *context) {
  Expected<Tensor> tensor = describe(type, std::move(shape));
  if (!tensor)
    return tensor;
  if (!data && tensor->bytes)
    return invalid("found a null pointer, expected the memory of " +
                   typeName(type, tensor->shape));
  if (reinterpret_cast<uintptr_t>(data) % byteSize(type))
    return invalid("found memory that is not aligned to the " +
                   std::to_string(byteSize(type)) + " bytes of an element of " +
                   typeName(type, tensor->shape));
  tensor->data = static_cast<char *>(data);
  if (release)
    tensor->owner = std::shared_ptr<void>(context, release);
  return tensor;
}

Expected<Tensor> Tensor::fromDlpack(DLManagedTensorVersioned *managed) {
  constexpr uint32_t major = 1;
  if (managed->version.major != major)
    return Failure{
        ErrorCode::Unsupported,
        "found DLPack version " + std::to_string(managed->version.major) + "." +
            std::to_string(managed->version.minor) + ", expected 1.x"};
  const DLTensor &source = managed->dl_tensor;
  if (source.device.device_type != kDLCPU)
    return invalid("found a tensor on DLPack device type " +
                   std::to_string(source.device.device_type) +
                   ", expected 1 (CPU)");
  Expected<ElementType> type = fromDlpackType(source.dtype);
  if (!type)
    return type.failure();
  if (source.ndim < 0)
    return invalid("found a tensor of rank " + std::to_string(source.ndim) +
                   ", expected one that is not negative");
  if (source.strides && !isRowMajor(source))
    return invalid("found strides of a tensor that is not row-major without "
                   "gaps");
  Expected<Tensor> tensor = borrow(
      static_cast<char *>(source.data) + source.byte_offset, *type,
      std::vector<int64_t>(source.shape, source.shape + source.ndim),
      [](void *context) {
        auto *managed = static_cast<DLManagedTensorVersioned *>(context);
        if (managed->deleter)
          managed->deleter(managed);
      },
      managed);
  if (tensor)
    tensor->isReadOnly = managed->flags & dlpackReadOnly;
  return tensor;
}

DLManagedTensorVersioned *Tensor::toDlpack() const {
  auto result = std::make_unique<Export>();
  result->tensor = *this;
  DLManagedTensorVersioned &managed = result->managed;
  managed.version = {1, 0};
  managed.manager_ctx = result.get();
  managed.deleter = [](DLManagedTensorVersioned *self) {
    delete static_cast<Export *>(self->manager_ctx);
  };
  managed.flags = isReadOnly ? dlpackReadOnly : 0;
  // DLPack 1.2 forbids null strides.
  result->strides.resize(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    result->strides[d] = stride;
    stride *= std::max<int64_t>(shape[d], 1);
  }
  DlpackType dlpackType = dlpackTypes[static_cast<unsigned>(type)];
  managed.dl_tensor = {data,
                       {kDLCPU, 0},
                       static_cast<int32_t>(shape.size()),
                       {dlpackType.code, dlpackType.bits, 1},
                       result->tensor.shape.data(),
                       result->strides.data(),
                       0};
  return &result.release()->managed;
}

std::string graphrt::rt::typeName(ElementType type,
                                  const std::vector<int64_t> &shape) {
  std::string text = "tensor<";
  for (int64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text + name(type) + ">";
}

std::vector<int64_t> graphrt::rt::shapeOf(const fb::TensorType &type) {
  if (!type.shape())
    return {};
  return {type.shape()->begin(), type.shape()->end()};
}

std::string graphrt::rt::typeName(const fb::TensorType &type) {
  return typeName(static_cast<ElementType>(type.element_type()), shapeOf(type));
}
