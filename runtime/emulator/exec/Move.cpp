//===- Move.cpp - Moves, packing and address conversions ------------------===//

#include "exec/Block.h"
#include "exec/InstructionSet.h"
#include "exec/Lanes.h"

#include <chrono>
#include <cstring>

using namespace graphrt;
using namespace graphrt::exec;
using namespace graphrt::ptx;

namespace {

//===----------------------------------------------------------------------===//
// mov
//===----------------------------------------------------------------------===//

template <typename T>
T identity(T a) {
  return a;
}

void movePredicate(Warp &warp, const Instruction &i) {
  warp.setPredicate(i.slots[0], warp.predicate(i.slots[1]));
}

struct Wide128 {
  uint64_t low, high;
};

/// Joins the listed slots, into slots[0].
template <typename Part, typename Whole>
void pack(Warp &warp, const Instruction &i) {
  constexpr unsigned parts = sizeof(Whole) / sizeof(Part);
  Whole *result = warp.lanes<Whole>(i.slots[0]);
  const Slot *list = warp.slotList(i);
  alignas(64) Whole joined[warpSize];
  for (unsigned part = 0; part < parts; ++part) {
    const Part *source = warp.lanes<Part>(list[part]);
    for (unsigned lane = 0; lane < warpSize; ++lane)
      std::memcpy(reinterpret_cast<Part *>(&joined[lane]) + part, &source[lane],
                  sizeof(Part));
  }
  forEachLane(warp.active, [&](unsigned lane) { result[lane] = joined[lane]; });
}

template <typename Part, typename Whole>
void unpack(Warp &warp, const Instruction &i) {
  constexpr unsigned parts = sizeof(Whole) / sizeof(Part);
  const Slot *list = warp.slotList(i);
  alignas(64) Whole whole[warpSize];
  std::memcpy(whole, warp.lanes<Whole>(i.slots[0]), sizeof(whole));
  for (unsigned part = 0; part < parts; ++part) {
    Part *result = warp.lanes<Part>(list[part]);
    forEachLane(warp.active, [&](unsigned lane) {
      std::memcpy(&result[lane],
                  reinterpret_cast<const Part *>(&whole[lane]) + part,
                  sizeof(Part));
    });
  }
}

/// The pack or unpack handler for registers of those widths.
Handler pickPacking(unsigned part, unsigned whole, bool unpacks) {
  if (part == 16 && whole == 32)
    return unpacks ? unpack<uint16_t, uint32_t> : pack<uint16_t, uint32_t>;
  if (part == 16 && whole == 64)
    return unpacks ? unpack<uint16_t, uint64_t> : pack<uint16_t, uint64_t>;
  if (part == 32 && whole == 64)
    return unpacks ? unpack<uint32_t, uint64_t> : pack<uint32_t, uint64_t>;
  if (part == 64 && whole == 128)
    return unpacks ? unpack<uint64_t, Wide128> : pack<uint64_t, Wide128>;
  if (part == 32 && whole == 128)
    return unpacks ? unpack<uint32_t, Wide128> : pack<uint32_t, Wide128>;
  return nullptr;
}

ScalarType bitsType(unsigned bits) {
  return bits == 16   ? ScalarType::B16
         : bits == 32 ? ScalarType::B32
         : bits == 64 ? ScalarType::B64
                      : ScalarType::B128;
}

Handler decodePacking(Decoder &decoder, ScalarType type, bool unpacks) {
  std::vector<Operand> parts = decoder.elements(unpacks ? 0 : 1);
  unsigned bits = bitsOf(type) / parts.size();
  ScalarType partType = bitsType(bits);
  for (const Operand &part : parts)
    decoder.append(unpacks ? decoder.destinationSlot(part, partType)
                           : decoder.sourceSlot(part, partType));
  if (unpacks)
    decoder.source(0, 1, type);
  else
    decoder.destination(0, 0, type);
  return pickPacking(bits, bitsOf(type), unpacks);
}

template <typename T>
void readClock(Warp &warp, const Instruction &i) {
  T now = std::chrono::steady_clock::now().time_since_epoch().count();
  T *result = warp.lanes<T>(i.slots[0]);
  forEachLane(warp.active, [=](unsigned lane) { result[lane] = now; });
}

Handler decodeMov(Decoder &decoder) {
  ScalarType type = decoder.type();
  Operand &target = decoder.operand(0), &source = decoder.operand(1);
  if (target.kind == Operand::Kind::Vector)
    return orUnsupported(decoder, decodePacking(decoder, type, true));
  if (source.kind == Operand::Kind::Vector)
    return orUnsupported(decoder, decodePacking(decoder, type, false));
  decoder.destination(0, 0, type);
  if (source.text == "%clock64" || source.text == "%globaltimer")
    return readClock<uint64_t>;
  if (source.text == "%clock" || source.text == "%clock_hi" ||
      source.text == "%globaltimer_lo")
    return readClock<uint32_t>;
  if (type == ScalarType::Pred) {
    decoder.predicate(1, 1);
    return movePredicate;
  }
  decoder.source(1, 1, type);
  if (type == ScalarType::B128)
    return map<identity<Wide128>, Wide128, Wide128>;
  return orUnsupported(decoder,
                       pickBits(bitsOf(type), []<typename T>() -> Handler {
                         return map<identity<T>, T, T>;
                       }));
}

//===----------------------------------------------------------------------===//
// Address conversions: global, constant and parameter addresses are generic
//===----------------------------------------------------------------------===//

template <uint64_t Window>
uint64_t toGeneric(uint64_t address) {
  return address + Window;
}
/// As on a GPU, only the low 32 bits of shared and local addresses count.
template <uint64_t Window>
uint64_t fromGeneric(uint64_t address) {
  return uint32_t(address - Window);
}

/// The address space that the modifiers name.
unsigned takeSpace(Decoder &decoder) {
  return decoder.acceptAny({"shared", "shared::cta", "shared::cluster", "local",
                            "global", "const", "param", "param::entry"});
}

Handler decodeCvta(Decoder &decoder) {
  bool fromGenericSpace = decoder.accept("to");
  unsigned space = takeSpace(decoder);
  ScalarType type = decoder.type();
  decodeOperands(decoder, 1, type);
  if (bitsOf(type) != 64)
    return decoder.unsupported();
  using U = uint64_t;
  if (space < 3)
    return fromGenericSpace ? map<fromGeneric<sharedWindow>, U, U>
                            : map<toGeneric<sharedWindow>, U, U>;
  if (space == 3)
    return fromGenericSpace ? map<fromGeneric<localWindow>, U, U>
                            : map<toGeneric<localWindow>, U, U>;
  return space < 8 ? map<identity<U>, U, U> : decoder.unsupported();
}

/// options[0]: the space, as takeSpace counts.
void isInSpace(Warp &warp, const Instruction &i) {
  const uint64_t *address = warp.lanes<uint64_t>(i.slots[1]);
  LaneMask result = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    bool isShared = address[lane] - sharedWindow < windowBytes;
    bool isLocal = address[lane] - localWindow < windowBytes;
    bool isIn = i.options[0] < 3    ? isShared
                : i.options[0] == 3 ? isLocal
                                    : !isShared && !isLocal;
    result |= LaneMask(isIn) << lane;
  }
  warp.setPredicate(i.slots[0], result);
}

Handler decodeIsspacep(Decoder &decoder) {
  unsigned space = takeSpace(decoder);
  if (space > 4)
    return decoder.unsupported();
  decoder.instruction().options[0] = space;
  decoder.destination(0, 0, ScalarType::Pred);
  decoder.source(1, 1, ScalarType::B64);
  return isInSpace;
}

/// A cluster has one block, whose addresses are the cluster's.
Handler decodeMapa(Decoder &decoder) {
  decoder.accept("shared::cluster");
  ScalarType type = decoder.type();
  decodeOperands(decoder, 1, type);
  (void)decoder.operand(2);
  return bitsOf(type) == 64 ? map<identity<uint64_t>, uint64_t, uint64_t>
                            : map<identity<uint32_t>, uint32_t, uint32_t>;
}

constexpr Entry entries[] = {
    {"mov", decodeMov},
    {"cvta", decodeCvta},
    {"isspacep", decodeIsspacep},
    {"mapa", decodeMapa},
};

} // namespace

std::span<const Entry> exec::moveInstructions() { return entries; }
