//===- TensorMaps.cpp - Descriptions of tensors for TMA copies ------------===//

#include "TensorMaps.h"

#include "exec/TensorMap.h"

#include <cstring>
#include <string>

using namespace graphrt;
using namespace graphrt::driver;

namespace {

Fault invalid(const std::string &what, uint64_t found,
              const std::string &expected) {
  return {CUDA_ERROR_INVALID_VALUE, "found " + what + " " +
                                        std::to_string(found) + ", expected " +
                                        expected};
}

/// Bytes of an element; 0 for types that the emulator does not have.
uint8_t elementBytes(CUtensorMapDataType type) {
  switch (type) {
  case CU_TENSOR_MAP_DATA_TYPE_UINT8:
    return 1;
  case CU_TENSOR_MAP_DATA_TYPE_UINT16:
  case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
  case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16:
    return 2;
  case CU_TENSOR_MAP_DATA_TYPE_UINT32:
  case CU_TENSOR_MAP_DATA_TYPE_INT32:
  case CU_TENSOR_MAP_DATA_TYPE_FLOAT32:
  case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32:
    return 4;
  case CU_TENSOR_MAP_DATA_TYPE_UINT64:
  case CU_TENSOR_MAP_DATA_TYPE_INT64:
  case CU_TENSOR_MAP_DATA_TYPE_FLOAT64:
    return 8;
  default:
    return 0;
  }
}

/// Bytes of the pattern's span; 0 for none.
uint32_t swizzleSpan(exec::TensorMap::Swizzle swizzle) {
  return swizzle == exec::TensorMap::Swizzle::None ? 0
                                                   : 16u << unsigned(swizzle);
}

Outcome checkDimension(const TensorDescription &tensor, uint32_t d) {
  if (tensor.extents[d] == 0 || tensor.extents[d] > UINT32_MAX)
    return invalid("an extent of", tensor.extents[d], "from 1 to 2^32 - 1");
  if (tensor.box[d] == 0 || tensor.box[d] > 256)
    return invalid("a box of", tensor.box[d], "from 1 to 256");
  if (tensor.elementStrides[d] == 0 || tensor.elementStrides[d] > 8)
    return invalid("an element stride of", tensor.elementStrides[d],
                   "from 1 to 8");
  if (d == 0)
    return {};
  uint64_t stride = tensor.strides[d - 1];
  if (stride % 16 || stride >= uint64_t(1) << 40)
    return invalid("a stride of", stride, "a multiple of 16 bytes below 2^40");
  return {};
}

} // namespace

Outcome graphrt::driver::encodeTensorMap(CUtensorMap *map,
                                         const TensorDescription &tensor) {
  exec::TensorMap encoded = {};
  encoded.magic = exec::TensorMap::expectedMagic;
  // A reference would promise the alignment.
  if (reinterpret_cast<uint64_t>(map) % 64)
    return invalid("a tensor map at", reinterpret_cast<uint64_t>(map),
                   "an address aligned to 64 bytes");
  if (tensor.rank < 1 || tensor.rank > 5)
    return invalid("a rank of", tensor.rank, "from 1 to 5");
  encoded.rank = tensor.rank;
  if (tensor.address % 16)
    return invalid("a tensor at", tensor.address,
                   "an address aligned to 16 bytes");
  encoded.address = tensor.address;
  encoded.elementBytes = elementBytes(tensor.type);
  if (encoded.elementBytes == 0)
    return Fault{CUDA_ERROR_NOT_SUPPORTED,
                 "found tensor map type " + std::to_string(tensor.type) +
                     ", which the emulator does not have"};
  if (tensor.swizzle > CU_TENSOR_MAP_SWIZZLE_128B)
    return Fault{CUDA_ERROR_NOT_SUPPORTED,
                 "found swizzle " + std::to_string(tensor.swizzle) +
                     ", expected none or one of 32, 64 or 128 bytes"};
  encoded.swizzle = exec::TensorMap::Swizzle(tensor.swizzle);
  encoded.fillsNan = tensor.fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
  for (uint32_t d = 0; d < tensor.rank; ++d) {
    if (Outcome outcome = checkDimension(tensor, d))
      return outcome;
    encoded.extents[d] = uint32_t(tensor.extents[d]);
    encoded.box[d] = tensor.box[d];
    encoded.elementStrides[d] = tensor.elementStrides[d];
    if (d > 0)
      encoded.strides[d - 1] = tensor.strides[d - 1];
  }
  uint64_t row = uint64_t(tensor.box[0]) * encoded.elementBytes;
  if (row % 16)
    return invalid("box rows of", row, "a multiple of 16 bytes");
  uint32_t span = swizzleSpan(encoded.swizzle);
  if (span && row > span)
    return invalid("box rows of", row,
                   "at most the swizzle's " + std::to_string(span) + " bytes");
  static_assert(sizeof(*map) == sizeof(encoded));
  std::memcpy(map, &encoded, sizeof(encoded));
  return {};
}
