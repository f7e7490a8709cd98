//===- SpecialRegisters.h - The registers that PTX predefines ---*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_PTX_SPECIALREGISTERS_H
#define GRAPHRT_EMULATOR_PTX_SPECIALREGISTERS_H

#include "ptx/Module.h"

namespace graphrt::ptx {

struct SpecialRegister {
  std::string_view name;
  Special kind;
  unsigned bits;
  /// Constant::value.
  uint64_t value;
};

/// The special register of that name, or null. Those that change while a thread
/// runs (clocks) are registers only to the instruction that reads them.
const SpecialRegister *findSpecialRegister(std::string_view name);

} // namespace graphrt::ptx

#endif // GRAPHRT_EMULATOR_PTX_SPECIALREGISTERS_H
