//===- Warp.h - Thirty-two lanes and their registers ------------*- C++ -*-===//
//
// The lanes of a warp run in groups, each with a program counter. The group
// with the lowest counter runs until it reaches another group's counter, where
// both merge: since compilers lay out code in the order of execution, branches
// reconverge at the end of the shorter side. A warp that never diverges has one
// group, and its instructions are loops over 32 lanes.
//
// Handlers see the lanes that execute an instruction as `active`, and steer the
// warp through the members below it.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPHRT_EMULATOR_EXEC_WARP_H
#define GRAPHRT_EMULATOR_EXEC_WARP_H

#include "exec/Launch.h"
#include "ptx/Module.h"

#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace graphrt::exec {

class Block;
struct AsyncCopy;
struct PendingProduct;

constexpr unsigned warpSize = 32;
using LaneMask = uint32_t;
constexpr LaneMask allLanes = ~LaneMask(0);

/// The order of events that the lanes of a warp have seen: for each warp of the
/// block, the time before which its accesses are known to have happened.
struct Clock {
  static constexpr unsigned maxWarps = 32;
  uint32_t seen[maxWarps] = {};

  void join(const Clock &other) {
    for (unsigned warp = 0; warp < maxWarps; ++warp)
      seen[warp] =
          seen[warp] > other.seen[warp] ? seen[warp] : other.seen[warp];
  }
};

/// Lanes that run together.
struct LaneGroup {
  enum class State : uint8_t {
    Ready,
    /// Waits for other lanes of the warp to reach the same instruction.
    Converging,
    AtBarrier,
  };

  uint32_t pc;
  LaneMask lanes;
  State state = State::Ready;
  /// AtBarrier: which one.
  uint8_t barrier = 0;
  /// Converging: the lanes that it waits for, and whether lanes that end
  /// meanwhile are still waited for.
  bool countsEnded = false;
  LaneMask required = 0;
};

class Warp {
public:
  Warp(Block &block, unsigned index);
  ~Warp();
  Warp(Warp &&) noexcept;

  // For handlers.

  /// The lanes that execute the current instruction.
  LaneMask active = 0;
  Block &block;
  /// Position in the block, from 0.
  const unsigned index;

  template <typename T>
  T *lanes(ptx::Slot slot) {
    return static_cast<T *>(
        __builtin_assume_aligned(registers.get() + slot, 64));
  }
  LaneMask &predicate(ptx::Slot slot) {
    return *reinterpret_cast<LaneMask *>(registers.get() + slot);
  }
  /// Sets the active lanes of a predicate.
  void setPredicate(ptx::Slot slot, LaneMask value) {
    LaneMask &target = predicate(slot);
    target = (target & ~active) | (value & active);
  }
  const ptx::Slot *slotList(const ptx::Instruction &instruction) const;

  /// The lanes that have not ended.
  LaneMask live() const { return alive; }

  /// The active lanes go on at `target`.
  void branch(uint32_t target);
  /// Each active lane goes on at its own target.
  void branchEach(const uint32_t *targets);
  /// The active lanes end.
  void exit();
  /// Whether the active lanes include those `required`. If not, the group waits
  /// for them and the handler must return; it will be called again.
  bool converge(LaneMask required, bool countsEnded);
  /// The current group waits at that barrier of the block.
  void waitAt(unsigned barrier);
  /// Releases the groups that wait at the barrier; returns their lanes.
  LaneMask release(unsigned barrier);
  /// Lets other warps run before the next instruction, because a wait failed.
  void yield();
  /// Ends the launch. `what` begins the message; `lane` is the culprit.
  void fault(unsigned lane, const std::string &what,
             FaultKind kind = FaultKind::Other);
  bool hasFaulted() const { return faulted; }

  /// The carry flag of each lane, for extended-precision arithmetic.
  LaneMask carry = 0;

  /// Orders the lanes' accesses to memory before and after.
  void synchronize();
  Clock clock;

  /// Copies of cp.async that have not arrived.
  std::vector<AsyncCopy> copies;
  /// Groups of copies that each lane has committed.
  uint32_t committedCopies[warpSize];
  /// Groups of bulk copies out of shared memory that each lane has committed.
  uint32_t committedBulk[warpSize];
  /// Products of wgmma that have not arrived, and the number of committed
  /// groups.
  std::vector<PendingProduct> products;
  uint32_t committedProducts = 0;

  /// Local memory, lane after lane, and the state of each byte.
  uint8_t *local(unsigned lane) { return localData.get() + lane * localBytes; }
  uint8_t *localState(unsigned lane) {
    return localStates.get() + lane * localBytes;
  }

  // For the block.

  /// Starts the warp's lanes for a new block.
  void start(LaneMask lanes);
  enum class Outcome : uint8_t {
    /// Nothing to do before a barrier opens.
    Blocked,
    /// It could go on, but the others shall have their turn.
    Preempted,
    /// A wait failed.
    Yielded,
    Ended,
  };
  /// Runs for at most a turn.
  Outcome run();
  /// The line of a group that waits, for messages; 0 without one.
  uint32_t waitingLine() const;
  const ptx::Instruction &currentInstruction() const;

private:
  bool selectGroup();
  void mergeGroups();
  bool retryConverging();
  void reportDivergence();
  void removeCurrent();
  void fillConstants();
  void fillConstant(const ptx::Constant &constant);

  struct Deleter {
    void operator()(uint8_t *memory) const;
  };
  std::unique_ptr<uint8_t[], Deleter> registers, localData, localStates;
  size_t localBytes = 0;

  std::vector<LaneGroup> groups;
  size_t current = 0;
  LaneMask alive = 0, groupLanes = 0;
  uint32_t pc = 0, nextPc = 0, limit = 0;
  /// The groups have changed; the current one must be chosen again.
  bool regroup = false;
  bool yielded = false, faulted = false;
  uint64_t executed = 0;
};

/// Calls `body(lane)` for every active lane; `body` must treat lanes
/// independently.
template <typename Body>
inline void forEachLane(LaneMask active, Body body) {
  if (active == allLanes) {
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
    for (unsigned lane = 0; lane < warpSize; ++lane)
      body(lane);
    return;
  }
  for (LaneMask rest = active; rest != 0; rest &= rest - 1)
    body(unsigned(std::countr_zero(rest)));
}

} // namespace graphrt::exec

#endif // GRAPHRT_EMULATOR_EXEC_WARP_H
