//===- Scheduler.h - Hostile orders of queued operations --------*- C++ -*-===//
//
// A driver may run queued operations in any order that respects streams,
// events and graphs; programs are often right only for the usual one. Here
// nothing runs until the host waits for it, and then in an order chosen to
// surprise:
//
//     copy  x -> gpu   (stream 1)
//     kernel reads x   (stream 2)      no event between them
//     synchronize stream 2             runs the kernel alone: x is not there
//
//===----------------------------------------------------------------------===//

#ifndef GRAPHRT_EMULATOR_DRIVER_SCHEDULER_H
#define GRAPHRT_EMULATOR_DRIVER_SCHEDULER_H

#include "Operation.h"
#include "Options.h"

#include <functional>
#include <map>
#include <random>
#include <span>

namespace graphrt::driver {

/// Operations that run one after the other.
struct Lane {
  LaneId id = 0;
  uint64_t issued = 0;
  /// The last one submitted; null at first.
  OperationRef tail = nullptr;
};

class Scheduler {
public:
  /// Does an operation's work when its turn has come.
  using Execute = std::function<Outcome(Operation &)>;

  Scheduler(Strategy strategy, uint64_t seed, Execute execute)
      : strategy(strategy), random(seed), execute(std::move(execute)) {}
  Scheduler(const Scheduler &) = delete;
  ~Scheduler() { drop(); }

  Lane makeLane() { return {laneCount++}; }

  /// Queues `work` at the end of `lane`, after all of `predecessors`, of which
  /// some may be null. `stream` is the number of the stream it belongs to.
  OperationRef submit(Lane &lane, unsigned stream, WorkRef work,
                      std::span<const OperationRef> predecessors);

  /// Runs what is needed, and possibly more, until `operation` (null: nothing)
  /// is done; the host knows then.
  Outcome finish(const OperationRef &operation);
  Outcome finishAll();

  /// Whether nothing is queued, and the host knows that all is over.
  bool isQuiet() const { return pending.empty() && host.covers(everything); }

  /// The first operation that is still queued though it was submitted before
  /// `operation`, which is running: nothing orders the two. Null without one.
  const Operation *findUnordered(const Operation &operation) const;

  /// Forgets what is queued: the context is lost.
  void drop();

private:
  /// Runs operations for the sake of `target`, or of all if it is null, until
  /// it is done.
  Outcome advance(Operation *target);
  /// Makes `target` and what it waits for, or everything, wanted.
  void want(Operation *target);
  bool isWanted(const Operation &operation) const {
    return wantsAll || operation.wantedIn == generation;
  }
  /// Takes the operation that runs next out of `candidates`.
  Operation &take(std::vector<Operation *> &candidates);
  /// Runs one operation; appends those that wait no longer to `candidates`, if
  /// they are wanted.
  Outcome run(Operation &operation, std::vector<Operation *> &candidates);
  void tellHost(const Operation &operation);

  Strategy strategy;
  std::mt19937_64 random;
  Execute execute;
  LaneId laneCount = 0;
  uint64_t submitted = 0;
  /// Queued operations by order of submission, and those of them that wait for
  /// no other.
  std::map<uint64_t, OperationRef> pending;
  std::map<uint64_t, Operation *> ready;
  bool wantsAll = false;
  uint64_t generation = 0;
  /// What the host knows to be over, and whatever was submitted.
  Clock host;
  Clock everything;
};

} // namespace graphrt::driver

#endif // GRAPHRT_EMULATOR_DRIVER_SCHEDULER_H
