//===- SharedAccess.cpp - Requests to shared memory -----------------------===//
//===----------------------------------------------------------------------===//

#include "exec/Access.h"
#include "exec/Block.h"
#include "exec/ThreadRaces.h"

#include <algorithm>
#include <cstring>

using namespace graphrt;
using namespace graphrt::exec;

namespace {

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

/// Whether all bytes have that state; looks at four bytes at a time.
bool allAre(ByteState state, const uint8_t *states, unsigned bytes) {
  uint32_t differences = 0, wanted = 0x01010101u * uint8_t(state), four;
  for (unsigned offset = 0; offset < bytes; offset += 4) {
    std::memcpy(&four, states + offset, 4);
    differences |= four ^ wanted;
  }
  return differences == 0;
}

bool checkStates(Warp &warp, unsigned lane, uint64_t address, unsigned bytes,
                 AccessKind kind) {
  uint8_t *states = warp.block.sharedState.data() + address;
  if (bytes % 4 == 0 && allAre(ByteState::Initialized, states, bytes))
    return true;
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

/// The common case at once: 32 aligned, initialised neighbours, all accesses to
/// which are over. False leaves all to the lane-wise checks.
bool passesAsWhole(Warp &warp, Request request, const Addresses &addresses) {
  Block &block = warp.block;
  uint64_t begin = addresses.lane[0], total = request.bytes * warpSize;
  if (request.kind == AccessKind::Atomic || begin % 4 != 0 ||
      begin % request.bytes != 0 || begin > block.sharedBytes ||
      block.sharedBytes - begin < total)
    return false;
  uint8_t *states = block.sharedState.data() + begin;
  if (!allAre(ByteState::Initialized, states, total) &&
      (isLoad(request.kind) ||
       !allAre(ByteState::Uninitialized, states, total)))
    return false;
  if (checksRaces(block.launch, request.kind) &&
      !recordInOrder(warp, block.sharedCells.data() + begin / 4, request.bytes,
                     isLoad(request.kind), {true, true}))
    return false;
  if (isStore(request.kind))
    std::memset(states, int(ByteState::Initialized), total);
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
  if (!checksRaces(block.launch, kind))
    return true;
  ThreadRaceCheck check(warp, lane);
  uint64_t *cell = block.sharedCells.data() + address / 4;
  unsigned mask = maskOfWord(address, bytes);
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
  bool contiguous = isContiguous(warp, addresses, request.bytes);
  unsigned conflicts =
      contiguous ? 0
                 : countBankConflicts(addresses, warp.active, request.bytes);
  if (request.kind == AccessKind::Atomic) {
    ++counters.atomicRequests;
  } else if (isLoad(request.kind)) {
    ++counters.sharedLoadRequests;
    counters.sharedLoadConflicts += conflicts;
  } else {
    ++counters.sharedStoreRequests;
    counters.sharedStoreConflicts += conflicts;
  }
  bool passed = contiguous && passesAsWhole(warp, request, addresses);
  for (LaneMask rest = warp.active; rest != 0; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    if (!passed && !checkSharedLane(warp, lane, addresses.lane[lane],
                                    request.bytes, request.kind))
      return false;
    addresses.lane[lane] += reinterpret_cast<uint64_t>(warp.block.shared);
  }
  return true;
}
