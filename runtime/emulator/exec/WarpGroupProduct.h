//===- WarpGroupProduct.h - Products of wgmma in flight ---------*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_EXEC_WARPGROUPPRODUCT_H
#define GRAPHRT_EMULATOR_EXEC_WARPGROUPPRODUCT_H

#include "ptx/Module.h"

namespace graphrt::exec {

/// One warp's part of a wgmma.mma_async: 16 of the 64 rows. Shared memory and
/// registers are read, and the accumulator written, when the warp waits for the
/// group.
struct PendingProduct {
  const ptx::Instruction *instruction;
  /// The matrix descriptors of A (unless it is in registers) and B.
  uint64_t a, b;
  /// Whether the accumulator is added, not overwritten.
  bool accumulates;
  uint32_t group;
};

} // namespace graphrt::exec

#endif // GRAPHRT_EMULATOR_EXEC_WARPGROUPPRODUCT_H
