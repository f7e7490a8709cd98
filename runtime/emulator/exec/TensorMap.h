//===- TensorMap.h - The emulated CUtensorMap -------------------*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_EXEC_TENSORMAP_H
#define GRAPHRT_EMULATOR_EXEC_TENSORMAP_H

#include <cstdint>

namespace graphrt::exec {

/// What cuTensorMapEncodeTiled writes into the 128 opaque bytes of a
/// CUtensorMap, and cp.async.bulk.tensor reads. Dimension 0 is the innermost.
struct alignas(64) TensorMap {
  static constexpr uint32_t expectedMagic = 0x70616d74;
  enum class Swizzle : uint8_t { None, Bytes32, Bytes64, Bytes128 };

  uint32_t magic;
  /// From 1 to 5.
  uint8_t rank;
  /// 1, 2, 4 or 8.
  uint8_t elementBytes;
  Swizzle swizzle;
  /// Whether elements outside the tensor read as NaN (else as zero).
  uint8_t fillsNan;
  uint64_t address;
  /// Strides of dimensions 1 to rank - 1, in bytes.
  uint64_t strides[4];
  /// Extents of the tensor, in elements.
  uint32_t extents[5];
  /// Extents of the box that one copy moves, in elements, each at most 256.
  uint32_t box[5];
  /// Steps between the elements of the box, each from 1 to 8.
  uint8_t elementStrides[5];
};
static_assert(sizeof(TensorMap) == 128);

} // namespace graphrt::exec

#endif // GRAPHRT_EMULATOR_EXEC_TENSORMAP_H
