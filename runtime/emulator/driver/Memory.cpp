//===- Memory.cpp - Device memory and pinned host memory ------------------===//

#include "Memory.h"

#include <cstdio>
#include <cstdlib>

using namespace graphrt;
using namespace graphrt::driver;

namespace {

std::string hexadecimal(uint64_t value) {
  char text[19];
  std::snprintf(text, sizeof(text), "0x%llx", (unsigned long long)value);
  return text;
}

std::string interval(uint64_t begin, uint64_t end) {
  return "[" + std::to_string(begin) + ", " + std::to_string(end) + ")";
}

uint64_t toAddress(const void *pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

} // namespace

Result<std::unique_ptr<Memory>> Memory::create(uint64_t capacity) {
  auto device = exec::DeviceMemory::create(capacity);
  if (!device)
    return Fault{CUDA_ERROR_OUT_OF_MEMORY, device.failure().message};
  std::unique_ptr<Memory> memory(new Memory);
  memory->deviceMemory = std::move(*device);
  return memory;
}

Memory::~Memory() {
  for (const auto &[begin, range] : hostRanges)
    std::free(reinterpret_cast<void *>(begin));
}

Result<uint64_t> Memory::allocate(uint64_t bytes) {
  auto address = deviceMemory->allocate(bytes);
  if (address)
    return *address;
  bool isFull = address.failure().code == ErrorCode::OutOfMemory;
  return Fault{isFull ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_VALUE,
               address.failure().message};
}

Outcome Memory::checkFree(uint64_t address) const {
  const exec::DeviceMemory::Allocation *nearest =
      deviceMemory->nearest(address);
  if (!nearest || nearest->address != address)
    return Fault{CUDA_ERROR_INVALID_VALUE,
                 "found a free of " + hexadecimal(address) +
                     ", expected the address of an allocation"};
  if (nearest->freed || queuedFrees.contains(address))
    return Fault{CUDA_ERROR_INVALID_VALUE,
                 "found a second free of the allocation of " +
                     std::to_string(nearest->bytes) + " bytes at " +
                     hexadecimal(address)};
  return {};
}

Outcome Memory::free(uint64_t address) {
  queuedFrees.erase(address);
  if (Status status = deviceMemory->free(address))
    return Fault{CUDA_ERROR_INVALID_VALUE, status.failure().message};
  return {};
}

ByteRange Memory::rangeOf(uint64_t address) const {
  return {address, address + deviceMemory->nearest(address)->bytes};
}

Result<void *> Memory::allocateHost(uint64_t bytes) {
  constexpr uint64_t page = 4096;
  if (bytes == 0)
    return Fault{CUDA_ERROR_INVALID_VALUE,
                 "found an allocation of 0 bytes, expected at least 1"};
  uint64_t whole = (bytes + page - 1) / page * page;
  void *address = whole < bytes ? nullptr : std::aligned_alloc(page, whole);
  if (!address)
    return Fault{CUDA_ERROR_OUT_OF_MEMORY, "cannot allocate " +
                                               std::to_string(bytes) +
                                               " bytes of host memory"};
  hostRanges[toAddress(address)] = {toAddress(address), bytes,
                                    ++hostRangeCount};
  return address;
}

Outcome Memory::freeHost(void *address) {
  if (hostRanges.erase(toAddress(address)) == 0)
    return Fault{CUDA_ERROR_INVALID_VALUE,
                 "found a free of the host address " +
                     hexadecimal(toAddress(address)) +
                     ", expected that of pinned memory"};
  std::free(address);
  return {};
}

const Memory::HostRange *Memory::findHost(const void *address) const {
  auto next = hostRanges.upper_bound(toAddress(address));
  if (next == hostRanges.begin())
    return nullptr;
  const HostRange &range = std::prev(next)->second;
  return toAddress(address) - range.begin < range.bytes ? &range : nullptr;
}

uint64_t Memory::findPinned(const void *address) const {
  const HostRange *range = findHost(address);
  return range ? range->number : 0;
}

ByteRange Memory::pinnedRange(const void *address) const {
  const HostRange *range = findHost(address);
  return range ? ByteRange{range->begin, range->begin + range->bytes}
               : ByteRange();
}

Outcome Memory::checkDevice(uint64_t address, uint64_t bytes) const {
  const exec::DeviceMemory::Allocation *nearest =
      deviceMemory->nearest(address);
  bool fits = nearest && !nearest->freed && address >= nearest->address &&
              address - nearest->address <= nearest->bytes &&
              bytes <= nearest->bytes - (address - nearest->address);
  if (fits)
    return {};
  return Fault{CUDA_ERROR_INVALID_VALUE,
               "found " + describe({address, address + bytes}) +
                   ", expected bytes of one live device allocation"};
}

Outcome Memory::checkHost(const void *address, uint64_t bytes) const {
  if (!address)
    return Fault{CUDA_ERROR_INVALID_VALUE,
                 "found a null host address, expected host memory"};
  const HostRange *range = findHost(address);
  uint64_t begin = toAddress(address);
  if (!range || bytes <= range->begin + range->bytes - begin)
    return {};
  return Fault{CUDA_ERROR_INVALID_VALUE, "found " +
                                             describe({begin, begin + bytes}) +
                                             ", expected bytes inside of it"};
}

std::string Memory::describe(ByteRange range) const {
  auto inside = [&](const std::string &what, uint64_t begin, uint64_t bytes) {
    return "bytes " + interval(range.begin - begin, range.end - begin) +
           " of " + what + " of " + std::to_string(bytes) + " bytes at " +
           hexadecimal(begin);
  };
  if (const HostRange *host = findHost(reinterpret_cast<void *>(range.begin)))
    return inside("the pinned host memory", host->begin, host->bytes);
  const exec::DeviceMemory::Allocation *nearest =
      deviceMemory->nearest(range.begin);
  if (nearest && range.begin - nearest->address < nearest->bytes)
    return inside(nearest->freed ? "the freed device allocation"
                                 : "the device allocation",
                  nearest->address, nearest->bytes);
  return std::to_string(range.end - range.begin) + " bytes at " +
         hexadecimal(range.begin) + ", outside of every allocation";
}
