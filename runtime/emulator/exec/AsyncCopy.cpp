//===- AsyncCopy.cpp - cp.async and its groups ----------------------------===//

#include "exec/AsyncCopy.h"

#include "exec/Access.h"
#include "exec/Block.h"
#include "exec/InstructionSet.h"
#include "exec/Lanes.h"

#include <algorithm>
#include <cstring>

using namespace graphrt;
using namespace graphrt::exec;
using namespace graphrt::ptx;

namespace {

/// options[0]: bytes, [1]: the target's address has 32 bits, [2]: [3] is a
/// source size, else a predicate that ignores the source. slots: [0] target,
/// [1] source, [2] size or predicate. The source's offset is in the list.
void copy(Warp &warp, const Instruction &i) {
  unsigned bytes = i.options[0];
  Addresses target, source;
  readAddresses(warp, i.slots[0], i.options[1], i.immediate, target);
  readAddresses(warp, i.slots[1], false, int32_t(warp.slotList(i)[0]), source);
  AsyncCopy entry = {};
  entry.lanes = warp.active;
  entry.bytes = bytes;
  for (LaneMask rest = warp.active; rest != 0; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    uint32_t size = bytes;
    if (i.options[2])
      size = std::min<uint32_t>(warp.lanes<uint32_t>(i.slots[2])[lane], bytes);
    else if (i.slots[2] != noSlot && (warp.predicate(i.slots[2]) >> lane & 1))
      size = 0;
    entry.sourceBytes[lane] = size;
    entry.target[lane] = target.lane[lane];
    entry.source[lane] = source.lane[lane];
    entry.group[lane] = warp.committedCopies[lane];
  }
  // The source is a request of the lanes that read from it; a short one is
  // checked byte by byte.
  LaneMask all = warp.active, whole = 0;
  for (LaneMask rest = all; rest != 0; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    if (entry.sourceBytes[lane] == bytes)
      whole |= LaneMask(1) << lane;
    for (unsigned byte = 0;
         entry.sourceBytes[lane] != bytes && byte < entry.sourceBytes[lane];
         ++byte)
      if (!checkGlobalLane(warp, lane, source.lane[lane] + byte, 1,
                           AccessKind::Load))
        return;
  }
  warp.active = whole;
  bool good = whole == 0 ||
              resolveGlobal(
                  warp, {exec::Space::Global, AccessKind::Load, uint8_t(bytes)},
                  source);
  warp.active = all;
  // The target is written now as far as races go, and in flight until the wait.
  if (!good ||
      !resolveShared(warp,
                     {exec::Space::Shared, AccessKind::Store, uint8_t(bytes)},
                     target))
    return;
  for (LaneMask rest = all; rest != 0; rest &= rest - 1)
    std::memset(warp.block.sharedState.data() +
                    entry.target[std::countr_zero(rest)],
                int(ByteState::InFlight), bytes);
  warp.block.counters.asyncCopyBytes += std::popcount(all) * bytes;
  warp.copies.push_back(entry);
}

void arrive(Warp &warp, const AsyncCopy &entry, unsigned lane) {
  Block &block = warp.block;
  uint32_t target = entry.target[lane];
  uint8_t *bytes = block.shared + target;
  std::memset(bytes, 0, entry.bytes);
  std::memcpy(bytes, reinterpret_cast<const void *>(entry.source[lane]),
              entry.sourceBytes[lane]);
  std::memset(block.sharedState.data() + target, int(ByteState::Initialized),
              entry.bytes);
  // The write happens now.
  checkSharedLane(warp, lane, target, entry.bytes, AccessKind::Store);
}

} // namespace

void exec::completeCopies(Warp &warp, const uint32_t *end) {
  for (AsyncCopy &entry : warp.copies)
    for (LaneMask rest = entry.lanes & warp.active; rest; rest &= rest - 1) {
      unsigned lane = std::countr_zero(rest);
      if (entry.group[lane] >= end[lane])
        continue;
      entry.lanes &= ~(LaneMask(1) << lane);
      arrive(warp, entry, lane);
      if (warp.hasFaulted())
        return;
    }
  std::erase_if(warp.copies,
                [](const AsyncCopy &entry) { return entry.lanes == 0; });
}

void exec::completeAllCopies(Warp &warp) {
  uint32_t end[warpSize];
  std::fill_n(end, warpSize, ~uint32_t(0));
  completeCopies(warp, end);
}

namespace {

void commitGroup(Warp &warp, const Instruction &) {
  forEachLane(warp.active,
              [&](unsigned lane) { ++warp.committedCopies[lane]; });
}

/// All but the latest `immediate` groups.
void waitGroup(Warp &warp, const Instruction &i) {
  uint32_t end[warpSize];
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    uint32_t committed = warp.committedCopies[lane];
    end[lane] = committed > i.immediate ? committed - i.immediate : 0;
  }
  completeCopies(warp, end);
}

void waitAll(Warp &warp, const Instruction &) { completeAllCopies(warp); }

Handler decodeCopy(Decoder &decoder) {
  Instruction &instruction = decoder.instruction();
  decoder.acceptAny({"ca", "cg"});
  decoder.acceptAny({"shared", "shared::cta"});
  decoder.accept("global");
  decoder.accept("L2::cache_hint");
  decoder.acceptAny({"L2::64B", "L2::128B", "L2::256B"});
  int64_t bytes = decoder.integer(2);
  if (bytes != 4 && bytes != 8 && bytes != 16)
    return decoder.fail("found a copy of " + std::to_string(bytes) +
                        " bytes, expected 4, 8 or 16");
  instruction.options[0] = bytes;
  decoder.address(1, 1);
  decoder.append(Slot(instruction.immediate));
  instruction.options[1] = decoder.address(0, 0).bits == 32;
  if (const Operand *extra = decoder.optional(3)) {
    instruction.options[2] =
        !(extra->kind == Operand::Kind::Register && extra->bits == 1);
    if (instruction.options[2])
      decoder.source(2, 3, ScalarType::U32);
    else
      decoder.predicate(2, 3);
  }
  return copy;
}

Handler decodeCpAsync(Decoder &decoder) {
  if (!decoder.accept("async"))
    return decoder.unsupported();
  if (decoder.accept("bulk"))
    return decodeBulkCopy(decoder);
  if (decoder.accept("mbarrier"))
    return decodeCopyArrive(decoder);
  if (decoder.accept("commit_group"))
    return commitGroup;
  if (decoder.accept("wait_all"))
    return waitAll;
  if (decoder.accept("wait_group")) {
    decoder.instruction().immediate = decoder.integer(0);
    return waitGroup;
  }
  return decodeCopy(decoder);
}

constexpr Entry entries[] = {{"cp", decodeCpAsync}};

} // namespace

std::span<const Entry> exec::asyncCopyInstructions() { return entries; }
