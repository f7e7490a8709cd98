//===- TensorMaps.cpp - Descriptions of tensors for TMA copies ------------===//

#include "TensorMaps.h"

#include "graphrt/ElementType.h"

using namespace graphrt;
using namespace graphrt::cuda;

namespace {

/// What is outside of a tensor reads as zero, so that elements may be any type
/// of their size.
CUtensorMapDataType dataType(ElementType type) {
  switch (byteSize(type)) {
  case 1:
    return CU_TENSOR_MAP_DATA_TYPE_UINT8;
  case 2:
    return CU_TENSOR_MAP_DATA_TYPE_UINT16;
  case 4:
    return CU_TENSOR_MAP_DATA_TYPE_UINT32;
  default:
    return CU_TENSOR_MAP_DATA_TYPE_UINT64;
  }
}

} // namespace

Expected<CUtensorMap> graphrt::cuda::encodeTensorMap(const Driver &driver,
                                                     const fb::TensorMap &map,
                                                     char *buffer) {
  constexpr cuuint32_t elementStrides[5] = {1, 1, 1, 1, 1};
  CUtensorMap encoded;
  CUresult result = driver.cuTensorMapEncodeTiled(
      &encoded, dataType(static_cast<ElementType>(map.element_type())),
      map.sizes()->size(), buffer + map.offset(), map.sizes()->data(),
      map.strides()->data(), map.box()->data(), elementStrides,
      CU_TENSOR_MAP_INTERLEAVE_NONE,
      static_cast<CUtensorMapSwizzle>(map.swizzle()),
      CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (Status status = driver.check(result, "describe a tensor to the device"))
    return status.failure();
  return encoded;
}
