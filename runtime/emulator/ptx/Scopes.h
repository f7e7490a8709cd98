//===- Scopes.h - The names that a kernel's body declares -------*- C++ -*-===//
//
// Braces nest, and a name is that of the innermost scope that declares it:
// registers, variables, labels and branch tables; behind them stand the special
// registers and the module's variables. Names get their place here, a slot of
// the register file or an offset in local or shared memory, at the latest when
// an instruction uses them.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPHRT_EMULATOR_PTX_SCOPES_H
#define GRAPHRT_EMULATOR_PTX_SCOPES_H

#include "ptx/Declaration.h"

#include <optional>
#include <unordered_map>

namespace graphrt::ptx {

/// A use of a label: the target of an instruction, or of an entry in
/// Kernel::slotLists.
struct LabelUse {
  std::string_view label;
  uint32_t line;
  size_t instruction;
  std::optional<size_t> listIndex;
};

class Scopes {
public:
  /// The names of one kernel, whose sizes they change.
  Scopes(const ModuleScope &module, Kernel &kernel)
      : slots(kernel), module(module), kernel(kernel) {}

  void open() { scopes.emplace_back(); }
  /// Ends the innermost scope, and sets the targets of those that use its
  /// labels; uses of other labels belong to the scope around. Returns one whose
  /// label no scope has.
  std::optional<LabelUse> close();

  // What the innermost scope declares.

  void declareRegister(std::string_view name, unsigned bits);
  /// `%name<count>`: %name0, %name1, ..., which get their slots on first use.
  void declareRegisters(std::string_view name, unsigned bits, uint64_t count);
  void declare(std::string_view name, const Symbol &symbol);
  /// The label of the next instruction. False if there is one of that name.
  bool declareLabel(std::string_view name);
  void declareTable(std::string_view name,
                    std::vector<std::string_view> labels);

  /// A new place in the local memory of a thread.
  Symbol allocateLocal(const Declaration &variable);
  /// Likewise in the shared memory of a block; a variable without a length is
  /// the dynamic part of it.
  Symbol allocateShared(const SharedVariable &variable);

  // What is visible.

  void use(const LabelUse &label) { scopes.back().uses.push_back(label); }
  std::optional<Operand> findRegister(std::string_view name);
  std::optional<Symbol> findSymbol(std::string_view name);
  /// The labels of a branch table, or null.
  const std::vector<std::string_view> *findTable(std::string_view name) const;

  /// Writes the sizes of the kernel's memories. Fails where a thread's or a
  /// block's would pass what a device can address.
  Status finish();

  SlotAllocator slots;

private:
  struct Register {
    unsigned bits;
    Slot slot;
  };
  struct RegisterRange {
    unsigned bits;
    uint64_t count;
  };
  struct Scope {
    std::unordered_map<std::string_view, Register> registers;
    std::unordered_map<std::string_view, RegisterRange> ranges;
    std::unordered_map<std::string_view, Symbol> symbols;
    std::unordered_map<std::string_view, size_t> labels;
    std::unordered_map<std::string_view, std::vector<std::string_view>> tables;
    std::vector<LabelUse> uses;
  };

  const Register *findInScope(Scope &scope, std::string_view name);

  const ModuleScope &module;
  Kernel &kernel;
  std::vector<Scope> scopes;
  uint64_t localBytes = 0, sharedBytes = 0;
  uint32_t dynamicAlignment = 16;
  std::unordered_map<std::string_view, Symbol> usedShared;
};

} // namespace graphrt::ptx

#endif // GRAPHRT_EMULATOR_PTX_SCOPES_H
