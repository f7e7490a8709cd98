//===- Launch.h - Runs a grid of blocks -------------------------*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_EXEC_LAUNCH_H
#define GRAPHRT_EMULATOR_EXEC_LAUNCH_H

#include "exec/Counters.h"
#include "graphrt/support/Expected.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace graphrt::ptx {
struct Kernel;
}

namespace graphrt::exec {

class DeviceMemory;

struct LaunchConfig {
  /// Blocks of the grid and threads of a block, in x, y and z.
  std::array<uint32_t, 3> grid = {1, 1, 1};
  std::array<uint32_t, 3> block = {1, 1, 1};
  /// Dynamic shared memory, beside the kernel's static one.
  uint32_t sharedBytes = 0;
  /// One pointer to the value of each of the kernel's parameters.
  std::span<const void *const> parameters;
};

struct Options {
  /// Host threads; 0 takes the machine's number.
  unsigned threads = 0;
  /// Instructions that one warp may execute before its loop counts as endless.
  uint64_t maxWarpInstructions = uint64_t(1) << 30;
  /// Whether accesses of different threads with no order between them, one of
  /// them a write, are faults.
  bool checkRaces = true;
  /// Whether reading memory that nothing has written is a fault.
  bool checkInitialized = true;
};

/// What stopped a launch.
enum class FaultKind : uint8_t {
  None,
  /// An access to memory that does not exist or is freed.
  IllegalAddress,
  MisalignedAddress,
  EndlessLoop,
  Other,
};

/// What a launch did to global memory and how it ended; also of a launch that
/// fails.
struct LaunchRecord {
  /// The addresses [begin, end), ascending and disjoint.
  struct Bytes {
    uint64_t begin, end;
  };
  /// The bytes that it read and wrote, except by accesses that order
  /// themselves. Empty unless races are checked.
  std::vector<Bytes> reads, writes;
  FaultKind fault = FaultKind::None;
};

/// Runs the kernel to its end. A fault of the kernel (a bad, uninitialised or
/// racing access, a barrier that not all threads reach, an endless loop) stops
/// the launch and is returned with the kernel's name, block, thread,
/// instruction and line; global memory then holds what was written before.
/// InvalidArgument: the launch does not fit the kernel or the device. Fills
/// `record` if it is not null.
Expected<Counters> launch(const ptx::Kernel &kernel, const LaunchConfig &config,
                          DeviceMemory &memory, const Options &options = {},
                          LaunchRecord *record = nullptr);

} // namespace graphrt::exec

#endif // GRAPHRT_EMULATOR_EXEC_LAUNCH_H
