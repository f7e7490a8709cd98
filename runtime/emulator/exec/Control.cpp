//===- Control.cpp - Branches, barriers and fences ------------------------===//

#include "exec/Control.h"

#include "exec/Block.h"
#include "exec/DeviceMemory.h"
#include "exec/InstructionSet.h"
#include "exec/Lanes.h"

#include <algorithm>
#include <cstring>

using namespace graphrt;
using namespace graphrt::exec;
using namespace graphrt::ptx;

//===----------------------------------------------------------------------===//
// Branches and calls
//===----------------------------------------------------------------------===//

void exec::executeExit(Warp &warp, const Instruction &) { warp.exit(); }

void exec::executeCall(Warp &warp, const Instruction &i) {
  // The instruction behind this one in the code.
  uint32_t next = &i - warp.block.launch.kernel.code.data() + 1;
  uint32_t *link = warp.lanes<uint32_t>(i.slots[0]);
  forEachLane(warp.active, [=](unsigned lane) { link[lane] = next; });
  warp.branch(i.immediate);
}

void exec::executeReturn(Warp &warp, const Instruction &i) {
  warp.branchEach(warp.lanes<uint32_t>(i.slots[0]));
}

void exec::executeLocalCopy(Warp &warp, const Instruction &i) {
  for (LaneMask rest = warp.active; rest != 0; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    std::memmove(warp.local(lane) + i.slots[0], warp.local(lane) + i.slots[1],
                 i.slots[2]);
    std::memmove(warp.localState(lane) + i.slots[0],
                 warp.localState(lane) + i.slots[1], i.slots[2]);
  }
}

void exec::executeIndexedBranch(Warp &warp, const Instruction &i) {
  const uint32_t *index = warp.lanes<uint32_t>(i.slots[0]);
  uint32_t targets[warpSize] = {};
  for (LaneMask rest = warp.active; rest != 0; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    if (index[lane] >= uint64_t(i.immediate))
      return warp.fault(
          lane, "bad branch: found index " + std::to_string(index[lane]) +
                    ", expected less than " + std::to_string(i.immediate));
    targets[lane] = warp.slotList(i)[index[lane]];
  }
  warp.branchEach(targets);
}

namespace {

void branch(Warp &warp, const Instruction &i) { warp.branch(i.immediate); }

Handler decodeBranch(Decoder &decoder) {
  decoder.accept("uni");
  decoder.label(0);
  return branch;
}

Handler decodeReturn(Decoder &decoder) {
  decoder.accept("uni");
  if (decoder.link == noSlot)
    return executeExit;
  decoder.instruction().slots[0] = decoder.link;
  return executeReturn;
}

Handler decodeExit(Decoder &) { return executeExit; }

void trap(Warp &warp, const Instruction &) {
  warp.fault(std::countr_zero(warp.active), "trap reached");
}

Handler decodeTrap(Decoder &) { return trap; }

//===----------------------------------------------------------------------===//
// Barriers of the block
//===----------------------------------------------------------------------===//

/// options[0]: all live lanes of the warp must come together; options[1]: wait.
/// slots: [1] the barrier's number, [2] the threads expected or noSlot.
void barrier(Warp &warp, const Instruction &i) {
  if (i.options[0] && !warp.converge(warp.live(), /*countsEnded=*/true))
    return;
  unsigned lane = std::countr_zero(warp.active);
  uint32_t number = warp.lanes<uint32_t>(i.slots[1])[lane];
  uint32_t count =
      i.slots[2] == noSlot ? 0 : warp.lanes<uint32_t>(i.slots[2])[lane];
  if (number >= 16)
    return warp.fault(lane, "bad barrier: found number " +
                                std::to_string(number) +
                                ", expected less than 16");
  if (count % warpSize != 0)
    return warp.fault(lane, "bad barrier: found " + std::to_string(count) +
                                " threads, expected a multiple of 32");
  warp.block.arrive(warp, number, count, i.options[1]);
}

void synchronizeWarp(Warp &warp, const Instruction &i) {
  LaneMask required =
      warp.lanes<uint32_t>(i.slots[1])[std::countr_zero(warp.active)];
  if (warp.converge(required, /*countsEnded=*/false))
    warp.synchronize();
}

Handler decodeBarrier(Decoder &decoder) {
  Instruction &instruction = decoder.instruction();
  if (decoder.accept("warp")) {
    if (!decoder.accept("sync"))
      return decoder.unsupported();
    decoder.source(1, 0, ScalarType::B32);
    return synchronizeWarp;
  }
  // The two spellings: bar is barrier with .aligned.
  bool isCluster = decoder.accept("cluster");
  decoder.accept("cta");
  bool arrives = decoder.accept("arrive");
  bool waits = decoder.accept("sync") || decoder.accept("wait");
  if (arrives == waits)
    return decoder.unsupported();
  instruction.options[0] =
      decoder.accept("aligned") || decoder.mnemonic() == "bar";
  instruction.options[1] = waits;
  if (isCluster) {
    // A cluster has one block; its barrier is one more of the block's, at which
    // an arrival does nothing and the wait does all.
    decoder.acceptAny({"acquire", "release", "relaxed"});
    instruction.slots[1] = decoder.constant(32, 15);
    return waits ? barrier : [](Warp &, const Instruction &) {};
  }
  decoder.source(1, 0, ScalarType::B32);
  if (decoder.count() > 1)
    decoder.source(2, 1, ScalarType::B32);
  return barrier;
}

//===----------------------------------------------------------------------===//
// Fences and hints
//===----------------------------------------------------------------------===//

void fenceDevice(Warp &warp, const Instruction &) {
  warp.block.launch.flags[warp.block.number].fetch_or(
      LaunchState::Fenced, std::memory_order_relaxed);
}

void doNothing(Warp &, const Instruction &) {}

/// Fences narrower than the device change nothing: accesses of the emulated
/// threads happen in order.
Handler decodeFence(Decoder &decoder) {
  decoder.acceptAny({"sc", "acq_rel", "acquire", "release"});
  if (decoder.acceptAny({"gl", "gpu", "sys"}) < 3)
    return fenceDevice;
  while (decoder.acceptAny({"cta", "cluster", "proxy", "async",
                            "async::generic", "async.global", "shared::cta",
                            "shared::cluster", "global", "mbarrier_init",
                            "alias", "tensormap::generic",
                            "sync_restrict::shared::cta"}) < 13)
    ;
  return doNothing;
}

/// Hints to the scheduler: their operands do not matter.
Handler decodeHint(Decoder &decoder) {
  while (decoder.acceptAny({"inc", "dec", "sync", "aligned", "u32",
                            "launch_dependents", "wait"}) < 7)
    ;
  for (unsigned position = 0; position < decoder.count(); ++position)
    (void)decoder.operand(position);
  return doNothing;
}

constexpr Entry entries[] = {
    {"bra", decodeBranch},      {"ret", decodeReturn},
    {"exit", decodeExit},       {"trap", decodeTrap},
    {"brkpt", decodeTrap},      {"bar", decodeBarrier},
    {"barrier", decodeBarrier}, {"membar", decodeFence},
    {"fence", decodeFence},     {"nanosleep", decodeHint},
    {"setmaxnreg", decodeHint}, {"griddepcontrol", decodeHint},
};

} // namespace

std::span<const Entry> exec::controlInstructions() { return entries; }
