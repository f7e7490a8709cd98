//===- Access.h - Checked addresses of one memory request -------*- C++ -*-===//
//
// Every access to memory goes through here: from the addresses in a register to
// host pointers, with all checks and counters on the way. Per lane:
//
//   bounds          all bytes lie in live allocations (global), in the block's
//                   or thread's memory (shared, local), in the parameters
//   alignment       the address is a multiple of the access's size
//   initialisation  some of a load's bytes have been written (global), or all
//                   of them (shared, local). The load itself is the fault, even
//                   where its result would never be used. LLVM widens an
//                   aligned load beyond the end of a buffer, into padding,
//                   where it wants a part of it: that is none
//   races           see GlobalRaces.h and ThreadRaces.h
//
//===----------------------------------------------------------------------===//

#ifndef GRAPHRT_EMULATOR_EXEC_ACCESS_H
#define GRAPHRT_EMULATOR_EXEC_ACCESS_H

#include "exec/DeviceMemory.h"
#include "exec/Warp.h"

namespace graphrt::exec {

enum class Space : uint8_t { Global, Constant, Shared, Local, Param, Generic };

enum class AccessKind : uint8_t {
  Load,
  Store,
  /// Reads and writes as one step.
  Atomic,
  /// Loads and stores that order themselves (volatile, relaxed, acquire,
  /// release): never a race.
  StrongLoad,
  StrongStore,
};

inline bool isLoad(AccessKind kind) {
  return kind == AccessKind::Load || kind == AccessKind::StrongLoad;
}
inline bool isStore(AccessKind kind) {
  return kind == AccessKind::Store || kind == AccessKind::StrongStore;
}

/// One memory instruction of a warp.
struct Request {
  Space space;
  AccessKind kind;
  /// Bytes per lane.
  uint8_t bytes;
};

struct Addresses {
  alignas(64) uint64_t lane[warpSize];
};

/// Reads the addresses in a slot of 32-bit or 64-bit values, plus an offset.
void readAddresses(Warp &warp, ptx::Slot slot, bool is32, int64_t offset,
                   Addresses &result);

/// Whether all lanes are active and access neighbours, in order.
inline bool isContiguous(const Warp &warp, const Addresses &addresses,
                         unsigned bytes) {
  uint64_t differences = ~warp.active;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    differences |=
        addresses.lane[lane] ^ (addresses.lane[0] + uint64_t(lane) * bytes);
  return differences == 0;
}

/// Checks and counts the request of the active lanes and turns their addresses
/// into host pointers. False after a fault.
bool resolve(Warp &warp, Request request, Addresses &addresses);

/// The host pointer of a lane after resolve.
template <typename T>
T *pointerAt(const Addresses &addresses, unsigned lane) {
  return reinterpret_cast<T *>(addresses.lane[lane]);
}

/// Checks an access of one lane without counting: for copies whose shape is not
/// a request's.
bool checkGlobalLane(Warp &warp, unsigned lane, uint64_t address,
                     unsigned bytes, AccessKind kind);
bool checkSharedLane(Warp &warp, unsigned lane, uint64_t address,
                     unsigned bytes, AccessKind kind);

/// Whole requests of one space; addresses as the program sees them.
bool resolveGlobal(Warp &warp, Request request, Addresses &addresses);
bool resolveShared(Warp &warp, Request request, Addresses &addresses);

/// Bank conflicts: the wavefronts that active lanes accessing `bytes` each need
/// beyond one for every 128 bytes that lanes access together (32 lanes of up to
/// 4 bytes, 16 of 8, 8 of 16).
unsigned countBankConflicts(const Addresses &addresses, LaneMask active,
                            unsigned bytes);

/// Distinct sectors that the lanes touch, and distinct bytes in sectors.
struct Sectors {
  unsigned touched, ideal;
};
Sectors countSectors(const Addresses &addresses, LaneMask active,
                     unsigned bytes);

/// "load of 4 bytes at 0x12f0".
std::string describeAccess(AccessKind kind, unsigned bytes, uint64_t address);

} // namespace graphrt::exec

#endif // GRAPHRT_EMULATOR_EXEC_ACCESS_H
