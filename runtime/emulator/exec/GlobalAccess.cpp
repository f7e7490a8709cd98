//===- GlobalAccess.cpp - Requests to global memory -----------------------===//
//===----------------------------------------------------------------------===//

#include "exec/Access.h"
#include "exec/Block.h"
#include "exec/GlobalRaces.h"
#include "exec/ThreadRaces.h"

#include <algorithm>
#include <cstring>

using namespace graphrt;
using namespace graphrt::exec;

namespace {

/// Where the address lies relative to what is allocated.
std::string describePlace(const DeviceMemory &memory, uint64_t address) {
  const DeviceMemory::Allocation *near = memory.nearest(address);
  if (!near)
    return ", nothing is allocated,";
  char begin[32];
  std::snprintf(begin, sizeof(begin), "0x%llx",
                (unsigned long long)near->address);
  std::string allocation = std::string(near->freed ? "the freed" : "the") +
                           " allocation of " + std::to_string(near->bytes) +
                           " bytes at " + begin;
  if (address < near->address)
    return ", " + std::to_string(near->address - address) + " bytes before " +
           allocation + ",";
  uint64_t offset = address - near->address;
  if (offset >= near->bytes)
    return ", " + std::to_string(offset - near->bytes) +
           " bytes behind the end of " + allocation + ",";
  return ", " + std::to_string(offset) + " bytes into " + allocation + ",";
}

/// Says what is wrong with an access that a check refused.
void reportBadBytes(Warp &warp, unsigned lane, uint64_t address, unsigned bytes,
                    AccessKind kind) {
  const DeviceMemory &memory = warp.block.launch.memory;
  const char *what = "uninitialised ";
  FaultKind fault = FaultKind::Other;
  for (unsigned byte = 0; byte < bytes; ++byte) {
    uint8_t state = memory.contains(address + byte)
                        ? *memory.states(address + byte)
                        : uint8_t(ByteState::Unallocated);
    if (state == uint8_t(ByteState::Unallocated))
      what = "out-of-bounds ";
    else if (state == uint8_t(ByteState::Freed))
      what = "use after free: ";
    else
      continue;
    fault = FaultKind::IllegalAddress;
    break;
  }
  warp.fault(lane,
             what + describeAccess(kind, bytes, address) +
                 describePlace(memory, address),
             fault);
}

bool checkBytes(Warp &warp, unsigned lane, uint64_t address, unsigned bytes,
                AccessKind kind) {
  LaunchState &launch = warp.block.launch;
  if (!launch.memory.contains(address) ||
      !launch.memory.contains(address + bytes - 1)) {
    reportBadBytes(warp, lane, address, bytes, kind);
    return false;
  }
  if (address % bytes != 0) {
    warp.fault(lane,
               "misaligned " + describeAccess(kind, bytes, address) +
                   describePlace(launch.memory, address),
               FaultKind::MisalignedAddress);
    return false;
  }
  uint8_t *states = launch.memory.states(address);
  auto [worst, best] = std::minmax_element(states, states + bytes);
  bool mustBeInitialized = !isStore(kind) && launch.options.checkInitialized;
  if (*worst < uint8_t(ByteState::Uninitialized) ||
      (mustBeInitialized && *best < uint8_t(ByteState::Initialized))) {
    reportBadBytes(warp, lane, address, bytes, kind);
    return false;
  }
  if (isStore(kind))
    std::memset(states, int(ByteState::Initialized), bytes);
  return true;
}

bool recordRaces(Warp &warp, unsigned lane, uint64_t address, unsigned bytes,
                 AccessKind kind) {
  LaunchState &launch = warp.block.launch;
  if (!checksRaces(launch, kind))
    return true;
  GlobalRaceCheck check(warp, kind);
  if (check.record(lane, address, bytes))
    return true;
  warp.fault(lane, "race: " + describeAccess(kind, bytes, address) +
                       " against " + check.describe() +
                       describePlace(launch.memory, address));
  return false;
}

/// Whether all bytes have one of the states whose bits `accepted` has, a
/// constant of a byte; looks at eight bytes at a time.
bool allHaveBits(const uint8_t *states, unsigned bytes, uint8_t accepted) {
  constexpr uint64_t ones = 0x0101010101010101;
  uint64_t all = ones;
  for (unsigned offset = 0; offset < bytes; offset += 8) {
    uint64_t eight;
    std::memcpy(&eight, states + offset, 8);
    eight &= ones * accepted;
    all &= eight | eight >> 1 | eight >> 2;
  }
  return (all & ones) == ones;
}

/// Bits of the states that a load and a store accept.
constexpr uint8_t loadable = uint8_t(ByteState::Initialized);
constexpr uint8_t storable =
    uint8_t(ByteState::Initialized) | uint8_t(ByteState::Uninitialized);
static_assert(loadable == 4 && storable == 6 &&
              !(storable & uint8_t(ByteState::Freed)));

/// The common case at once: 32 neighbours, aligned, initialised, and nobody
/// else's. False leaves all to the lane-wise checks.
bool passesAsWhole(Warp &warp, Request request, const Addresses &addresses) {
  LaunchState &launch = warp.block.launch;
  uint64_t begin = addresses.lane[0];
  unsigned total = request.bytes * warpSize;
  if (request.kind == AccessKind::Atomic || begin % request.bytes != 0 ||
      !launch.memory.contains(begin) ||
      !launch.memory.contains(begin + total - 1))
    return false;
  uint8_t *states = launch.memory.states(begin);
  if (!allHaveBits(states, total, isLoad(request.kind) ? loadable : storable))
    return false;
  if (isStore(request.kind))
    std::memset(states, int(ByteState::Initialized), total);
  return !checksRaces(launch, request.kind) ||
         (begin % 4 == 0 &&
          GlobalRaceCheck(warp, request.kind).recordAll(begin, request.bytes));
}

/// The lanes to check one by one. Where all load the same, two are enough: the
/// cells of races know one last reader, and one of two lanes is not the last
/// writer.
LaneMask lanesToCheck(const Warp &warp, Request request,
                      const Addresses &addresses) {
  unsigned first = std::countr_zero(warp.active);
  unsigned last = warpSize - 1 - std::countl_zero(warp.active);
  uint64_t differences = !isLoad(request.kind);
  for (LaneMask rest = warp.active; rest != 0; rest &= rest - 1)
    differences |=
        addresses.lane[std::countr_zero(rest)] ^ addresses.lane[first];
  return differences ? warp.active : LaneMask(1) << first | LaneMask(1) << last;
}

void count(Warp &warp, Request request, const Addresses &addresses,
           bool contiguous) {
  Counters &counters = warp.block.counters;
  if (request.space == Space::Constant)
    return;
  Sectors sectors;
  if (contiguous) {
    uint64_t end = addresses.lane[0] + warpSize * request.bytes;
    sectors = {unsigned((end + 31) / 32 - addresses.lane[0] / 32),
               request.bytes};
  } else {
    sectors = countSectors(addresses, warp.active, request.bytes);
  }
  uint64_t bytes = std::popcount(warp.active) * request.bytes;
  if (request.kind == AccessKind::Atomic)
    ++counters.atomicRequests;
  if (isLoad(request.kind)) {
    ++counters.globalLoadRequests;
    counters.globalLoadBytes += bytes;
    counters.globalLoadSectors += sectors.touched;
    counters.idealLoadSectors += sectors.ideal;
  } else if (isStore(request.kind)) {
    ++counters.globalStoreRequests;
    counters.globalStoreBytes += bytes;
    counters.globalStoreSectors += sectors.touched;
    counters.idealStoreSectors += sectors.ideal;
  }
}

} // namespace

bool exec::checkGlobalLane(Warp &warp, unsigned lane, uint64_t address,
                           unsigned bytes, AccessKind kind) {
  return checkBytes(warp, lane, address, bytes, kind) &&
         recordRaces(warp, lane, address, bytes, kind);
}

/// Loads and stores that order themselves, see GlobalRaces.h.
static void orderBlocks(Block &block, AccessKind kind) {
  std::atomic<uint8_t> &flags = block.launch.flags[block.number];
  uint8_t now = flags.load(std::memory_order_relaxed);
  if (kind == AccessKind::StrongLoad)
    now |= LaunchState::Acquired;
  else if (now & LaunchState::Fenced)
    now |= LaunchState::Published;
  flags.store(now, std::memory_order_release);
}

bool exec::resolveGlobal(Warp &warp, Request request, Addresses &addresses) {
  if (request.kind == AccessKind::StrongLoad ||
      request.kind == AccessKind::StrongStore)
    orderBlocks(warp.block, request.kind);
  bool contiguous = isContiguous(warp, addresses, request.bytes);
  count(warp, request, addresses, contiguous);
  if (contiguous && passesAsWhole(warp, request, addresses))
    return true;
  for (LaneMask rest = lanesToCheck(warp, request, addresses); rest != 0;
       rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    if (!checkGlobalLane(warp, lane, addresses.lane[lane], request.bytes,
                         request.kind))
      return false;
  }
  return true;
}
