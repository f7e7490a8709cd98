//===- Decoder.cpp - From one PTX statement to an instruction -------------===//

#include "ptx/Decoder.h"

#include <algorithm>
#include <bit>

using namespace graphrt;
using namespace graphrt::ptx;

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

Slot SlotAllocator::allocate(unsigned bits) {
  // Predicates are one word; the lanes of all others fill whole cache lines.
  uint32_t bytes = bits == 1 ? 4 : bits * 4;
  uint32_t alignment = bits == 1 ? 4 : 64;
  uint32_t slot =
      (kernel.registerFileBytes + alignment - 1) / alignment * alignment;
  kernel.registerFileBytes = slot + bytes;
  return slot;
}

Slot SlotAllocator::constant(Special kind, unsigned bits, uint64_t value,
                             uint32_t variable) {
  auto [found, isNew] =
      constants.try_emplace({kind, bits, value, variable}, noSlot);
  if (isNew) {
    found->second = allocate(bits);
    kernel.constants.push_back(
        {kind, uint8_t(bits), found->second, variable, value});
  }
  return found->second;
}

//===----------------------------------------------------------------------===//
// Modifiers
//===----------------------------------------------------------------------===//

Decoder::Decoder(Kernel &kernel, SlotAllocator &slots, Instruction &instruction,
                 std::string_view opcode, std::vector<Operand> &operands)
    : kernel(kernel), slots(slots), result(instruction), fullName(opcode),
      operands(operands), used(operands.size()) {
  size_t dot = opcode.find('.');
  name = opcode.substr(0, dot);
  while (dot != opcode.npos) {
    size_t next = opcode.find('.', dot + 1);
    modifiers.push_back(opcode.substr(dot + 1, next - dot - 1));
    dot = next;
  }
}

bool Decoder::has(std::string_view modifier) const {
  return std::find(modifiers.begin(), modifiers.end(), modifier) !=
         modifiers.end();
}

bool Decoder::accept(std::string_view modifier) {
  auto found = std::find(modifiers.begin(), modifiers.end(), modifier);
  if (found == modifiers.end())
    return false;
  modifiers.erase(found);
  return true;
}

bool Decoder::acceptAll(std::initializer_list<std::string_view> wanted) {
  for (std::string_view modifier : wanted)
    if (!has(modifier))
      return false;
  for (std::string_view modifier : wanted)
    accept(modifier);
  return true;
}

unsigned Decoder::acceptAny(std::initializer_list<std::string_view> choices) {
  unsigned index = 0;
  for (std::string_view choice : choices) {
    if (accept(choice))
      return index;
    ++index;
  }
  return index;
}

std::optional<ScalarType> Decoder::optionalType() {
  for (auto it = modifiers.begin(); it != modifiers.end(); ++it)
    if (std::optional<ScalarType> type = parseType(*it)) {
      modifiers.erase(it);
      return type;
    }
  return std::nullopt;
}

ScalarType Decoder::type() {
  if (std::optional<ScalarType> type = optionalType())
    return *type;
  fail("found '" + std::string(fullName) + "' without a type the emulator " +
       "knows");
  return ScalarType::B32;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Operand &Decoder::operand(unsigned position) {
  static thread_local Operand missing;
  if (position < operands.size()) {
    used[position] = true;
    return operands[position];
  }
  fail("found " + std::to_string(operands.size()) + " operands of '" +
       std::string(fullName) + "', expected more");
  return missing = Operand();
}

namespace {

/// The register that holds a value of that type: none has 8 bits.
unsigned registerBits(ScalarType type) {
  unsigned bits = bitsOf(type);
  return bits == 8 ? 16 : bits;
}

} // namespace

bool Decoder::checkRegister(const Operand &operand, ScalarType type) {
  if (operand.kind != Operand::Kind::Register)
    return false;
  if (operand.bits != registerBits(type))
    fail("found the " + std::to_string(operand.bits) + "-bit register '" +
         std::string(operand.text) + "', expected one of " +
         std::to_string(registerBits(type)) + " bits in '" +
         std::string(fullName) + "'");
  return true;
}

Slot Decoder::destinationSlot(const Operand &operand, ScalarType type) {
  if (operand.kind == Operand::Kind::Sink)
    return scratch(registerBits(type));
  if (!checkRegister(operand, type))
    fail("found '" + std::string(operand.text) + "', expected a register");
  return operand.slot;
}

Slot Decoder::immediateSlot(const Operand &operand, ScalarType type) {
  unsigned bits = registerBits(type);
  uint64_t mask = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  uint64_t value = operand.value;
  if (operand.kind == Operand::Kind::Float) {
    if (operand.floatBits == 64 && bits == 32)
      value = std::bit_cast<uint32_t>(float(std::bit_cast<double>(value)));
    else if (operand.floatBits == 32 && bits == 64)
      value = std::bit_cast<uint64_t>(
          double(std::bit_cast<float>(uint32_t(value))));
    else if (bits < 32)
      fail("found a floating-point number, expected an integer in '" +
           std::string(fullName) + "'");
  } else if (isFloat(type) && type != ScalarType::Tf32 &&
             (type == ScalarType::F32 || type == ScalarType::F64)) {
    fail("found the integer " + std::string(operand.text) +
         ", expected a floating-point number in '" + std::string(fullName) +
         "'");
  }
  return constant(bits, value & mask);
}

Slot Decoder::sourceSlot(const Operand &operand, ScalarType type) {
  switch (operand.kind) {
  case Operand::Kind::Register:
    checkRegister(operand, type);
    return operand.slot;
  case Operand::Kind::Integer:
  case Operand::Kind::Float:
    return immediateSlot(operand, type);
  case Operand::Kind::Symbol: {
    static constexpr Special kinds[] = {
        Special::VariableAddress, Special::Immediate,
        Special::DynamicSharedAddress, Special::Immediate,
        Special::ParameterAddress};
    const Symbol &symbol = operand.symbol;
    bool isGlobal = symbol.space == Symbol::Space::Global;
    return slots.constant(kinds[unsigned(symbol.space)], registerBits(type),
                          operand.offset + (isGlobal ? 0 : symbol.value),
                          isGlobal ? symbol.value : 0);
  }
  default:
    fail("found '" + std::string(operand.text) +
         "', expected a register or a constant in '" + std::string(fullName) +
         "'");
    return 0;
  }
}

void Decoder::destination(unsigned index, unsigned position, ScalarType type) {
  result.slots[index] = destinationSlot(operand(position), type);
}

void Decoder::source(unsigned index, unsigned position, ScalarType type) {
  result.slots[index] = sourceSlot(operand(position), type);
}

unsigned Decoder::wideSource(unsigned index, const Operand &operand,
                             ScalarType type) {
  if (operand.kind != Operand::Kind::Register) {
    result.slots[index] = sourceSlot(operand, type);
    return registerBits(type);
  }
  if (operand.bits < registerBits(type))
    checkRegister(operand, type);
  result.slots[index] = operand.slot;
  return operand.bits;
}

void Decoder::predicate(unsigned index, unsigned position) {
  Operand &source = operand(position);
  if (source.kind == Operand::Kind::Integer)
    result.slots[index] = constant(1, source.value ? ~uint32_t(0) : 0);
  else
    result.slots[index] = sourceSlot(source, ScalarType::Pred);
}

Slot Decoder::scratch(unsigned bits) { return slots.allocate(bits); }

Slot Decoder::constant(unsigned bits, uint64_t value) {
  return slots.constant(Special::Immediate, bits, value);
}

std::vector<Operand> Decoder::elements(unsigned position) {
  Operand &whole = operand(position);
  if (whole.kind == Operand::Kind::Vector)
    return whole.elements;
  return {whole};
}

void Decoder::append(Slot slot) {
  if (!hasList)
    result.list = kernel.slotLists.size();
  hasList = true;
  kernel.slotLists.push_back(slot);
}

void Decoder::setListEntry(unsigned index, Slot slot) {
  kernel.slotLists[result.list + index] = slot;
}

Decoder::AddressForm Decoder::address(unsigned index, unsigned position) {
  Operand &whole = operand(position);
  if (whole.kind != Operand::Kind::Address) {
    fail("found '" + std::string(whole.text) + "', expected an address in '" +
         std::string(fullName) + "'");
    return {};
  }
  Operand &base = whole.elements[0];
  result.immediate = whole.offset;
  if (base.kind == Operand::Kind::Symbol) {
    result.slots[index] = sourceSlot(base, ScalarType::B64);
    return {64, &base.symbol};
  }
  if (base.kind == Operand::Kind::Integer) {
    result.slots[index] = constant(64, base.value);
    return {};
  }
  bool is32 = base.kind == Operand::Kind::Register && base.bits == 32;
  result.slots[index] =
      sourceSlot(base, is32 ? ScalarType::B32 : ScalarType::B64);
  return {is32 ? 32u : 64u};
}

int64_t Decoder::integer(unsigned position) {
  Operand &source = operand(position);
  if (source.kind != Operand::Kind::Integer)
    fail("found '" + std::string(source.text) +
         "', expected an immediate integer in '" + std::string(fullName) + "'");
  return source.value;
}

void Decoder::label(unsigned position) {
  Operand &name = operand(position);
  if (name.kind != Operand::Kind::Name)
    fail("found '" + std::string(name.text) + "', expected a label");
  target = name.text;
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

Handler Decoder::fail(std::string text) {
  if (message.empty())
    message = std::move(text);
  return nullptr;
}

Handler Decoder::unsupported() {
  return fail("found '" + std::string(fullName) +
              "', expected an instruction that the emulator supports");
}

void Decoder::finish() {
  if (!modifiers.empty())
    fail("found the modifier '." + std::string(modifiers.front()) + "' of '" +
         std::string(fullName) + "', which the emulator does not support");
  auto extra = std::find(used.begin(), used.end(), false);
  if (extra != used.end())
    fail("found " + std::to_string(operands.size()) + " operands of '" +
         std::string(fullName) + "', expected " +
         std::to_string(extra - used.begin()));
}
