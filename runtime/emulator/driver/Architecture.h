//===- Architecture.h - The devices that can be emulated --------*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_DRIVER_ARCHITECTURE_H
#define GRAPHRT_EMULATOR_DRIVER_ARCHITECTURE_H

#include "Outcome.h"

#include <string>
#include <string_view>

namespace graphrt::driver {

/// What distinguishes the data-centre device of one compute capability.
struct Architecture {
  const char *name;
  int major, minor;
  int multiprocessors;
  /// Bytes of shared memory: of one multiprocessor, and what one block may
  /// have after cuFuncSetAttribute.
  int sharedPerMultiprocessor, sharedPerBlockOptin;
  int l2CacheBytes;
};

/// Limits that all of them share.
constexpr int warpSize = 32;
constexpr int maxThreadsPerBlock = 1024;
constexpr int maxThreadsPerMultiprocessor = 2048;
constexpr int maxBlocksPerMultiprocessor = 32;
constexpr int registersPerMultiprocessor = 65536;
/// Bytes of shared memory that a block may have without asking, and that the
/// system takes of each block.
constexpr int sharedPerBlock = 48 * 1024;
constexpr int reservedSharedPerBlock = 1024;

/// The architecture called `name` ("sm_90"), or null.
const Architecture *findArchitecture(std::string_view name);
/// "sm_80, sm_90, ..."
std::string listArchitectures();

/// Whether a module for `target` ("sm_80", "sm_90a", "sm_100f") may run.
Outcome checkTarget(const Architecture &architecture, std::string_view target);

/// The value of a device attribute.
Result<int> findAttribute(const Architecture &architecture, int device,
                          CUdevice_attribute attribute);

} // namespace graphrt::driver

#endif // GRAPHRT_EMULATOR_DRIVER_ARCHITECTURE_H
