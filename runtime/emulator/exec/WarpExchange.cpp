//===- WarpExchange.cpp - Shuffles, votes and reductions of a warp --------===//

#include "exec/InstructionSet.h"
#include "exec/Lanes.h"

#include <algorithm>
#include <cstring>

using namespace graphrt;
using namespace graphrt::exec;
using namespace graphrt::ptx;

namespace {

/// The members named by the mask in a slot, once they have come together; 0
/// while they have not.
LaneMask meet(Warp &warp, Slot slot) {
  unsigned first = std::countr_zero(warp.active);
  LaneMask members = warp.lanes<uint32_t>(slot)[first];
  if (!(members >> first & 1)) {
    warp.fault(first, "bad member mask: found one without the lane itself");
    return 0;
  }
  if (!warp.converge(members, /*countsEnded=*/false))
    return 0;
  warp.synchronize();
  return members;
}

//===----------------------------------------------------------------------===//
// shfl.sync
//===----------------------------------------------------------------------===//

enum class Shuffle : uint8_t { Up, Down, Butterfly, Index };

struct ShuffleSource {
  unsigned lane;
  bool inRange;
};

/// The lane to read from, by the manual's formulas: `c` holds the segment's
/// mask and the clamp value.
template <Shuffle Mode>
ShuffleSource shuffleSource(unsigned lane, uint32_t b, uint32_t c) {
  unsigned offset = b & 31, clamp = c & 31, segment = c >> 8 & 31;
  int highest = (lane & segment) | (clamp & ~segment);
  int source = lane;
  bool inRange = false;
  switch (Mode) {
  case Shuffle::Up:
    source = int(lane) - int(offset);
    inRange = source >= highest;
    break;
  case Shuffle::Down:
    source = lane + offset;
    inRange = source <= highest;
    break;
  case Shuffle::Butterfly:
    source = lane ^ offset;
    inRange = source <= highest;
    break;
  case Shuffle::Index:
    source = (lane & segment) | (offset & ~segment);
    inRange = source <= highest;
    break;
  }
  return {inRange ? unsigned(source) : lane, inRange};
}

/// slots: d, a, b, c, members; list[0]: the predicate.
template <Shuffle Mode>
void shuffle(Warp &warp, const Instruction &i) {
  LaneMask members = meet(warp, i.slots[4]);
  if (members == 0)
    return;
  alignas(64) uint32_t values[warpSize];
  std::memcpy(values, warp.lanes<uint32_t>(i.slots[1]), sizeof(values));
  const uint32_t *b = warp.lanes<uint32_t>(i.slots[2]);
  const uint32_t *c = warp.lanes<uint32_t>(i.slots[3]);
  uint32_t *result = warp.lanes<uint32_t>(i.slots[0]);
  LaneMask valid = 0;
  for (LaneMask rest = warp.active; rest != 0; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    ShuffleSource source = shuffleSource<Mode>(lane, b[lane], c[lane]);
    if (!(warp.active >> source.lane & 1))
      return warp.fault(lane, "bad shuffle: it reads lane " +
                                  std::to_string(source.lane) +
                                  ", which does not take part");
    result[lane] = values[source.lane];
    valid |= LaneMask(source.inRange) << lane;
  }
  warp.setPredicate(warp.slotList(i)[0], valid);
}

Handler decodeShuffle(Decoder &decoder) {
  constexpr Handler handlers[] = {shuffle<Shuffle::Up>, shuffle<Shuffle::Down>,
                                  shuffle<Shuffle::Butterfly>,
                                  shuffle<Shuffle::Index>, nullptr};
  unsigned mode = decoder.acceptAny({"up", "down", "bfly", "idx"});
  if (!decoder.accept("sync"))
    return decoder.unsupported();
  decoder.type();
  std::vector<Operand> results = decoder.elements(0);
  Instruction &instruction = decoder.instruction();
  instruction.slots[0] = decoder.destinationSlot(results[0], ScalarType::B32);
  decoder.append(results.size() == 2
                     ? decoder.destinationSlot(results[1], ScalarType::Pred)
                     : decoder.scratch(1));
  for (unsigned index = 1; index <= 4; ++index)
    decoder.source(index, index, ScalarType::B32);
  return orUnsupported(decoder, handlers[mode]);
}

//===----------------------------------------------------------------------===//
// vote, match, redux, activemask, elect
//===----------------------------------------------------------------------===//

/// The lanes for which the source predicate (complemented for options[0])
/// holds.
LaneMask votes(Warp &warp, const Instruction &i) {
  return (warp.predicate(i.slots[1]) ^ (i.options[0] ? allLanes : 0)) &
         warp.active;
}

void voteAll(Warp &warp, const Instruction &i) {
  if (meet(warp, i.slots[2]))
    warp.setPredicate(i.slots[0], votes(warp, i) == warp.active ? allLanes : 0);
}
void voteAny(Warp &warp, const Instruction &i) {
  if (meet(warp, i.slots[2]))
    warp.setPredicate(i.slots[0], votes(warp, i) != 0 ? allLanes : 0);
}
void voteUniform(Warp &warp, const Instruction &i) {
  if (!meet(warp, i.slots[2]))
    return;
  LaneMask yes = votes(warp, i);
  warp.setPredicate(i.slots[0], yes == 0 || yes == warp.active ? allLanes : 0);
}
void voteBallot(Warp &warp, const Instruction &i) {
  if (!meet(warp, i.slots[2]))
    return;
  LaneMask yes = votes(warp, i);
  uint32_t *result = warp.lanes<uint32_t>(i.slots[0]);
  forEachLane(warp.active, [=](unsigned lane) { result[lane] = yes; });
}

Handler decodeVote(Decoder &decoder) {
  constexpr Handler handlers[] = {voteAll, voteAny, voteUniform, voteBallot,
                                  nullptr};
  unsigned mode = decoder.acceptAny({"all", "any", "uni", "ballot"});
  if (!decoder.accept("sync"))
    return decoder.unsupported();
  decoder.destination(0, 0, decoder.type());
  decoder.predicate(1, 1);
  decoder.instruction().options[0] = decoder.operand(1).isNegated;
  decoder.source(2, 2, ScalarType::B32);
  return orUnsupported(decoder, handlers[mode]);
}

/// slots: d, a, members; list[0]: the predicate of .all.
template <typename T, bool All>
void match(Warp &warp, const Instruction &i) {
  if (!meet(warp, i.slots[2]))
    return;
  const T *source = warp.lanes<T>(i.slots[1]);
  alignas(64) T values[warpSize];
  std::memcpy(values, source, sizeof(values));
  uint32_t *result = warp.lanes<uint32_t>(i.slots[0]);
  LaneMask allEqual = 0;
  for (LaneMask rest = warp.active; rest != 0; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    LaneMask equal = 0;
    for (LaneMask other = warp.active; other != 0; other &= other - 1)
      if (values[std::countr_zero(other)] == values[lane])
        equal |= other & -other;
    result[lane] = All && equal != warp.active ? 0 : equal;
    if (equal == warp.active)
      allEqual = allLanes;
  }
  if (All)
    warp.setPredicate(warp.slotList(i)[0], allEqual);
}

Handler decodeMatch(Decoder &decoder) {
  bool all = decoder.accept("all");
  if ((!all && !decoder.accept("any")) || !decoder.accept("sync"))
    return decoder.unsupported();
  ScalarType type = decoder.type();
  std::vector<Operand> results = decoder.elements(0);
  decoder.instruction().slots[0] =
      decoder.destinationSlot(results[0], ScalarType::B32);
  if (all)
    decoder.append(results.size() == 2
                       ? decoder.destinationSlot(results[1], ScalarType::Pred)
                       : decoder.scratch(1));
  decoder.source(1, 1, type);
  decoder.source(2, 2, ScalarType::B32);
  if (bitsOf(type) == 64)
    return all ? match<uint64_t, true> : match<uint64_t, false>;
  return all ? match<uint32_t, true> : match<uint32_t, false>;
}

template <typename T, auto Op>
void reduce(Warp &warp, const Instruction &i) {
  if (!meet(warp, i.slots[2]))
    return;
  const T *source = warp.lanes<T>(i.slots[1]);
  T total = source[std::countr_zero(warp.active)];
  for (LaneMask rest = warp.active & (warp.active - 1); rest; rest &= rest - 1)
    total = Op(total, source[std::countr_zero(rest)]);
  T *result = warp.lanes<T>(i.slots[0]);
  forEachLane(warp.active, [=](unsigned lane) { result[lane] = total; });
}

template <typename T>
T add(T a, T b) {
  return uint32_t(a) + uint32_t(b);
}
template <typename T>
T minOf(T a, T b) {
  return std::min(a, b);
}
template <typename T>
T maxOf(T a, T b) {
  return std::max(a, b);
}
template <typename T>
T bitAnd(T a, T b) {
  return a & b;
}
template <typename T>
T bitOr(T a, T b) {
  return a | b;
}
template <typename T>
T bitXor(T a, T b) {
  return a ^ b;
}

Handler decodeRedux(Decoder &decoder) {
  if (!decoder.accept("sync"))
    return decoder.unsupported();
  unsigned operation =
      decoder.acceptAny({"add", "min", "max", "and", "or", "xor"});
  ScalarType type = decoder.type();
  decoder.destination(0, 0, type);
  decoder.source(1, 1, type);
  decoder.source(2, 2, ScalarType::B32);
  using U = uint32_t;
  constexpr Handler onUnsigned[] = {reduce<U, add<U>>,
                                    reduce<U, minOf<U>>,
                                    reduce<U, maxOf<U>>,
                                    reduce<U, bitAnd<U>>,
                                    reduce<U, bitOr<U>>,
                                    reduce<U, bitXor<U>>,
                                    nullptr};
  constexpr Handler onSigned[] = {reduce<int32_t, add<int32_t>>,
                                  reduce<int32_t, minOf<int32_t>>,
                                  reduce<int32_t, maxOf<int32_t>>,
                                  nullptr,
                                  nullptr,
                                  nullptr,
                                  nullptr};
  if (bitsOf(type) != 32 || isFloat(type))
    return decoder.unsupported();
  return orUnsupported(decoder, isSigned(type) ? onSigned[operation]
                                               : onUnsigned[operation]);
}

void activeMask(Warp &warp, const Instruction &i) {
  uint32_t *result = warp.lanes<uint32_t>(i.slots[0]);
  uint32_t mask = warp.active;
  forEachLane(warp.active, [=](unsigned lane) { result[lane] = mask; });
}

Handler decodeActivemask(Decoder &decoder) {
  decoder.destination(0, 0, decoder.type());
  return activeMask;
}

/// The lowest member is elected. slots: d, -, members; list[0]: the predicate.
void elect(Warp &warp, const Instruction &i) {
  LaneMask members = meet(warp, i.slots[2]);
  if (members == 0)
    return;
  unsigned leader = std::countr_zero(warp.active);
  uint32_t *result = warp.lanes<uint32_t>(i.slots[0]);
  forEachLane(warp.active, [=](unsigned lane) { result[lane] = leader; });
  warp.setPredicate(warp.slotList(i)[0], LaneMask(1) << leader);
}

Handler decodeElect(Decoder &decoder) {
  if (!decoder.accept("sync"))
    return decoder.unsupported();
  std::vector<Operand> results = decoder.elements(0);
  decoder.instruction().slots[0] =
      decoder.destinationSlot(results[0], ScalarType::B32);
  decoder.append(results.size() == 2
                     ? decoder.destinationSlot(results[1], ScalarType::Pred)
                     : decoder.scratch(1));
  decoder.source(2, 1, ScalarType::B32);
  return elect;
}

constexpr Entry entries[] = {
    {"shfl", decodeShuffle},          {"vote", decodeVote},
    {"match", decodeMatch},           {"redux", decodeRedux},
    {"activemask", decodeActivemask}, {"elect", decodeElect},
};

} // namespace

std::span<const Entry> exec::warpInstructions() { return entries; }
