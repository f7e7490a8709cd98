//===- DeviceMemory.h - Global memory with shadow state ---------*- C++ -*-===//
//
// The global memory of the emulated device is one reserved range of host
// addresses, so that a device address is a host address and translation is a
// range check. Four shadows lie beside it, each at an address computed from
// the byte's own:
//
//   state  one byte per byte: never allocated, freed, allocated, initialised
//   races  one 64-bit cell per four bytes: which blocks wrote and read in this
//          launch
//   threads  likewise which threads of the block did (ThreadRaces.h)
//   pages  one byte per page: the last launch that changed cells there
//
// Pages that nothing has touched cost no memory. Allocations are separated by
// red zones, and freed addresses are not reused before the range is exhausted.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPHRT_EMULATOR_EXEC_DEVICEMEMORY_H
#define GRAPHRT_EMULATOR_EXEC_DEVICEMEMORY_H

#include "graphrt/support/Expected.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace graphrt::ptx {
class Module;
}

namespace graphrt::exec {

/// What is known of one byte of memory.
enum class ByteState : uint8_t {
  Unallocated = 0,
  Freed = 1,
  Uninitialized = 2,
  /// The target of an asynchronous copy that nobody has waited for.
  InFlight = 3,
  Initialized = 4,
};

/// Not thread-safe: one caller at a time, launches included.
class DeviceMemory {
public:
  /// A memory of `capacity` bytes; allocations beyond fail with OutOfMemory.
  static Expected<std::unique_ptr<DeviceMemory>> create(uint64_t capacity);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  /// Allocates `bytes` (at least 1) uninitialised bytes, aligned to 256.
  Expected<uint64_t> allocate(uint64_t bytes);
  /// Ends an allocation by the address that allocate returned.
  Status free(uint64_t address);

  /// The host's accesses. The whole range must lie in one live allocation.
  /// Writing initialises; copying carries the bytes' states along; reading does
  /// not look at them.
  Status write(uint64_t target, const void *source, uint64_t bytes);
  Status read(void *target, uint64_t source, uint64_t bytes);
  Status copy(uint64_t target, uint64_t source, uint64_t bytes);
  Status fill(uint64_t target, uint8_t value, uint64_t bytes);

  /// Frees what the module's variables occupy; to be called before a module of
  /// which a kernel was launched dies.
  void unload(const ptx::Module &module);

  /// The live or freed allocation that holds `address`, or else the nearest.
  struct Allocation {
    uint64_t address, bytes;
    bool freed;
  };
  const Allocation *nearest(uint64_t address) const;

  uint64_t capacity() const { return limit; }
  /// Bytes in live allocations.
  uint64_t used() const { return live; }

  // What launches need.

  bool contains(uint64_t address) const { return address - base < reserved; }
  uint8_t *states(uint64_t address) const { return state + (address - base); }
  uint64_t *cells(uint64_t address) const {
    return races + (address - base) / 4;
  }
  uint64_t *threadCells(uint64_t address) const {
    return threads + (address - base) / 4;
  }
  /// Marks the pages of at most pageBytes bytes as touched by a launch; all
  /// cells that hold its number are in such pages.
  void touch(uint64_t address, uint64_t bytes, uint8_t launch) {
    for (uint64_t place : {address, address + bytes - 1})
      __atomic_store_n(pages + (place - base) / pageBytes, launch,
                       __ATOMIC_RELAXED);
  }
  /// Calls visit(begin, end) for the pages of live allocations that the launch
  /// has touched, cut at the allocations' borders, by ascending addresses.
  template <typename Visit>
  void forEachTouchedPage(uint8_t launch, Visit visit) const;
  /// Begins a launch: returns a number from 1 to 255 that no cell holds.
  uint8_t beginLaunch();
  /// Addresses of the module's variables in its order, placed and initialised
  /// on the first call.
  Expected<const std::vector<uint64_t> *> place(const ptx::Module &module);

  static constexpr uint64_t pageBytes = 4096;

private:
  DeviceMemory() = default;
  Status check(const char *what, uint64_t address, uint64_t bytes) const;

  Expected<uint64_t> findAddress(uint64_t span);
  void setStates(uint64_t address, ByteState value, uint64_t bytes);

  uint64_t base = 0, reserved = 0, limit = 0, next = 0, live = 0;
  uint8_t *state = nullptr;
  uint64_t *races = nullptr, *threads = nullptr;
  uint8_t *pages = nullptr;
  unsigned launches = 0;
  std::map<uint64_t, Allocation> allocations;
  std::unordered_map<const ptx::Module *, std::vector<uint64_t>> variables;
};

template <typename Visit>
void DeviceMemory::forEachTouchedPage(uint8_t launch, Visit visit) const {
  for (const auto &[address, allocation] : allocations) {
    if (allocation.freed)
      continue;
    uint64_t end = address + allocation.bytes;
    for (uint64_t begin = address; begin < end;) {
      uint64_t next = base + ((begin - base) / pageBytes + 1) * pageBytes;
      if (pages[(begin - base) / pageBytes] == launch)
        visit(begin, next < end ? next : end);
      begin = next;
    }
  }
}

} // namespace graphrt::exec

#endif // GRAPHRT_EMULATOR_EXEC_DEVICEMEMORY_H
