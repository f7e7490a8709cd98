//===- Block.cpp - A thread block and what it shares ----------------------===//

#include "exec/Block.h"

#include "exec/AsyncCopy.h"
#include "exec/BulkCopy.h"
#include "exec/DeviceMemory.h"
#include "exec/WarpGroupProduct.h"

#include <algorithm>
#include <cstring>

using namespace graphrt;
using namespace graphrt::exec;

namespace {

/// Rounds in which no warp did anything but fail to wait.
constexpr unsigned maxIdleRounds = 10000;
/// Alignment of shared memory: what the largest swizzle repeats after.
constexpr size_t sharedAlignment = 1024;

} // namespace

void LaunchState::fail(Failure found, FaultKind kind) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!failure) {
    failure = std::move(found);
    fault = kind;
  }
  stopped.store(true, std::memory_order_relaxed);
}

Block::Block(LaunchState &launch) : launch(launch) {
  sharedBytes = launch.kernel.sharedBytes + launch.config.sharedBytes;
  sharedStorage.resize(sharedBytes + sharedAlignment);
  uint64_t start = reinterpret_cast<uint64_t>(sharedStorage.data());
  shared = reinterpret_cast<uint8_t *>((start + sharedAlignment - 1) /
                                       sharedAlignment * sharedAlignment);
  sharedState.resize(sharedBytes);
  sharedCells.resize((sharedBytes + 3) / 4);
  unsigned count = (launch.threadsPerBlock + warpSize - 1) / warpSize;
  warps.reserve(count);
  for (unsigned index = 0; index < count; ++index)
    warps.emplace_back(*this, index);
}

Block::~Block() = default;

uint32_t Block::tick() {
  if (++time > maxTime) {
    // Forgets every access: races across this moment are missed.
    std::fill(sharedCells.begin(), sharedCells.end(), 0);
    for (Warp &warp : warps)
      warp.clock = Clock();
    for (auto &barrier : barriers)
      barrier.clock = Clock();
    for (auto &[address, mbarrier] : mbarriers)
      mbarrier.arriving = mbarrier.complete = Clock();
    time = 1;
    timeRestarted = true;
  }
  return time;
}

unsigned Block::liveThreads() const {
  unsigned count = 0;
  for (const Warp &warp : warps)
    count += std::popcount(warp.live());
  return count;
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

void Block::arrive(Warp &warp, unsigned id, unsigned count, bool waits) {
  Barrier &barrier = barriers[id];
  barrier.lanes += std::popcount(warp.active);
  ++barrier.warps;
  barrier.expected = count;
  warp.synchronize();
  barrier.clock.join(warp.clock);
  if (waits)
    warp.waitAt(id);
  completeIfFull(id);
}

/// Explicit counts are in threads but warps arrive as a whole.
void Block::completeIfFull(unsigned id) {
  Barrier &barrier = barriers[id];
  if (barrier.lanes == 0)
    return;
  bool isFull = barrier.expected == 0
                    ? barrier.lanes >= liveThreads()
                    : barrier.warps * warpSize >= barrier.expected;
  if (!isFull)
    return;
  ++counters.barriers;
  uint32_t now = tick();
  for (Warp &warp : warps)
    if (warp.release(id)) {
      warp.clock.join(barrier.clock);
      warp.clock.seen[warp.index] = now;
    }
  barrier = Barrier();
}

void Block::recheckBarriers() {
  for (unsigned id = 0; id < barrierCount; ++id)
    if (barriers[id].lanes && liveThreads() != 0)
      completeIfFull(id);
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

void Block::start(uint64_t block) {
  number = block;
  const auto &grid = launch.config.grid;
  position = {uint32_t(block % grid[0]), uint32_t(block / grid[0] % grid[1]),
              uint32_t(block / grid[0] / grid[1])};
  std::fill(sharedState.begin(), sharedState.end(),
            uint8_t(ByteState::Uninitialized));
  barriers.fill(Barrier());
  mbarriers.clear();
  bulkCopies.clear();
  // All accesses of the block before lie in the past.
  tick();
  timeRestarted = false;
  for (Warp &warp : warps) {
    unsigned rest = launch.threadsPerBlock - warp.index * warpSize;
    warp.start(rest >= warpSize ? allLanes : (LaneMask(1) << rest) - 1);
  }
}

void Block::run(uint64_t block) {
  start(block);
  unsigned idleRounds = 0;
  for (;;) {
    bool anyAlive = false, anyRan = false, anyWorked = false;
    for (Warp &warp : warps) {
      if (launch.stopped.load(std::memory_order_relaxed))
        return;
      if (warp.live() == 0)
        continue;
      anyAlive = true;
      Warp::Outcome outcome = warp.run();
      anyRan |= outcome != Warp::Outcome::Blocked;
      anyWorked |= outcome == Warp::Outcome::Preempted ||
                   outcome == Warp::Outcome::Ended;
    }
    if (!anyAlive)
      return;
    idleRounds = anyWorked ? 0 : idleRounds + 1;
    if (!launch.stopped.load(std::memory_order_relaxed) &&
        (!anyRan || idleRounds > maxIdleRounds))
      return reportDeadlock();
  }
}

void Block::reportDeadlock() {
  std::string waiting;
  unsigned shown = 0;
  for (const Warp &warp : warps)
    if (warp.live() != 0 && ++shown <= 4) {
      uint32_t line = warp.waitingLine();
      waiting += "; warp " + std::to_string(warp.index) + " waits in line " +
                 std::to_string(line) + ": " +
                 std::string(launch.kernel.module->line(line));
    }
  launch.fail({ErrorCode::Internal,
               "deadlock: found " + std::to_string(liveThreads()) + " of " +
                   std::to_string(launch.threadsPerBlock) +
                   " threads waiting for each other in kernel '" +
                   launch.kernel.name + "', " + describeThread(0) + waiting});
}

std::string Block::describeThread(unsigned thread) const {
  auto text = [](uint32_t x, uint32_t y, uint32_t z) {
    return "(" + std::to_string(x) + ", " + std::to_string(y) + ", " +
           std::to_string(z) + ")";
  };
  const auto &extents = launch.config.block;
  return "block " + text(position[0], position[1], position[2]) + ", thread " +
         text(thread % extents[0], thread / extents[0] % extents[1],
              thread / extents[0] / extents[1]);
}
