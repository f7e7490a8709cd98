//===- SharedAccess.cpp - Requests to shared memory -----------------------===//
//
// Races between threads: every word has a cell with its last writer and its
// last reader, each as thread and time, and the bytes that they touched:
//
//   writer:10 | time:18 | reader:10 | time:18 | written:4 | read:4
//
// The block's time advances at every event that orders accesses. An access is
// ordered behind an earlier one of a warp if the accessing warp's clock has
// seen a later time of that warp: a barrier joins the clocks of all that pass
// it, bar.warp.sync and shuffles advance a warp's own entry. Only the last
// reader is known, so that a write after several reads may race unnoticed with
// all but one; never is an ordered access reported.
//
//===----------------------------------------------------------------------===//

#include "exec/Access.h"
#include "exec/Block.h"

#include <algorithm>
#include <cstring>

using namespace graphrt;
using namespace graphrt::exec;

namespace {

constexpr uint32_t threadMask = 1023, timeMask = (1 << 18) - 1;

struct Cell {
  uint64_t bits;

  unsigned writer() const { return bits >> 54; }
  uint32_t writeTime() const { return bits >> 36 & timeMask; }
  unsigned reader() const { return bits >> 26 & threadMask; }
  uint32_t readTime() const { return bits >> 8 & timeMask; }
  unsigned written() const { return bits >> 4 & 15; }
  unsigned read() const { return bits & 15; }

  void setWriter(unsigned thread, uint32_t time, unsigned mask) {
    bits = (bits & ((uint64_t(1) << 36) - 1) & ~uint64_t(0xf0)) |
           uint64_t(thread) << 54 | uint64_t(time) << 36 | mask << 4;
  }
  void setReader(unsigned thread, uint32_t time, unsigned mask) {
    constexpr uint64_t fields = (uint64_t(1) << 36) - (uint64_t(1) << 8);
    bits = (bits & ~fields & ~uint64_t(15)) | uint64_t(thread) << 26 |
           uint64_t(time) << 8 | mask;
  }
};

class RaceCheck {
public:
  RaceCheck(const Warp &warp, unsigned lane)
      : warp(warp), thread(warp.index * warpSize + lane),
        time(warp.block.time) {}

  void read(uint64_t &bits, unsigned mask) {
    Cell cell{bits};
    if (cell.written() & mask)
      compare(cell.writer(), cell.writeTime(), false);
    bool same = cell.reader() == thread && cell.readTime() == time;
    cell.setReader(thread, time, same ? cell.read() | mask : mask);
    bits = cell.bits;
  }

  void write(uint64_t &bits, unsigned mask, bool atomic) {
    Cell cell{bits};
    // Atomics order themselves against each other, but are recorded as
    // writes; the cells do not tell them apart.
    if (!atomic && (cell.written() & mask))
      compare(cell.writer(), cell.writeTime(), false);
    if (cell.read() & mask)
      compare(cell.reader(), cell.readTime(), true);
    bool same = cell.writer() == thread && cell.writeTime() == time;
    cell.setWriter(thread, time, same ? cell.written() | mask : mask);
    bits = cell.bits;
  }

  bool found() const { return other >= 0; }
  std::string describe() const {
    return std::string("a ") + (otherReads ? "read" : "write") + " by " +
           warp.block.describeThread(other) + " with no barrier between";
  }

private:
  void compare(unsigned previous, uint32_t when, bool isRead) {
    if (previous == thread || when < warp.clock.seen[previous / warpSize])
      return;
    other = previous;
    otherReads = isRead;
  }

  const Warp &warp;
  unsigned thread;
  uint32_t time;
  int other = -1;
  bool otherReads = false;
};

bool reportBadBytes(Warp &warp, unsigned lane, uint64_t address, unsigned bytes,
                    AccessKind kind, uint8_t worst) {
  std::string access = describeAccess(kind, bytes, address);
  if (worst == uint8_t(ByteState::InFlight))
    warp.fault(lane, "missing wait: " + access +
                         " of shared memory that an asynchronous copy has not "
                         "yet filled");
  else
    warp.fault(lane, "uninitialised " + access + " of shared memory");
  return false;
}

bool checkStates(Warp &warp, unsigned lane, uint64_t address, unsigned bytes,
                 AccessKind kind) {
  uint8_t *states = warp.block.sharedState.data() + address;
  bool anyInFlight = false, allInitialized = true;
  for (unsigned byte = 0; byte < bytes; ++byte) {
    anyInFlight |= states[byte] == uint8_t(ByteState::InFlight);
    allInitialized &= states[byte] == uint8_t(ByteState::Initialized);
  }
  if (anyInFlight)
    return reportBadBytes(warp, lane, address, bytes, kind,
                          uint8_t(ByteState::InFlight));
  if (isStore(kind))
    std::memset(states, int(ByteState::Initialized), bytes);
  else if (!allInitialized && warp.block.launch.options.checkInitialized)
    return reportBadBytes(warp, lane, address, bytes, kind,
                          uint8_t(ByteState::Uninitialized));
  return true;
}

} // namespace

bool exec::checkSharedLane(Warp &warp, unsigned lane, uint64_t address,
                           unsigned bytes, AccessKind kind) {
  Block &block = warp.block;
  if (address > block.sharedBytes || block.sharedBytes - address < bytes) {
    warp.fault(lane,
               "out-of-bounds " + describeAccess(kind, bytes, address) +
                   " of shared memory, which has " +
                   std::to_string(block.sharedBytes) + " bytes,",
               FaultKind::IllegalAddress);
    return false;
  }
  if (address % bytes != 0) {
    warp.fault(lane,
               "misaligned " + describeAccess(kind, bytes, address) +
                   " of shared memory",
               FaultKind::MisalignedAddress);
    return false;
  }
  if (!checkStates(warp, lane, address, bytes, kind))
    return false;
  if (!block.launch.options.checkRaces || kind == AccessKind::StrongLoad ||
      kind == AccessKind::StrongStore)
    return true;
  RaceCheck check(warp, lane);
  uint64_t *cell = block.sharedCells.data() + address / 4;
  unsigned mask = bytes >= 4 ? 15 : ((1 << bytes) - 1) << (address % 4);
  for (unsigned word = 0; word < std::max(1u, bytes / 4); ++word) {
    if (isLoad(kind))
      check.read(cell[word], mask);
    else
      check.write(cell[word], mask, kind == AccessKind::Atomic);
  }
  if (check.found())
    warp.fault(lane, "race: " + describeAccess(kind, bytes, address) +
                         " of shared memory against " + check.describe());
  return !check.found();
}

bool exec::resolveShared(Warp &warp, Request request, Addresses &addresses) {
  Counters &counters = warp.block.counters;
  unsigned conflicts =
      countBankConflicts(addresses, warp.active, request.bytes);
  if (request.kind == AccessKind::Atomic) {
    ++counters.atomicRequests;
  } else if (isLoad(request.kind)) {
    ++counters.sharedLoadRequests;
    counters.sharedLoadConflicts += conflicts;
  } else {
    ++counters.sharedStoreRequests;
    counters.sharedStoreConflicts += conflicts;
  }
  for (LaneMask rest = warp.active; rest != 0; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    if (!checkSharedLane(warp, lane, addresses.lane[lane], request.bytes,
                         request.kind))
      return false;
    addresses.lane[lane] += reinterpret_cast<uint64_t>(warp.block.shared);
  }
  return true;
}
