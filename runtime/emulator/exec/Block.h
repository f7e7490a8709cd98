//===- Block.h - A thread block and what it shares --------------*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_EXEC_BLOCK_H
#define GRAPHRT_EMULATOR_EXEC_BLOCK_H

#include "exec/Counters.h"
#include "exec/Launch.h"
#include "exec/Warp.h"

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>

namespace graphrt::exec {

/// What all blocks of a launch share.
struct LaunchState {
  const ptx::Kernel &kernel;
  const LaunchConfig &config;
  const Options &options;
  DeviceMemory &memory;
  /// Addresses of the module's variables.
  const std::vector<uint64_t> &variables;
  /// The parameter space.
  const uint8_t *parameters;
  /// Number of this launch in the cells of global memory.
  uint8_t epoch;
  uint64_t blocks;
  unsigned threadsPerBlock;
  std::atomic<uint64_t> nextBlock = 0;
  std::atomic<bool> stopped = false;

  /// Per block, what it did for the order between blocks.
  enum BlockFlag : uint8_t { Fenced = 1, Published = 2, Acquired = 4 };
  std::vector<std::atomic<uint8_t>> flags;

  /// Stops the launch; the first fault is kept.
  void fail(Failure failure, FaultKind kind = FaultKind::Other);
  std::mutex mutex{};
  std::optional<Failure> failure{};
  FaultKind fault = FaultKind::None;
  Counters counters{};
};

/// An mbarrier object; its bytes in shared memory mean nothing.
struct Mbarrier {
  uint32_t expected = 0, pending = 0;
  int64_t transactions = 0;
  uint32_t phase = 0;
  /// Joined clocks of those who arrived, and of the last complete phase.
  Clock arriving, complete;
};

/// A bulk copy in flight, see BulkCopy.cpp.
struct BulkCopy;

/// Addresses of shared and local memory in the generic space begin here; no
/// host address has these bits.
constexpr uint64_t sharedWindow = uint64_t(1) << 62;
constexpr uint64_t localWindow = uint64_t(1) << 61;
constexpr uint64_t windowBytes = uint64_t(1) << 32;

/// One host thread's block, used for block after block.
class Block {
public:
  Block(LaunchState &launch);
  ~Block();

  /// Runs block number `number` to its end or to the launch's stop.
  void run(uint64_t number);

  LaunchState &launch;
  Counters counters;
  std::array<uint32_t, 3> position = {};
  uint64_t number = 0;
  std::vector<Warp> warps;

  /// Shared memory, the state of each byte, and a race cell for every word.
  uint32_t sharedBytes = 0;
  uint8_t *shared = nullptr;
  std::vector<uint8_t> sharedState;
  std::vector<uint64_t> sharedCells;

  /// The time of the block: events that order accesses.
  uint32_t time = 1;
  /// Times that fit the cells of races.
  static constexpr uint32_t maxTime = (1 << 18) - 1;
  /// Advances the time; forgets all accesses when the counter is exhausted.
  uint32_t tick();
  /// Whether that happened since the block began: the times in the cells of
  /// global memory then mean nothing.
  bool timeRestarted = false;

  // Barriers.

  /// The group arrives at a barrier; `count` threads are expected, or all for
  /// 0. Sleeps if it is not the last and `waits`.
  void arrive(Warp &warp, unsigned barrier, unsigned count, bool waits);
  /// Barriers may now be complete because threads have ended.
  void recheckBarriers();
  unsigned liveThreads() const;

  std::map<uint32_t, Mbarrier> mbarriers;
  std::vector<BulkCopy> bulkCopies;

  /// "block (1, 0, 0), thread (33, 0, 0)".
  std::string describeThread(unsigned thread) const;

private:
  struct Barrier {
    unsigned lanes = 0, warps = 0, expected = 0;
    Clock clock;
  };
  void completeIfFull(unsigned barrier);
  void reportDeadlock();
  void start(uint64_t number);

  static constexpr unsigned barrierCount = 16;
  std::array<Barrier, barrierCount> barriers;
  std::vector<uint8_t> sharedStorage;
};

} // namespace graphrt::exec

#endif // GRAPHRT_EMULATOR_EXEC_BLOCK_H
