//===- BulkCopy.h - Bulk and tensor copies in flight ------------*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_EXEC_BULKCOPY_H
#define GRAPHRT_EMULATOR_EXEC_BULKCOPY_H

#include "exec/TensorMap.h"
#include "exec/Warp.h"

#include <array>

namespace graphrt::exec {

struct Mbarrier;

/// One cp.async.bulk or cp.async.bulk.tensor of one lane. A copy into shared
/// memory happens when somebody waits for its mbarrier, a copy out of it when
/// the lane waits for its group.
struct BulkCopy {
  bool toShared = false;
  /// Whether `map` and `coordinates` tell the global part, else `global`.
  bool isTensor = false;
  unsigned warp = 0, lane = 0;
  uint32_t shared = 0, bytes = 0;
  uint64_t global = 0;
  TensorMap map = {};
  std::array<int32_t, 5> coordinates = {};
  /// The mbarrier's shared address, or the number of the lane's group.
  uint32_t mbarrier = 0, group = 0;
};

/// Lets all copies arrive that count for the mbarrier at that address.
void deliverBulkCopies(Block &block, uint32_t mbarrier);

/// Ends the phase if all arrivals and bytes are there.
void completePhase(Block &block, Mbarrier &object);

/// Where a byte of shared memory lies under a swizzle: bits 4 and up of the
/// address are exclusive-ored with bits 7 and up.
inline uint32_t swizzle(uint32_t address, TensorMap::Swizzle mode) {
  uint32_t bits = (1u << unsigned(mode)) - 1;
  return address ^ ((address >> 7 & bits) << 4);
}

} // namespace graphrt::exec

#endif // GRAPHRT_EMULATOR_EXEC_BULKCOPY_H
