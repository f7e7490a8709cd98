//===- Mbarrier.cpp - Barriers that count arrivals and bytes --------------===//

#include "exec/AsyncCopy.h"
#include "exec/Block.h"
#include "exec/BulkCopy.h"
#include "exec/DeviceMemory.h"
#include "exec/InstructionSet.h"
#include "exec/Lanes.h"

#include <cstring>

using namespace graphrt;
using namespace graphrt::exec;
using namespace graphrt::ptx;

namespace {

enum Option : unsigned { Is32, IsGeneric, Parity, Expects, Drops };

/// The shared address of the object in a lane.
uint32_t addressOf(Warp &warp, const Instruction &i, unsigned lane) {
  if (i.options[Is32])
    return warp.lanes<uint32_t>(i.slots[1])[lane] + uint32_t(i.immediate);
  uint64_t address = warp.lanes<uint64_t>(i.slots[1])[lane] + i.immediate;
  return i.options[IsGeneric] ? address - sharedWindow : address;
}

/// The object, or null after a fault.
Mbarrier *find(Warp &warp, const Instruction &i, unsigned lane) {
  auto found = warp.block.mbarriers.find(addressOf(warp, i, lane));
  if (found != warp.block.mbarriers.end())
    return &found->second;
  warp.fault(lane, "bad mbarrier: found none at shared address " +
                       std::to_string(addressOf(warp, i, lane)) +
                       ", expected one that mbarrier.init has made");
  return nullptr;
}

void init(Warp &warp, const Instruction &i) {
  const uint32_t *count = warp.lanes<uint32_t>(i.slots[2]);
  for (LaneMask rest = warp.active; rest != 0; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    uint32_t address = addressOf(warp, i, lane);
    Block &block = warp.block;
    if (address % 8 != 0 || address + uint64_t(8) > block.sharedBytes)
      return warp.fault(lane, "bad mbarrier: found shared address " +
                                  std::to_string(address) +
                                  ", expected a multiple of 8 in " +
                                  std::to_string(block.sharedBytes) + " bytes");
    Mbarrier &object = block.mbarriers[address];
    object = Mbarrier();
    object.expected = object.pending = count[lane];
    std::memset(block.sharedState.data() + address, int(ByteState::Initialized),
                8);
  }
}

void invalidate(Warp &warp, const Instruction &i) {
  for (LaneMask rest = warp.active; rest != 0; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    if (find(warp, i, lane))
      warp.block.mbarriers.erase(addressOf(warp, i, lane));
  }
}

/// slots: [0] the phase, as a token; [2] bytes (under Expects) or a count.
void arrive(Warp &warp, const Instruction &i) {
  warp.synchronize();
  for (LaneMask rest = warp.active; rest != 0; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    Mbarrier *object = find(warp, i, lane);
    if (!object)
      return;
    warp.lanes<uint64_t>(i.slots[0])[lane] = object->phase;
    uint32_t value =
        i.slots[2] == noSlot ? 1 : warp.lanes<uint32_t>(i.slots[2])[lane];
    if (i.options[Expects])
      object->transactions += value;
    uint32_t arrivals = i.options[Expects] ? 1 : value;
    if (object->pending < arrivals)
      return warp.fault(
          lane, "bad mbarrier: found " + std::to_string(arrivals) +
                    " arrivals, expected at most the " +
                    std::to_string(object->pending) + " that are pending");
    object->pending -= arrivals;
    if (i.options[Drops])
      object->expected -= arrivals;
    object->arriving.join(warp.clock);
    completePhase(warp.block, *object);
  }
}

void expectBytes(Warp &warp, const Instruction &i) {
  for (LaneMask rest = warp.active; rest != 0; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    if (Mbarrier *object = find(warp, i, lane))
      object->transactions += warp.lanes<uint32_t>(i.slots[2])[lane];
  }
}

/// slots: [0] the predicate, [2] a token or a phase's parity. What the object
/// waits for arrives now, not before.
void testWait(Warp &warp, const Instruction &i) {
  LaneMask done = 0;
  for (LaneMask rest = warp.active; rest != 0; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    Mbarrier *object = find(warp, i, lane);
    if (!object)
      return;
    deliverBulkCopies(warp.block, addressOf(warp, i, lane));
    bool isDone =
        i.options[Parity]
            ? (object->phase & 1) !=
                  (warp.lanes<uint32_t>(i.slots[2])[lane] & 1)
            : object->phase != uint32_t(warp.lanes<uint64_t>(i.slots[2])[lane]);
    if (!isDone)
      continue;
    done |= LaneMask(1) << lane;
    // Of the warp's own writes too: those of its bulk copies.
    warp.clock.join(object->complete);
  }
  warp.setPredicate(i.slots[0], done);
  if (done != warp.active)
    warp.yield();
}

/// The copies of cp.async of each lane arrive, and with them the lane.
void arriveWithCopies(Warp &warp, const Instruction &i) {
  completeAllCopies(warp);
  if (!warp.hasFaulted())
    arrive(warp, i);
}

/// With .noinc the object counts the arrival; without, it is added before.
void arriveWithCopiesAdded(Warp &warp, const Instruction &i) {
  for (LaneMask rest = warp.active; rest != 0; rest &= rest - 1)
    if (Mbarrier *object = find(warp, i, std::countr_zero(rest)))
      ++object->pending;
  arriveWithCopies(warp, i);
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

void decodeObject(Decoder &decoder, unsigned position) {
  Instruction &instruction = decoder.instruction();
  bool isShared =
      decoder.acceptAny({"shared", "shared::cta", "shared::cluster"}) < 3;
  decoder.accept("b64");
  instruction.options[Is32] = decoder.address(1, position).bits == 32;
  instruction.options[IsGeneric] = !isShared;
}

Handler decodeArrive(Decoder &decoder) {
  Instruction &instruction = decoder.instruction();
  instruction.options[Expects] = decoder.accept("expect_tx");
  // The token may be left out where the object can be remote.
  bool hasToken = decoder.operand(0).kind != Operand::Kind::Address;
  if (hasToken)
    decoder.destination(0, 0, ScalarType::B64);
  else
    instruction.slots[0] = decoder.scratch(64);
  decodeObject(decoder, hasToken);
  if (decoder.count() > 1u + hasToken)
    decoder.source(2, 1 + hasToken, ScalarType::U32);
  return arrive;
}

Handler decodeWait(Decoder &decoder) {
  Instruction &instruction = decoder.instruction();
  instruction.options[Parity] = decoder.accept("parity");
  decoder.destination(0, 0, ScalarType::Pred);
  decodeObject(decoder, 1);
  decoder.source(
      2, 2, instruction.options[Parity] ? ScalarType::U32 : ScalarType::B64);
  if (decoder.count() > 3)
    (void)decoder.operand(3); // How long to suspend at most.
  return testWait;
}

Handler decodeMbarrier(Decoder &decoder) {
  decoder.acceptAny({"release", "acquire", "relaxed"});
  decoder.acceptAny({"cta", "cluster"});
  if (decoder.accept("arrive_drop")) {
    Handler handler = decodeArrive(decoder);
    decoder.instruction().options[Drops] = 1;
    return handler;
  }
  if (decoder.accept("arrive"))
    return decodeArrive(decoder);
  if (decoder.accept("test_wait") || decoder.accept("try_wait"))
    return decodeWait(decoder);
  if (decoder.accept("init")) {
    decodeObject(decoder, 0);
    decoder.source(2, 1, ScalarType::U32);
    return init;
  }
  if (decoder.accept("inval")) {
    decodeObject(decoder, 0);
    return invalidate;
  }
  if (decoder.accept("expect_tx")) {
    decodeObject(decoder, 0);
    decoder.source(2, 1, ScalarType::U32);
    return expectBytes;
  }
  return decoder.unsupported();
}

constexpr Entry entries[] = {{"mbarrier", decodeMbarrier}};

} // namespace

Handler exec::decodeCopyArrive(Decoder &decoder) {
  if (!decoder.accept("arrive"))
    return decoder.unsupported();
  bool counted = decoder.accept("noinc");
  decoder.instruction().slots[0] = decoder.scratch(64);
  decodeObject(decoder, 0);
  return counted ? arriveWithCopies : arriveWithCopiesAdded;
}

void exec::completePhase(Block &block, Mbarrier &object) {
  if (object.pending != 0 || object.transactions != 0)
    return;
  ++object.phase;
  object.pending = object.expected;
  object.complete = object.arriving;
  object.arriving = Clock();
  ++block.counters.barriers;
}

std::span<const Entry> exec::mbarrierInstructions() { return entries; }
