//===- Memory.h - Device memory and pinned host memory ----------*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_DRIVER_MEMORY_H
#define GRAPHRT_EMULATOR_DRIVER_MEMORY_H

#include "AccessHistory.h"
#include "Outcome.h"
#include "exec/DeviceMemory.h"

#include <map>
#include <memory>
#include <string>
#include <unordered_set>

namespace graphrt::driver {

/// The memory of one context: what its device holds, and the page-locked host
/// memory that its copies may read and write while they run.
class Memory {
public:
  /// Reserves addresses for a device of `capacity` bytes.
  static Result<std::unique_ptr<Memory>> create(uint64_t capacity);
  ~Memory();

  exec::DeviceMemory &device() { return *deviceMemory; }

  Result<uint64_t> allocate(uint64_t bytes);
  /// Ends an allocation by the address that allocate returned.
  Outcome free(uint64_t address);

  /// Fails unless `address` begins a live allocation that no queued free ends.
  Outcome checkFree(uint64_t address) const;
  /// A free of the allocation is queued.
  void markFreed(uint64_t address) { queuedFrees.insert(address); }
  /// The bytes of the allocation that begins at `address`.
  ByteRange rangeOf(uint64_t address) const;

  /// Page-locked memory of the host.
  Result<void *> allocateHost(uint64_t bytes);
  Outcome freeHost(void *address);
  /// A number that the pinned memory around `address` has as long as it exists,
  /// and no other ever; 0 for pageable memory.
  uint64_t findPinned(const void *address) const;
  /// The bytes of that memory; empty for pageable memory.
  ByteRange pinnedRange(const void *address) const;

  /// Fails with INVALID_VALUE unless all bytes are in one live allocation, or,
  /// for host memory that begins as a pinned one, in that range.
  Outcome checkDevice(uint64_t address, uint64_t bytes) const;
  Outcome checkHost(const void *address, uint64_t bytes) const;

  /// "bytes [0, 64) of the device allocation of 1024 bytes at 0x7f..."
  std::string describe(ByteRange range) const;

private:
  Memory() = default;

  struct HostRange {
    uint64_t begin, bytes, number;
  };
  const HostRange *findHost(const void *address) const;

  std::unique_ptr<exec::DeviceMemory> deviceMemory;
  std::map<uint64_t, HostRange> hostRanges;
  uint64_t hostRangeCount = 0;
  std::unordered_set<uint64_t> queuedFrees;
};

} // namespace graphrt::driver

#endif // GRAPHRT_EMULATOR_DRIVER_MEMORY_H
