//===- Scopes.cpp - The names that a kernel's body declares ---------------===//

#include "ptx/Scopes.h"

#include "ptx/SpecialRegisters.h"

#include <charconv>

using namespace graphrt;
using namespace graphrt::ptx;

namespace {

/// Local memory of a thread, and shared memory as 32-bit addresses reach it.
/// How much of the latter a block may have is the launch's matter.
constexpr uint64_t maxLocalBytes = 512 * 1024;
constexpr uint64_t maxSharedBytes = 16 * 1024 * 1024;

uint64_t alignTo(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

} // namespace

std::optional<LabelUse> Scopes::close() {
  Scope scope = std::move(scopes.back());
  scopes.pop_back();
  for (const LabelUse &use : scope.uses) {
    auto label = scope.labels.find(use.label);
    if (label == scope.labels.end()) {
      if (scopes.empty())
        return use;
      scopes.back().uses.push_back(use);
    } else if (use.listIndex) {
      kernel.slotLists[*use.listIndex] = label->second;
    } else {
      kernel.code[use.instruction].immediate = label->second;
    }
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

void Scopes::declareRegister(std::string_view name, unsigned bits) {
  scopes.back().registers[name] = {bits, slots.allocate(bits)};
  ++kernel.registers;
}

void Scopes::declareRegisters(std::string_view name, unsigned bits,
                              uint64_t count) {
  scopes.back().ranges[name] = {bits, count};
}

void Scopes::declare(std::string_view name, const Symbol &symbol) {
  scopes.back().symbols[name] = symbol;
}

bool Scopes::declareLabel(std::string_view name) {
  return scopes.back().labels.try_emplace(name, kernel.code.size()).second;
}

void Scopes::declareTable(std::string_view name,
                          std::vector<std::string_view> labels) {
  scopes.back().tables[name] = std::move(labels);
}

Symbol Scopes::allocateLocal(const Declaration &variable) {
  uint64_t offset = alignTo(localBytes, variable.alignment);
  localBytes = offset + variable.bytes();
  return {Symbol::Space::Local, uint32_t(offset), uint32_t(variable.bytes())};
}

Symbol Scopes::allocateShared(const SharedVariable &variable) {
  if (variable.isDynamic) {
    dynamicAlignment = std::max(dynamicAlignment, variable.alignment);
    return {Symbol::Space::DynamicShared, 0, 0};
  }
  uint64_t offset = alignTo(sharedBytes, variable.alignment);
  sharedBytes = offset + variable.bytes;
  return {Symbol::Space::Shared, uint32_t(offset), variable.bytes};
}

namespace {

Status checkSize(uint64_t bytes, const char *memory, const Kernel &kernel,
                 uint64_t most) {
  if (bytes <= most)
    return {};
  return Failure{ErrorCode::Corrupt,
                 "found " + std::to_string(bytes) + " bytes of " + memory +
                     " memory in kernel '" + kernel.name +
                     "', expected at most " + std::to_string(most)};
}

} // namespace

Status Scopes::finish() {
  sharedBytes = alignTo(sharedBytes, dynamicAlignment);
  if (Status bad = checkSize(localBytes, "local", kernel, maxLocalBytes))
    return bad;
  if (Status bad = checkSize(sharedBytes, "shared", kernel, maxSharedBytes))
    return bad;
  kernel.localBytes = localBytes;
  kernel.sharedBytes = sharedBytes;
  return {};
}

//===----------------------------------------------------------------------===//
// Lookup
//===----------------------------------------------------------------------===//

const Scopes::Register *Scopes::findInScope(Scope &scope,
                                            std::string_view name) {
  auto known = scope.registers.find(name);
  if (known != scope.registers.end())
    return &known->second;
  size_t digits = name.find_last_not_of("0123456789") + 1;
  auto range = scope.ranges.find(name.substr(0, digits));
  if (range == scope.ranges.end())
    return nullptr;
  uint64_t index = 0;
  const char *end = name.data() + name.size();
  auto [stop, error] = std::from_chars(name.data() + digits, end, index);
  if (error != std::errc() || index >= range->second.count)
    return nullptr;
  unsigned bits = range->second.bits;
  ++kernel.registers;
  return &scope.registers.insert({name, {bits, slots.allocate(bits)}})
              .first->second;
}

std::optional<Operand> Scopes::findRegister(std::string_view name) {
  Operand operand;
  operand.kind = Operand::Kind::Register;
  operand.text = name;
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
    if (const Register *known = findInScope(*scope, name)) {
      operand.bits = known->bits;
      operand.slot = known->slot;
      return operand;
    }
  const SpecialRegister *special = findSpecialRegister(name);
  if (!special)
    return std::nullopt;
  operand.bits = special->bits;
  operand.slot = slots.constant(special->kind, special->bits, special->value);
  return operand;
}

std::optional<Symbol> Scopes::findSymbol(std::string_view name) {
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    auto known = scope->symbols.find(name);
    if (known != scope->symbols.end())
      return known->second;
  }
  auto global = module.globals.find(name);
  if (global != module.globals.end())
    return global->second;
  auto shared = module.shared.find(name);
  if (shared == module.shared.end())
    return std::nullopt;
  auto [used, isNew] = usedShared.try_emplace(name);
  if (isNew)
    used->second = allocateShared(shared->second);
  return used->second;
}

const std::vector<std::string_view> *
Scopes::findTable(std::string_view name) const {
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    auto known = scope->tables.find(name);
    if (known != scope->tables.end())
      return &known->second;
  }
  return nullptr;
}
