//===- Decoder.h - From one PTX statement to an instruction -----*- C++ -*-===//
//
// A statement arrives as a mnemonic, its modifiers and its operands. The table
// of instructions maps the mnemonic to a decode function of its family; that
// function takes modifiers and operands out of the Decoder, which turns
// operands into slots, and returns the handler. Whatever it leaves is an error:
//
//   Handler decodeBrev(Decoder &decoder) {
//     ScalarType type = decoder.type();
//     decoder.destination(0, 0, type);
//     decoder.source(1, 1, type);
//     return bitsOf(type) == 64 ? brev<uint64_t> : brev<uint32_t>;
//   }
//
// The first error sticks; after it all requests succeed with placeholders.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPHRT_EMULATOR_PTX_DECODER_H
#define GRAPHRT_EMULATOR_PTX_DECODER_H

#include "ptx/Module.h"
#include "ptx/Type.h"

#include <map>
#include <tuple>
#include <unordered_map>

namespace graphrt::ptx {

/// Where a named variable lives, and what its address is made of.
struct Symbol {
  /// Constant variables live in global memory, and the parameters of device
  /// functions in local memory.
  enum class Space : uint8_t {
    Global,
    Shared,
    DynamicShared,
    Local,
    Parameter
  };
  Space space;
  /// Global: the variable's number. Else the offset in its space.
  uint32_t value;
  uint32_t bytes;
};

struct Operand {
  enum class Kind : uint8_t {
    Register,
    Integer,
    Float,
    /// The address of a variable, `offset` bytes on.
    Symbol,
    /// A name that is no variable: a label or a function.
    Name,
    /// [base + offset] or [base, vector]; the base is elements[0].
    Address,
    /// {a, b} or a|b
    Vector,
    /// (a, b)
    List,
    /// _
    Sink,
  };

  Kind kind = Kind::Sink;
  /// Whether `!` precedes it.
  bool isNegated = false;
  uint8_t floatBits = 0;
  /// Width of a register.
  uint8_t bits = 0;
  Slot slot = noSlot;
  uint64_t value = 0;
  int64_t offset = 0;
  Symbol symbol = {};
  std::string_view text;
  std::vector<Operand> elements;
};

/// The slots of one kernel, as they are handed out.
class SlotAllocator {
public:
  explicit SlotAllocator(Kernel &kernel) : kernel(kernel) {}

  Slot allocate(unsigned bits);
  /// The slot that holds that constant in every lane.
  Slot constant(Special kind, unsigned bits, uint64_t value,
                uint32_t variable = 0);

private:
  Kernel &kernel;
  std::map<std::tuple<Special, unsigned, uint64_t, uint32_t>, Slot> constants;
};

class Decoder {
public:
  Decoder(Kernel &kernel, SlotAllocator &slots, Instruction &instruction,
          std::string_view opcode, std::vector<Operand> &operands);
  /// In a device function: the register that holds the return addresses.
  Slot link = noSlot;

  // Modifiers. Their order does not matter.

  bool has(std::string_view modifier) const;
  /// Takes the modifier if it is there.
  bool accept(std::string_view modifier);
  /// Takes all of the modifiers, or none if one is missing.
  bool acceptAll(std::initializer_list<std::string_view> modifiers);
  /// Takes the first modifier of the list that is there and returns its index,
  /// or the list's length.
  unsigned acceptAny(std::initializer_list<std::string_view> modifiers);
  /// Takes the first (remaining) modifier that is a type.
  ScalarType type();
  std::optional<ScalarType> optionalType();

  // Operands, by their position in the statement.

  size_t count() const { return operands.size(); }
  Operand &operand(unsigned position);
  const Operand *optional(unsigned position) const {
    return position < operands.size() ? &operands[position] : nullptr;
  }

  /// Instruction::slots[index] becomes the operand's slot. A register must have
  /// the type's width (8-bit types live in 16-bit registers).
  void destination(unsigned index, unsigned position, ScalarType type);
  void source(unsigned index, unsigned position, ScalarType type);
  /// Like these, for any operand.
  Slot destinationSlot(const Operand &operand, ScalarType type);
  Slot sourceSlot(const Operand &operand, ScalarType type);
  /// A register of any width of at least the type's, or an immediate of the
  /// type; returns the slot's bits.
  unsigned wideSource(unsigned index, const Operand &operand, ScalarType type);
  /// Instruction::slots[index] becomes a predicate (complemented predicates are
  /// the caller's matter: the operand's isNegated).
  void predicate(unsigned index, unsigned position);
  /// A slot of `bits` that nothing reads, for destinations that are left out.
  Slot scratch(unsigned bits);
  /// The constant's slot.
  Slot constant(unsigned bits, uint64_t value);

  /// Elements of a vector, or the operand itself.
  std::vector<Operand> elements(unsigned position);
  /// Appends to the list of slots; the first call sets Instruction::list.
  void append(Slot slot);
  /// Replaces what the given call of append has appended, from 0.
  void setListEntry(unsigned index, Slot slot);

  /// The base of an address operand becomes slots[index], its offset
  /// Instruction::immediate; returns the base's bits (32 or 64), and the symbol
  /// if it is one.
  struct AddressForm {
    unsigned bits = 64;
    const Symbol *symbol = nullptr;
  };
  AddressForm address(unsigned index, unsigned position);

  /// The value of an immediate integer.
  int64_t integer(unsigned position);
  /// A branch to the label or function that the operand names.
  void label(unsigned position);
  std::string_view labelName() const { return target; }

  Instruction &instruction() { return result; }
  std::string_view mnemonic() const { return name; }
  /// The whole opcode, for messages.
  std::string_view opcode() const { return fullName; }

  /// Records "found X, expected Y"; returns null for the caller to return.
  Handler fail(std::string message);
  /// Records that the modifiers' combination is unknown.
  Handler unsupported();
  /// Records unless all modifiers are taken and `count` operands are there.
  void finish();
  const std::string &error() const { return message; }

private:
  Slot immediateSlot(const Operand &operand, ScalarType type);
  bool checkRegister(const Operand &operand, ScalarType type);

  Kernel &kernel;
  SlotAllocator &slots;
  Instruction &result;
  std::string_view fullName, name, target;
  std::vector<std::string_view> modifiers;
  std::vector<Operand> &operands;
  std::vector<bool> used;
  bool hasList = false;
  std::string message;
};

/// Decodes one instruction and returns its handler, or null with an error
/// recorded.
using DecodeFunction = Handler (*)(Decoder &);

/// The decode function of a mnemonic, or null for an unknown one.
DecodeFunction findInstruction(std::string_view mnemonic);

} // namespace graphrt::ptx

#endif // GRAPHRT_EMULATOR_PTX_DECODER_H
