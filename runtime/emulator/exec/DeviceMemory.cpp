//===- DeviceMemory.cpp - Global memory with shadow state -----------------===//

#include "exec/DeviceMemory.h"

#include "ptx/Module.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

using namespace graphrt;
using namespace graphrt::exec;

namespace {

constexpr uint64_t alignment = 256;
/// Unallocated bytes after each allocation, and before the first.
constexpr uint64_t redZone = 256;
/// Addresses per byte of capacity, so that freed ones are seldom reused.
constexpr uint64_t addressesPerByte = 4;

uint64_t roundUp(uint64_t value, uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

void *reserve(uint64_t bytes) {
  void *range = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return range == MAP_FAILED ? nullptr : range;
}

void *pointer(uint64_t address) { return reinterpret_cast<void *>(address); }

} // namespace

Expected<std::unique_ptr<DeviceMemory>>
DeviceMemory::create(uint64_t capacity) {
  std::unique_ptr<DeviceMemory> memory(new DeviceMemory());
  memory->limit = capacity;
  memory->reserved =
      roundUp(capacity * addressesPerByte + 2 * redZone, uint64_t(1) << 21);
  void *data = reserve(memory->reserved);
  void *state = reserve(memory->reserved);
  void *races = reserve(memory->reserved * 2);
  void *threads = reserve(memory->reserved * 2);
  void *pages = reserve(memory->reserved / pageBytes);
  memory->base = reinterpret_cast<uint64_t>(data);
  memory->state = static_cast<uint8_t *>(state);
  memory->races = static_cast<uint64_t *>(races);
  memory->threads = static_cast<uint64_t *>(threads);
  memory->pages = static_cast<uint8_t *>(pages);
  if (!data || !state || !races || !threads || !pages)
    return Failure{ErrorCode::OutOfMemory,
                   "cannot reserve addresses for " + std::to_string(capacity) +
                       " bytes of emulated device memory"};
  memory->next = memory->base + redZone;
  return memory;
}

DeviceMemory::~DeviceMemory() {
  if (base)
    ::munmap(pointer(base), reserved);
  if (state)
    ::munmap(state, reserved);
  if (races)
    ::munmap(races, reserved * 2);
  if (threads)
    ::munmap(threads, reserved * 2);
  if (pages)
    ::munmap(pages, reserved / pageBytes);
}

void DeviceMemory::setStates(uint64_t address, ByteState value,
                             uint64_t bytes) {
  std::memset(states(address), int(value), bytes);
}

/// Room for `span` bytes: behind all allocations while the range lasts, then in
/// the first gap between live ones.
Expected<uint64_t> DeviceMemory::findAddress(uint64_t span) {
  if (next + span <= base + reserved) {
    next += span;
    return next - span;
  }
  std::erase_if(allocations, [](auto &entry) { return entry.second.freed; });
  uint64_t candidate = base + redZone;
  for (auto &[address, allocation] : allocations) {
    if (candidate + span <= address)
      return candidate;
    candidate = roundUp(address + allocation.bytes + redZone, alignment);
  }
  if (candidate + span <= base + reserved)
    return candidate;
  return Failure{
      ErrorCode::OutOfMemory,
      "the emulated device's memory is fragmented: found no gap of " +
          std::to_string(span) + " bytes"};
}

Expected<uint64_t> DeviceMemory::allocate(uint64_t bytes) {
  if (bytes == 0)
    return Failure{ErrorCode::InvalidArgument,
                   "found an allocation of 0 bytes, expected at least 1"};
  if (bytes > limit - live)
    return Failure{ErrorCode::OutOfMemory,
                   "found an allocation of " + std::to_string(bytes) +
                       " bytes, expected at most the " +
                       std::to_string(limit - live) + " that are free of " +
                       std::to_string(limit)};
  uint64_t span = roundUp(bytes, alignment) + redZone;
  Expected<uint64_t> address = findAddress(span);
  if (!address)
    return address;
  live += bytes;
  allocations[*address] = {*address, bytes, false};
  setStates(*address, ByteState::Unallocated, span);
  setStates(*address, ByteState::Uninitialized, bytes);
  return address;
}

Status DeviceMemory::free(uint64_t address) {
  auto found = allocations.find(address);
  if (found == allocations.end())
    return Failure{ErrorCode::InvalidArgument,
                   "found a free of an address that is not an allocation's"};
  Allocation &allocation = found->second;
  if (allocation.freed)
    return Failure{ErrorCode::InvalidArgument,
                   "found a second free of an allocation of " +
                       std::to_string(allocation.bytes) + " bytes"};
  allocation.freed = true;
  live -= allocation.bytes;
  setStates(address, ByteState::Freed, allocation.bytes);
  // Whole pages go back to the system; their content is poisoned anyway.
  uint64_t first = roundUp(address, 4096);
  uint64_t end = (address + allocation.bytes) / 4096 * 4096;
  if (first < end)
    ::madvise(pointer(first), end - first, MADV_DONTNEED);
  return {};
}

const DeviceMemory::Allocation *DeviceMemory::nearest(uint64_t address) const {
  auto after = allocations.upper_bound(address);
  if (after == allocations.begin())
    return after == allocations.end() ? nullptr : &after->second;
  const Allocation &before = std::prev(after)->second;
  if (after == allocations.end() || address < before.address + before.bytes)
    return &before;
  uint64_t behind = address - (before.address + before.bytes);
  return behind <= after->first - address ? &before : &after->second;
}

Status DeviceMemory::check(const char *what, uint64_t address,
                           uint64_t bytes) const {
  auto after = allocations.upper_bound(address);
  if (after != allocations.begin()) {
    const Allocation &allocation = std::prev(after)->second;
    uint64_t offset = address - allocation.address;
    if (!allocation.freed && offset <= allocation.bytes &&
        bytes <= allocation.bytes - offset)
      return {};
    if (offset < allocation.bytes)
      return Failure{
          ErrorCode::InvalidArgument,
          std::string("found a ") + what + " of " + std::to_string(bytes) +
              " bytes at offset " + std::to_string(offset) + " of " +
              (allocation.freed ? "a freed" : "an") + " allocation of " +
              std::to_string(allocation.bytes) + " bytes"};
  }
  return Failure{ErrorCode::InvalidArgument,
                 std::string("found a ") + what + " of " +
                     std::to_string(bytes) +
                     " bytes outside of every allocation"};
}

Status DeviceMemory::write(uint64_t target, const void *source,
                           uint64_t bytes) {
  if (Status bad = check("write", target, bytes))
    return bad;
  std::memcpy(pointer(target), source, bytes);
  setStates(target, ByteState::Initialized, bytes);
  return {};
}

Status DeviceMemory::read(void *target, uint64_t source, uint64_t bytes) {
  if (Status bad = check("read", source, bytes))
    return bad;
  std::memcpy(target, pointer(source), bytes);
  return {};
}

Status DeviceMemory::copy(uint64_t target, uint64_t source, uint64_t bytes) {
  if (Status bad = check("write", target, bytes))
    return bad;
  if (Status bad = check("read", source, bytes))
    return bad;
  std::memmove(pointer(target), pointer(source), bytes);
  std::memmove(states(target), states(source), bytes);
  return {};
}

Status DeviceMemory::fill(uint64_t target, uint8_t value, uint64_t bytes) {
  if (Status bad = check("write", target, bytes))
    return bad;
  std::memset(pointer(target), value, bytes);
  setStates(target, ByteState::Initialized, bytes);
  return {};
}

uint8_t DeviceMemory::beginLaunch() {
  // Cells of the launches before hold their numbers until these repeat.
  if (++launches > 255) {
    ::madvise(races, reserved * 2, MADV_DONTNEED);
    ::madvise(pages, reserved / pageBytes, MADV_DONTNEED);
    launches = 1;
  }
  return launches;
}

Expected<const std::vector<uint64_t> *>
DeviceMemory::place(const ptx::Module &module) {
  auto [found, isNew] = variables.try_emplace(&module);
  std::vector<uint64_t> &addresses = found->second;
  if (!isNew)
    return &addresses;
  for (const ptx::Variable &variable : module.variables) {
    Expected<uint64_t> address = allocate(std::max(1u, variable.bytes));
    if (!address) {
      unload(module);
      return std::move(address.failure());
    }
    addresses.push_back(*address);
    if (!variable.isInitialized)
      continue;
    auto *data = static_cast<uint8_t *>(pointer(*address));
    std::fill_n(
        std::copy(variable.initial.begin(), variable.initial.end(), data),
        variable.bytes - variable.initial.size(), 0);
    setStates(*address, ByteState::Initialized, variable.bytes);
  }
  for (size_t index = 0; index < addresses.size(); ++index)
    for (auto &relocation : module.variables[index].relocations) {
      uint64_t value = addresses[relocation.variable] + relocation.addend;
      std::memcpy(pointer(addresses[index] + relocation.offset), &value, 8);
    }
  return &addresses;
}

void DeviceMemory::unload(const ptx::Module &module) {
  auto found = variables.find(&module);
  if (found == variables.end())
    return;
  for (uint64_t address : found->second)
    (void)free(address);
  variables.erase(found);
}
