//===- TensorMaps.h - Descriptions of tensors for TMA copies ----*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_DRIVER_TENSORMAPS_H
#define GRAPHRT_EMULATOR_DRIVER_TENSORMAPS_H

#include "Outcome.h"

#include <cstdint>

namespace graphrt::driver {

/// A tensor, dimension 0 the innermost, and the box of it that a copy moves.
struct TensorDescription {
  CUtensorMapDataType type;
  uint32_t rank;
  uint64_t address;
  /// In elements; one for each dimension.
  const cuuint64_t *extents;
  /// In bytes; for dimensions 1 to rank - 1.
  const cuuint64_t *strides;
  const cuuint32_t *box;
  const cuuint32_t *elementStrides;
  CUtensorMapSwizzle swizzle;
  CUtensorMapFloatOOBfill fill;
};

/// Writes what the emulator's TMA copies read. Fails with INVALID_VALUE where a
/// device would, and with NOT_SUPPORTED for types and swizzles that the
/// emulator does not have.
Outcome encodeTensorMap(CUtensorMap *map, const TensorDescription &tensor);

} // namespace graphrt::driver

#endif // GRAPHRT_EMULATOR_DRIVER_TENSORMAPS_H
