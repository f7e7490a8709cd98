//===- Memory.cpp - Loads and stores --------------------------------------===//

#include "exec/Access.h"
#include "exec/InstructionSet.h"
#include "exec/Lanes.h"

#include <cstring>

using namespace graphrt;
using namespace graphrt::exec;
using namespace graphrt::ptx;

namespace {

/// What Instruction::options mean here.
enum Option : unsigned { InSpace, Kind, Is32, Bytes, Elements };

bool prepare(Warp &warp, const Instruction &i, Addresses &addresses) {
  readAddresses(warp, i.slots[0], i.options[Is32], i.immediate, addresses);
  return resolve(warp,
                 {exec::Space(i.options[InSpace]), AccessKind(i.options[Kind]),
                  i.options[Bytes]},
                 addresses);
}

/// Elements of type T, in memory, widened to registers of type R.
template <typename T, typename R>
void load(Warp &warp, const Instruction &i) {
  Addresses addresses;
  if (!prepare(warp, i, addresses))
    return;
  const Slot *list = warp.slotList(i);
  for (unsigned element = 0; element < i.options[Elements]; ++element) {
    R *result = warp.lanes<R>(list[element]);
    for (LaneMask rest = warp.active; rest != 0; rest &= rest - 1) {
      unsigned lane = std::countr_zero(rest);
      T value;
      std::memcpy(&value, pointerAt<T>(addresses, lane) + element, sizeof(T));
      result[lane] = value;
    }
  }
}

template <typename T, typename R>
void store(Warp &warp, const Instruction &i) {
  Addresses addresses;
  if (!prepare(warp, i, addresses))
    return;
  const Slot *list = warp.slotList(i);
  for (unsigned element = 0; element < i.options[Elements]; ++element) {
    const R *source = warp.lanes<R>(list[element]);
    for (LaneMask rest = warp.active; rest != 0; rest &= rest - 1) {
      unsigned lane = std::countr_zero(rest);
      T value = T(source[lane]);
      std::memcpy(pointerAt<T>(addresses, lane) + element, &value, sizeof(T));
    }
  }
}

struct Wide128 {
  uint64_t low, high;
};

template <typename T>
Handler pickLoad(unsigned registerBits) {
  return pickBits(registerBits, []<typename R>() -> Handler {
    if constexpr (sizeof(R) >= sizeof(T))
      return load<T, R>;
    return nullptr;
  });
}

template <typename T>
Handler pickStore(unsigned registerBits) {
  return pickBits(registerBits, []<typename R>() -> Handler {
    if constexpr (sizeof(R) >= sizeof(T))
      return store<T, R>;
    return nullptr;
  });
}

Handler pickLoad(ScalarType type, unsigned registerBits) {
  bool extends = isSigned(type);
  switch (bitsOf(type)) {
  case 8:
    return extends ? pickLoad<int8_t>(registerBits)
                   : pickLoad<uint8_t>(registerBits);
  case 16:
    return extends ? pickLoad<int16_t>(registerBits)
                   : pickLoad<uint16_t>(registerBits);
  case 32:
    return extends ? pickLoad<int32_t>(registerBits)
                   : pickLoad<uint32_t>(registerBits);
  case 64:
    return pickLoad<uint64_t>(registerBits);
  case 128:
    return load<Wide128, Wide128>;
  default:
    return nullptr;
  }
}

Handler pickStore(ScalarType type, unsigned registerBits) {
  switch (bitsOf(type)) {
  case 8:
    return pickStore<uint8_t>(registerBits);
  case 16:
    return pickStore<uint16_t>(registerBits);
  case 32:
    return pickStore<uint32_t>(registerBits);
  case 64:
    return pickStore<uint64_t>(registerBits);
  case 128:
    return store<Wide128, Wide128>;
  default:
    return nullptr;
  }
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

exec::Space takeSpace(Decoder &decoder) {
  switch (decoder.acceptAny({"global", "const", "shared", "shared::cta",
                             "shared::cluster", "local", "param",
                             "param::entry", "param::func"})) {
  case 0:
    return exec::Space::Global;
  case 1:
    return exec::Space::Constant;
  case 2:
  case 3:
  case 4:
    return exec::Space::Shared;
  case 5:
    return exec::Space::Local;
  case 6:
  case 7:
  case 8:
    return exec::Space::Param;
  default:
    return exec::Space::Generic;
  }
}

/// Caches do not exist here: their hints have no effect.
void takeCacheHints(Decoder &decoder) {
  decoder.acceptAny({"ca", "cg", "cs", "lu", "cv", "wb", "wt"});
  decoder.acceptAny({"L1::evict_normal", "L1::evict_unchanged",
                     "L1::evict_first", "L1::evict_last", "L1::no_allocate"});
  decoder.acceptAny({"L2::64B", "L2::128B", "L2::256B"});
  decoder.acceptAny({"L2::evict_normal", "L2::evict_first", "L2::evict_last"});
  decoder.accept("nc");
  decoder.accept("weak");
  decoder.accept("unified");
}

/// Whether the access orders itself: .volatile, .relaxed, .acquire, .release.
bool takeOrder(Decoder &decoder) {
  bool isStrong = decoder.acceptAny({"volatile", "relaxed", "acquire",
                                     "release", "mmio"}) < 5;
  decoder.acceptAny({"cta", "cluster", "gpu", "sys"});
  return isStrong;
}

unsigned takeVector(Decoder &decoder) {
  constexpr unsigned lengths[] = {2, 4, 8, 1};
  return lengths[decoder.acceptAny({"v2", "v4", "v8"})];
}

/// A parameter of a device function lives in local memory.
exec::Space actualSpace(exec::Space named, const Symbol *symbol) {
  if (named == exec::Space::Param && symbol &&
      symbol->space == Symbol::Space::Local)
    return exec::Space::Local;
  return named;
}

Handler decodeAccess(Decoder &decoder, bool isLoad) {
  Instruction &instruction = decoder.instruction();
  exec::Space space = takeSpace(decoder);
  takeCacheHints(decoder);
  bool isStrong = takeOrder(decoder);
  unsigned count = takeVector(decoder);
  ScalarType type = decoder.type();
  unsigned addressPosition = isLoad ? 1 : 0;
  Decoder::AddressForm form = decoder.address(0, addressPosition);
  instruction.options[InSpace] = uint8_t(actualSpace(space, form.symbol));
  instruction.options[Kind] = uint8_t(
      isLoad ? (isStrong ? AccessKind::StrongLoad : AccessKind::Load)
             : (isStrong ? AccessKind::StrongStore : AccessKind::Store));
  instruction.options[Is32] = form.bits == 32;
  instruction.options[Bytes] = bitsOf(type) / 8 * count;
  instruction.options[Elements] = count;
  std::vector<Operand> elements = decoder.elements(1 - addressPosition);
  if (elements.size() != count)
    return decoder.fail("found " + std::to_string(elements.size()) +
                        " elements, expected " + std::to_string(count) +
                        " in '" + std::string(decoder.opcode()) + "'");
  unsigned registerBits = 0;
  for (const Operand &element : elements) {
    unsigned bits = element.bits;
    if (element.kind != Operand::Kind::Register) {
      // A sink of a load, or a constant to store.
      decoder.append(isLoad ? decoder.destinationSlot(element, type)
                            : decoder.sourceSlot(element, type));
      bits = std::max(16u, bitsOf(type));
    } else {
      decoder.append(element.slot);
    }
    if (registerBits != 0 && bits != registerBits)
      return decoder.unsupported();
    registerBits = bits;
  }
  return orUnsupported(decoder, isLoad ? pickLoad(type, registerBits)
                                       : pickStore(type, registerBits));
}

Handler decodeLoad(Decoder &decoder) { return decodeAccess(decoder, true); }
Handler decodeStore(Decoder &decoder) { return decodeAccess(decoder, false); }

void doNothing(Warp &, const Instruction &) {}

/// prefetch, prefetchu, applypriority, discard: only about caches. The address
/// is not checked: a GPU ignores bad ones.
Handler decodePrefetch(Decoder &decoder) {
  takeSpace(decoder);
  decoder.acceptAny({"L1", "L2", "tensormap"});
  takeCacheHints(decoder);
  decoder.address(0, 0);
  return doNothing;
}

constexpr Entry entries[] = {
    {"ld", decodeLoad},
    {"ldu", decodeLoad},
    {"st", decodeStore},
    {"prefetch", decodePrefetch},
    {"prefetchu", decodePrefetch},
};

} // namespace

std::span<const Entry> exec::memoryInstructions() { return entries; }
