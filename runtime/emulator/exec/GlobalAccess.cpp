//===- GlobalAccess.cpp - Requests to global memory -----------------------===//
//
// Races between blocks: every four bytes have a cell that says which block
// wrote and which blocks read them in this launch, and which of the bytes.
// Two accesses of different blocks to the same byte, one a plain write, race,
// unless both blocks order themselves: the earlier one with a fence followed by
// an atomic (or a store with release), the later one with an atomic or a load
// with acquire. That both use the same flag is not checked.
//
//===----------------------------------------------------------------------===//

#include "exec/Access.h"
#include "exec/Block.h"
#include "exec/RaceCell.h"

#include <algorithm>
#include <cstring>

using namespace graphrt;
using namespace graphrt::exec;

namespace {

/// A block's name in cells: from 1, and below the marks for many.
uint32_t nameOf(uint64_t block) { return block % (Cell::manyWriters - 1) + 1; }

uint64_t loadRelaxed(const uint64_t *cell) {
  return __atomic_load_n(cell, __ATOMIC_RELAXED);
}

void storeRelaxed(uint64_t *cell, uint64_t value) {
  __atomic_store_n(cell, value, __ATOMIC_RELAXED);
}

class RaceCheck {
public:
  RaceCheck(Warp &warp, AccessKind kind)
      : launch(warp.block.launch), block(warp.block), kind(kind),
        self(nameOf(warp.block.number)) {}

  /// Records an access to the bytes `mask` of a cell. False for a race, which
  /// leaves the cell as it was, to be found again.
  bool record(uint64_t *cell, unsigned mask) {
    Cell old{loadRelaxed(cell)};
    uint64_t before = old.bits;
    if (old.launch() != launch.epoch)
      old.bits = 0;
    Cell updated = isLoad(kind) ? read(old, mask) : write(old, mask);
    if (other == 0 && updated.bits != before)
      storeRelaxed(cell, updated.bits);
    return other == 0;
  }

  std::string describe() const {
    std::string who = other == Cell::manyWriters || other == Cell::manyReaders
                          ? "several other blocks"
                          : "block number " + std::to_string(other - 1);
    return std::string("a ") + (otherReads ? "read" : "write") + " by " + who +
           " in this launch";
  }

private:
  Cell read(Cell old, unsigned mask) {
    if (old.writer() != 0 && old.writer() != self && (old.written() & mask))
      conflict(old.writer(), false);
    // Of the bytes that several blocks read, only those count that two have
    // surely read: a block may overwrite what it alone has read.
    uint32_t reader = self;
    unsigned bytesRead = mask;
    if (old.reader() == self) {
      bytesRead |= old.read();
    } else if (old.reader() == Cell::manyReaders || (old.read() & mask)) {
      reader = Cell::manyReaders;
      bytesRead =
          old.reader() == Cell::manyReaders ? old.read() : old.read() & mask;
    }
    return Cell::pack(launch.epoch, old.atomic(), old.writer(), reader,
                      old.written(), bytesRead);
  }

  Cell write(Cell old, unsigned mask) {
    bool atomic = kind == AccessKind::Atomic;
    uint32_t writer = self;
    unsigned written = mask;
    if (old.writer() == self) {
      written |= old.written();
      atomic &= old.atomic();
    } else if (old.writer() != 0 && (old.written() & mask)) {
      if (atomic && old.atomic())
        writer = Cell::manyWriters;
      else
        conflict(old.writer(), false);
    }
    if (old.reader() != 0 && old.reader() != self && (old.read() & mask))
      conflict(old.reader(), true);
    return Cell::pack(launch.epoch, atomic, writer, old.reader(), written,
                      old.read());
  }

  void conflict(uint32_t found, bool isRead) {
    bool acquired = launch.flags[block.number] & LaunchState::Acquired;
    bool isMany = found >= Cell::manyWriters;
    bool published =
        isMany || (found - 1 < launch.blocks &&
                   launch.flags[found - 1] & LaunchState::Published);
    if (acquired && published)
      return;
    other = found;
    otherReads = isRead;
  }

  LaunchState &launch;
  Block &block;
  AccessKind kind;
  uint32_t self;
  uint32_t other = 0;
  bool otherReads = false;
};

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
  if (!launch.options.checkRaces || kind == AccessKind::StrongLoad ||
      kind == AccessKind::StrongStore)
    return true;
  RaceCheck check(warp, kind);
  launch.memory.touch(address, bytes, launch.epoch);
  uint64_t *cell = launch.memory.cells(address);
  unsigned mask = bytes >= 4 ? 15 : ((1 << bytes) - 1) << (address % 4);
  bool good = true;
  for (unsigned word = 0; word < std::max(1u, bytes / 4); ++word)
    good &= check.record(cell + word, mask);
  if (!good)
    warp.fault(lane, "race: " + describeAccess(kind, bytes, address) +
                         " against " + check.describe() +
                         describePlace(launch.memory, address));
  return good;
}

bool isContiguous(const Addresses &addresses, unsigned bytes) {
  uint64_t differences = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    differences |=
        addresses.lane[lane] ^ (addresses.lane[0] + uint64_t(lane) * bytes);
  return differences == 0;
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
  if (!launch.options.checkRaces || request.kind == AccessKind::StrongLoad ||
      request.kind == AccessKind::StrongStore)
    return true;
  if (begin % 4 != 0)
    return false;
  RaceCheck check(warp, request.kind);
  launch.memory.touch(begin, total, launch.epoch);
  uint64_t *cell = launch.memory.cells(begin);
  bool good = true;
  for (unsigned word = 0; word < total / 4; ++word)
    good &= check.record(cell + word, 15);
  return good;
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

/// Loads and stores that order themselves, see above.
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
  bool contiguous =
      warp.active == allLanes && isContiguous(addresses, request.bytes);
  count(warp, request, addresses, contiguous);
  if (contiguous && passesAsWhole(warp, request, addresses))
    return true;
  for (LaneMask rest = warp.active; rest != 0; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    if (!checkGlobalLane(warp, lane, addresses.lane[lane], request.bytes,
                         request.kind))
      return false;
  }
  return true;
}
