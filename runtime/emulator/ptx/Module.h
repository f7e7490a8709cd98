//===- Module.h - Decoded PTX -----------------------------------*- C++ -*-===//
//
// A PTX text is decoded once. Every operand of an instruction becomes a slot: a
// byte offset into the register file of a warp, where the values of the 32
// lanes lie side by side. Immediates, special registers and addresses of
// variables are slots too, filled before the first instruction, so that the
// execution of an instruction never asks what kind of operand it has.
//
//   slot of .pred        one 32-bit word, a bit per lane
//   slot of n bits       32 values of n bits (n = 16, 32, 64, 128)
//
// Each instruction carries the function that executes it.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPHRT_EMULATOR_PTX_MODULE_H
#define GRAPHRT_EMULATOR_PTX_MODULE_H

#include "graphrt/support/Expected.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace graphrt::exec {
class Warp;
}

namespace graphrt::ptx {

struct Instruction;
class Module;

/// Executes an instruction for the active lanes of a warp.
using Handler = void (*)(exec::Warp &, const Instruction &);

/// The offset of a slot in the register file of a warp, in bytes.
using Slot = uint32_t;
constexpr Slot noSlot = ~Slot(0);

struct Instruction {
  Handler execute = nullptr;
  /// The predicate that guards the instruction, or noSlot; its lanes are
  /// complemented by `guardMask`.
  Slot guard = noSlot;
  uint32_t guardMask = 0;
  /// Destination first, then sources, as the family defines them.
  std::array<Slot, 5> slots = {noSlot, noSlot, noSlot, noSlot, noSlot};
  /// Where a longer list of slots (vectors, fragments) begins in
  /// Kernel::slotLists.
  uint32_t list = 0;
  /// An address offset, the target of a branch, or what the family defines.
  int64_t immediate = 0;
  /// Small modifiers, as the family defines them.
  std::array<uint8_t, 8> options = {};
  /// Line in the PTX text, from 1.
  uint32_t line = 0;
};

/// A parameter of a kernel in the parameter space.
struct Parameter {
  std::string name;
  uint32_t offset, bytes;
};

/// What a slot holds before the first instruction.
enum class Special : uint8_t {
  /// A value known at load: Constant::value.
  Immediate,
  /// The address of the module's variable number Constant::variable, plus
  /// Constant::value.
  VariableAddress,
  /// Constant::value bytes into the dynamic part of shared memory.
  DynamicSharedAddress,
  /// The host address of the parameters, plus Constant::value.
  ParameterAddress,
  // Special registers; those with a dimension take it from Constant::value.
  Tid,
  Ntid,
  Ctaid,
  Nctaid,
  Laneid,
  Warpid,
  Nwarpid,
  Smid,
  Nsmid,
  Gridid,
  LanemaskEq,
  LanemaskLe,
  LanemaskLt,
  LanemaskGe,
  LanemaskGt,
  DynamicSharedSize,
  TotalSharedSize,
};

/// A slot that is filled before the first instruction.
struct Constant {
  Special kind;
  /// Bits of one lane: 1 (a predicate), 16, 32 or 64.
  uint8_t bits;
  Slot slot;
  uint32_t variable;
  uint64_t value;
};

struct Kernel {
  std::string name;
  const Module *module = nullptr;
  std::vector<Parameter> parameters;
  uint32_t parameterBytes = 0;
  /// Static shared memory; the dynamic part begins at its end.
  uint32_t sharedBytes = 0;
  /// Local memory of one thread.
  uint32_t localBytes = 0;
  /// The register file of one warp.
  uint32_t registerFileBytes = 0;
  /// Virtual registers, all widths together.
  uint32_t registers = 0;
  /// From .maxntid and .reqntid (product and extents); 0 where absent.
  uint32_t maxThreads = 0;
  std::array<uint32_t, 3> requiredThreads = {0, 0, 0};

  std::vector<Instruction> code;
  std::vector<Slot> slotLists;
  std::vector<Constant> constants;
};

/// A variable of the global or constant space.
struct Variable {
  std::string name;
  uint32_t bytes, alignment;
  bool isConstant;
  /// Initial bytes; those beyond the end are zero. Empty and not
  /// `isInitialized`: the variable starts uninitialised.
  std::vector<uint8_t> initial;
  bool isInitialized;
  /// Addresses of other variables inside the initial bytes.
  struct Relocation {
    uint32_t offset, variable;
    int64_t addend;
  };
  std::vector<Relocation> relocations;
};

/// The kernels of one PTX text. Immutable.
class Module {
public:
  /// Decodes a text. Errors name the line, and what was found and expected; an
  /// instruction that the emulator does not know is one of them.
  static Expected<std::shared_ptr<const Module>> parse(std::string_view text);

  /// The kernel of that name, or null. Lives as long as the module.
  const Kernel *findKernel(std::string_view name) const;

  /// The given line of the text, without surrounding blanks.
  std::string_view line(uint32_t number) const;

  std::string target;
  std::vector<std::unique_ptr<Kernel>> kernels;
  std::vector<Variable> variables;

private:
  friend class Parser;
  std::string text;
  std::vector<uint32_t> lineStarts;
};

} // namespace graphrt::ptx

#endif // GRAPHRT_EMULATOR_PTX_MODULE_H
