//===- Memory.cpp - Memory of a CUDA device and its transfers -------------===//

#include "Memory.h"

#include <algorithm>

using namespace graphrt;
using namespace graphrt::cuda;

/// Virtual GPUs may have no pools; allocation waits for the device there.
static bool hasPools(const Context &context) {
  return context.attribute(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
}

static Failure outOfMemory(const Context &context, uint64_t size,
                           const std::string &purpose) {
  size_t free = 0, total = 0;
  context.driver().cuMemGetInfo(&free, &total);
  return {ErrorCode::OutOfMemory, context.name() + " is out of memory: found " +
                                      std::to_string(free) + " bytes free of " +
                                      std::to_string(total) + ", expected " +
                                      std::to_string(size) + " for " + purpose};
}

Expected<DeviceMemory> DeviceMemory::allocate(const Context &context,
                                              CUstream stream, uint64_t size,
                                              const std::string &purpose) {
  const Driver &driver = context.driver();
  DeviceMemory memory;
  size_t bytes = std::max<uint64_t>(size, 1);
  CUresult result = hasPools(context)
                        ? driver.cuMemAllocAsync(&memory.address, bytes, stream)
                        : driver.cuMemAlloc(&memory.address, bytes);
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    return outOfMemory(context, size, purpose);
  if (Status status = driver.check(result, "allocate " + std::to_string(size) +
                                               " bytes for " + purpose))
    return status.failure();
  memory.context = &context;
  memory.stream = stream;
  return memory;
}

DeviceMemory::~DeviceMemory() {
  if (!address)
    return;
  if (hasPools(*context))
    context->driver().cuMemFreeAsync(address, stream);
  else
    context->driver().cuMemFree(address);
}

void DeviceMemory::swap(DeviceMemory &other) noexcept {
  std::swap(context, other.context);
  std::swap(stream, other.stream);
  std::swap(address, other.address);
}

Expected<PinnedMemory> PinnedMemory::allocate(const Driver &driver,
                                              uint64_t size) {
  PinnedMemory memory;
  CUresult result = driver.cuMemHostAlloc(
      &memory.address, std::max<uint64_t>(size, 1), /*Flags=*/0);
  if (Status status = driver.check(result, "allocate " + std::to_string(size) +
                                               " bytes of pinned memory"))
    return status.failure();
  memory.driver = &driver;
  return memory;
}

PinnedMemory::~PinnedMemory() {
  if (address)
    driver->cuMemFreeHost(address);
}

void PinnedMemory::swap(PinnedMemory &other) noexcept {
  std::swap(driver, other.driver);
  std::swap(address, other.address);
}

Status graphrt::cuda::keepFreedMemory(const Context &context) {
  if (!hasPools(context))
    return {};
  const Driver &driver = context.driver();
  CUmemoryPool pool = nullptr;
  if (Status status = driver.check(
          driver.cuDeviceGetDefaultMemPool(&pool, context.device()),
          "find the device's memory pool"))
    return status;
  cuuint64_t threshold = UINT64_MAX;
  return driver.check(driver.cuMemPoolSetAttribute(
                          pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold),
                      "configure the device's memory pool");
}
