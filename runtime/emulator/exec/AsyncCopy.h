//===- AsyncCopy.h - Copies of cp.async in flight ---------------*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_EXEC_ASYNCCOPY_H
#define GRAPHRT_EMULATOR_EXEC_ASYNCCOPY_H

#include "exec/Warp.h"

namespace graphrt::exec {

/// One cp.async of a warp. The data is read and written when the lane waits for
/// it, the latest moment that the hardware allows.
struct AsyncCopy {
  LaneMask lanes;
  /// Bytes of the target: 4, 8 or 16; the source may have fewer, the rest is
  /// zero.
  uint8_t bytes;
  uint8_t sourceBytes[warpSize];
  uint32_t target[warpSize];
  uint64_t source[warpSize];
  /// The lane's group that the copy belongs to.
  uint32_t group[warpSize];
};

/// Lets the copies of the active lanes arrive that belong to groups below
/// `end[lane]`.
void completeCopies(Warp &warp, const uint32_t *end);

/// Lets all copies of the active lanes arrive, committed or not.
void completeAllCopies(Warp &warp);

} // namespace graphrt::exec

#endif // GRAPHRT_EMULATOR_EXEC_ASYNCCOPY_H
