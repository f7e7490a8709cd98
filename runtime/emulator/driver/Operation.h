//===- Operation.h - Queued work --------------------------------*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_DRIVER_OPERATION_H
#define GRAPHRT_EMULATOR_DRIVER_OPERATION_H

#include "AccessHistory.h"
#include "Outcome.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace graphrt::driver {

/// The memory that one operation touched.
struct Accesses {
  std::vector<ByteRange> reads;
  std::vector<ByteRange> writes;
};

/// Something that a stream or a graph's node does. Immutable once submitted: a
/// graph runs the same work again and again.
class Work {
public:
  virtual ~Work() = default;
  /// For messages: "kernel 'add'", "copy of 64 bytes from host to device".
  virtual std::string describe() const = 0;
  /// Does the work and adds to `accesses` what it touched.
  virtual Outcome run(Accesses &accesses) const = 0;
};
using WorkRef = std::shared_ptr<const Work>;

struct Operation;
using OperationRef = std::shared_ptr<Operation>;

/// Work at a place in time.
struct Operation {
  OperationNameRef name;
  WorkRef work;
  /// The number of the stream it was submitted to.
  unsigned stream;
  /// What is over when it runs.
  Clock before;
  /// Counts all operations of a scheduler in order of submission.
  uint64_t index;
  bool isDone = false;
  std::chrono::steady_clock::time_point doneAt;

  /// Those that were not done when this one was submitted; empty once it is.
  std::vector<OperationRef> predecessors;
  std::vector<Operation *> successors;
  /// How many predecessors are not done.
  unsigned awaited = 0;
  /// The last generation of the scheduler that wanted it to run.
  uint64_t wantedIn = 0;
};

} // namespace graphrt::driver

#endif // GRAPHRT_EMULATOR_DRIVER_OPERATION_H
