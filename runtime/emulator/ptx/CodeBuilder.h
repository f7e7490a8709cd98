//===- CodeBuilder.h - Appends instructions to a kernel ---------*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_PTX_CODEBUILDER_H
#define GRAPHRT_EMULATOR_PTX_CODEBUILDER_H

#include "ptx/Module.h"

namespace graphrt::ptx {

class CodeBuilder {
public:
  explicit CodeBuilder(Kernel &kernel) : kernel(kernel) {}

  /// The predicate of the instructions that follow, or noSlot; its lanes are
  /// complemented by the mask.
  void setGuard(Slot predicate, uint32_t mask) {
    guard = predicate;
    guardMask = mask;
  }
  void clearGuard() { setGuard(noSlot, 0); }

  /// A new instruction at the end. The reference lasts until the next.
  Instruction &append(uint32_t line) {
    Instruction &instruction = kernel.code.emplace_back();
    instruction.line = line;
    instruction.guard = guard;
    instruction.guardMask = guardMask;
    return instruction;
  }
  /// The index of the next instruction.
  size_t position() const { return kernel.code.size(); }

  Kernel &kernel;

private:
  Slot guard = noSlot;
  uint32_t guardMask = 0;
};

} // namespace graphrt::ptx

#endif // GRAPHRT_EMULATOR_PTX_CODEBUILDER_H
