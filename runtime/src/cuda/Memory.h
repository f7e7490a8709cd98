//===- Memory.h - Memory of a CUDA device and its transfers -----*- C++ -*-===//

#ifndef GRAPHRT_CUDA_MEMORY_H
#define GRAPHRT_CUDA_MEMORY_H

#include "Context.h"
#include "Handles.h"

#include <cstdint>
#include <string>

namespace graphrt::cuda {

/// Memory of the device, in the order of a stream: it may be used by work that
/// the stream, or one that waits for it, runs later.
class DeviceMemory {
public:
  DeviceMemory() = default;
  DeviceMemory(DeviceMemory &&other) noexcept { swap(other); }
  DeviceMemory &operator=(DeviceMemory &&other) noexcept {
    DeviceMemory(std::move(other)).swap(*this);
    return *this;
  }
  /// Frees the memory when the stream has come this far.
  ~DeviceMemory();

  /// Allocates at least one byte, aligned to 256. The failure says what the
  /// memory was for, and how much there is.
  static Expected<DeviceMemory> allocate(const Context &context,
                                         CUstream stream, uint64_t size,
                                         const std::string &purpose);

  CUdeviceptr get() const { return address; }
  char *data() const { return reinterpret_cast<char *>(address); }
  explicit operator bool() const { return address; }

private:
  void swap(DeviceMemory &other) noexcept;

  const Context *context = nullptr;
  CUstream stream = nullptr;
  CUdeviceptr address = 0;
};

/// Host memory that the device reads and writes without the processor's help.
class PinnedMemory {
public:
  PinnedMemory() = default;
  PinnedMemory(PinnedMemory &&other) noexcept { swap(other); }
  PinnedMemory &operator=(PinnedMemory &&other) noexcept {
    PinnedMemory(std::move(other)).swap(*this);
    return *this;
  }
  ~PinnedMemory();

  /// Allocates at least one byte.
  static Expected<PinnedMemory> allocate(const Driver &driver, uint64_t size);

  char *data() const { return static_cast<char *>(address); }
  explicit operator bool() const { return address; }

private:
  void swap(PinnedMemory &other) noexcept;

  const Driver *driver = nullptr;
  void *address = nullptr;
};

/// Lets the device's memory pool keep what is freed for the next allocation.
Status keepFreedMemory(const Context &context);

} // namespace graphrt::cuda

#endif // GRAPHRT_CUDA_MEMORY_H
