//===- Access.cpp - Checked addresses of one memory request ---------------===//

#include "exec/Access.h"

#include "exec/Block.h"

#include <algorithm>
#include <cstring>

using namespace graphrt;
using namespace graphrt::exec;

std::string exec::describeAccess(AccessKind kind, unsigned bytes,
                                 uint64_t address) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%llx", (unsigned long long)address);
  const char *what = isLoad(kind)                 ? "load"
                     : kind == AccessKind::Atomic ? "atomic"
                                                  : "store";
  return std::string(what) + " of " + std::to_string(bytes) + " bytes at " +
         text;
}

void exec::readAddresses(Warp &warp, ptx::Slot slot, bool is32, int64_t offset,
                         Addresses &result) {
  if (is32) {
    const uint32_t *base = warp.lanes<uint32_t>(slot);
    // Shared and local addresses wrap at 32 bits.
    for (unsigned lane = 0; lane < warpSize; ++lane)
      result.lane[lane] = uint32_t(base[lane] + uint32_t(offset));
    return;
  }
  const uint64_t *base = warp.lanes<uint64_t>(slot);
  for (unsigned lane = 0; lane < warpSize; ++lane)
    result.lane[lane] = base[lane] + offset;
}

//===----------------------------------------------------------------------===//
// Local memory and parameters
//===----------------------------------------------------------------------===//

namespace {

bool resolveLocalLane(Warp &warp, unsigned lane, Request request,
                      uint64_t &address) {
  uint64_t extent = warp.block.launch.kernel.localBytes;
  std::string what;
  if (address > extent || extent - address < request.bytes)
    what = "out-of-bounds " +
           describeAccess(request.kind, request.bytes, address) +
           " of local memory, which has " + std::to_string(extent) + " bytes,";
  else if (address % request.bytes)
    what = "misaligned " +
           describeAccess(request.kind, request.bytes, address) +
           " of local memory";
  uint8_t *state = warp.localState(lane) + address;
  if (what.empty() && isStore(request.kind))
    std::memset(state, int(ByteState::Initialized), request.bytes);
  else if (what.empty() && warp.block.launch.options.checkInitialized &&
           std::any_of(state, state + request.bytes, [](uint8_t byte) {
             return byte != uint8_t(ByteState::Initialized);
           }))
    what = "uninitialised " +
           describeAccess(request.kind, request.bytes, address) +
           " of local memory";
  address = reinterpret_cast<uint64_t>(warp.local(lane)) + address;
  if (!what.empty())
    warp.fault(lane, what);
  return what.empty();
}

bool resolveParamLane(Warp &warp, unsigned lane, Request request,
                      uint64_t address) {
  const LaunchState &launch = warp.block.launch;
  uint64_t offset = address - reinterpret_cast<uint64_t>(launch.parameters);
  uint64_t extent = launch.kernel.parameterBytes;
  if (isLoad(request.kind) && offset <= extent &&
      extent - offset >= request.bytes && offset % request.bytes == 0)
    return true;
  warp.fault(lane, "bad " +
                       describeAccess(request.kind, request.bytes, offset) +
                       " of the parameters, which have " +
                       std::to_string(extent) + " bytes and are read only,");
  return false;
}

template <typename Check>
bool checkLanes(LaneMask active, Check check) {
  for (LaneMask rest = active; rest != 0; rest &= rest - 1)
    if (!check(unsigned(std::countr_zero(rest))))
      return false;
  return true;
}

/// All lanes read the same parameter, as nearly always.
bool resolveParam(Warp &warp, Request request, Addresses &addresses) {
  unsigned first = std::countr_zero(warp.active);
  if (!resolveParamLane(warp, first, request, addresses.lane[first]))
    return false;
  return checkLanes(warp.active, [&](unsigned lane) {
    return addresses.lane[lane] == addresses.lane[first] ||
           resolveParamLane(warp, lane, request, addresses.lane[lane]);
  });
}

bool resolveLocal(Warp &warp, Request request, Addresses &addresses) {
  return checkLanes(warp.active, [&](unsigned lane) {
    return resolveLocalLane(warp, lane, request, addresses.lane[lane]);
  });
}

//===----------------------------------------------------------------------===//
// Generic addresses
//===----------------------------------------------------------------------===//

Space spaceOf(const Warp &warp, uint64_t address) {
  if (address - sharedWindow < windowBytes)
    return Space::Shared;
  if (address - localWindow < windowBytes)
    return Space::Local;
  const LaunchState &launch = warp.block.launch;
  if (address - reinterpret_cast<uint64_t>(launch.parameters) <
      launch.kernel.parameterBytes)
    return Space::Param;
  return Space::Global;
}

/// One request for each space that the lanes point to.
bool resolveGeneric(Warp &warp, Request request, Addresses &addresses) {
  LaneMask all = warp.active, rest = all;
  bool good = true;
  while (rest != 0 && good) {
    request.space = spaceOf(warp, addresses.lane[std::countr_zero(rest)]);
    LaneMask same = 0;
    for (LaneMask left = rest; left != 0; left &= left - 1) {
      unsigned lane = std::countr_zero(left);
      if (spaceOf(warp, addresses.lane[lane]) == request.space)
        same |= LaneMask(1) << lane;
    }
    uint64_t window = request.space == Space::Shared  ? sharedWindow
                      : request.space == Space::Local ? localWindow
                                                      : 0;
    warp.active = same;
    for (uint64_t &address : addresses.lane)
      address -= window;
    // Lanes of other spaces keep their addresses.
    Addresses part = addresses;
    good = resolve(warp, request, part);
    for (unsigned lane = 0; lane < warpSize; ++lane)
      addresses.lane[lane] =
          same >> lane & 1 ? part.lane[lane] : addresses.lane[lane] + window;
    rest &= ~same;
  }
  warp.active = all;
  return good;
}

} // namespace

bool exec::resolve(Warp &warp, Request request, Addresses &addresses) {
  switch (request.space) {
  case Space::Global:
  case Space::Constant:
    return resolveGlobal(warp, request, addresses);
  case Space::Shared:
    return resolveShared(warp, request, addresses);
  case Space::Local:
    return resolveLocal(warp, request, addresses);
  case Space::Param:
    return resolveParam(warp, request, addresses);
  case Space::Generic:
    return resolveGeneric(warp, request, addresses);
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Counting
//===----------------------------------------------------------------------===//

Sectors exec::countSectors(const Addresses &addresses, LaneMask active,
                           unsigned bytes) {
  uint64_t sorted[warpSize];
  unsigned count = 0;
  bool isSorted = true;
  for (LaneMask rest = active; rest != 0; rest &= rest - 1) {
    sorted[count] = addresses.lane[std::countr_zero(rest)];
    isSorted &= count == 0 || sorted[count - 1] <= sorted[count];
    ++count;
  }
  if (!isSorted)
    std::sort(sorted, sorted + count);
  unsigned touched = 0;
  uint64_t distinctBytes = 0, nextByte = 0, nextSector = 0;
  for (unsigned index = 0; index < count; ++index) {
    uint64_t begin = std::max(sorted[index], nextByte);
    uint64_t end = sorted[index] + bytes;
    if (begin >= end)
      continue;
    distinctBytes += end - begin;
    uint64_t firstSector = std::max(begin / 32, nextSector);
    uint64_t endSector = (end + 31) / 32;
    if (firstSector < endSector)
      touched += endSector - firstSector;
    nextByte = end;
    nextSector = endSector;
  }
  return {touched, unsigned((distinctBytes + 31) / 32)};
}

namespace {

/// Wavefronts for words that are accessed at once: the most distinct words in
/// one bank.
unsigned countWavefronts(const uint32_t *words, unsigned count) {
  constexpr unsigned banks = 32;
  // Chains of the distinct words of each bank.
  int8_t head[banks], next[warpSize];
  uint8_t length[banks] = {};
  std::memset(head, -1, sizeof(head));
  unsigned most = 0;
  for (unsigned index = 0; index < count; ++index) {
    unsigned bank = words[index] % banks;
    int8_t link = head[bank];
    while (link >= 0 && words[link] != words[index])
      link = next[link];
    if (link >= 0)
      continue;
    next[index] = head[bank];
    head[bank] = index;
    most = std::max<unsigned>(most, ++length[bank]);
  }
  return most;
}

} // namespace

unsigned exec::countBankConflicts(const Addresses &addresses, LaneMask active,
                                  unsigned bytes) {
  unsigned wordsPerLane = std::max(1u, bytes / 4);
  unsigned lanesAtOnce = warpSize / wordsPerLane;
  unsigned conflicts = 0;
  for (unsigned first = 0; first < warpSize; first += lanesAtOnce) {
    uint32_t words[warpSize];
    unsigned count = 0;
    for (unsigned lane = first; lane < first + lanesAtOnce; ++lane)
      if (active >> lane & 1)
        for (unsigned word = 0; word < wordsPerLane; ++word)
          words[count++] = uint32_t(addresses.lane[lane]) / 4 + word;
    if (count != 0)
      conflicts += countWavefronts(words, count) - 1;
  }
  return conflicts;
}
