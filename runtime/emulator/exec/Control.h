//===- Control.h - Handlers that the parser places itself -------*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_EXEC_CONTROL_H
#define GRAPHRT_EMULATOR_EXEC_CONTROL_H

#include "ptx/Module.h"

namespace graphrt::exec {

/// Ends the active lanes.
void executeExit(Warp &warp, const ptx::Instruction &instruction);
/// Jumps to `immediate` and leaves the next instruction's index in slots[0], a
/// 32-bit register.
void executeCall(Warp &warp, const ptx::Instruction &instruction);
/// Jumps to the index in slots[0].
void executeReturn(Warp &warp, const ptx::Instruction &instruction);
/// Copies slots[2] bytes (a number, not a slot) of local memory, with their
/// states, from offset slots[1] to offset slots[0].
void executeLocalCopy(Warp &warp, const ptx::Instruction &instruction);
/// Jumps to the target in Kernel::slotLists at `list` plus the value of
/// slots[0]; there are `immediate` of them.
void executeIndexedBranch(Warp &warp, const ptx::Instruction &instruction);

} // namespace graphrt::exec

#endif // GRAPHRT_EMULATOR_EXEC_CONTROL_H
