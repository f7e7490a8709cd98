//===- FunctionInstance.h - A function ready to be called -------*- C++ -*-===//
//
// One call of a function, on two streams:
//
//   host     stage inputs                                     unstage outputs
//   copy       ......... upload                       download ...
//   compute              ...... wait, steps, record ........
//
// Inputs and outputs have fixed addresses on the device, so that the steps can
// be captured once in a CUDA graph and replayed. Inputs are staged in one of
// two pinned buffers: while the upload of one call is under way the next call
// fills the other. The upload waits for the steps of the call before, which
// read the same device memory. Outputs have one pinned buffer, because the call
// waits for them.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPHRT_CUDA_FUNCTIONINSTANCE_H
#define GRAPHRT_CUDA_FUNCTIONINSTANCE_H

#include "Memory.h"
#include "StepRunner.h"

#include <array>

namespace graphrt::cuda {

/// The streams of a session and what they are told to do.
struct Queues {
  Stream compute, copy;
  /// Recorded on `compute` after each call.
  Event computed;
  /// Replay the steps of a function as one graph.
  bool useGraphs = true;
  /// Wait after every step, to know which one failed.
  bool waitForSteps = false;
};

class FunctionInstance {
public:
  /// Allocates the memory of inputs and outputs. The arguments outlive the
  /// instance.
  static Expected<std::unique_ptr<FunctionInstance>>
  create(const Context &context, const fb::Function &function, Queues &queues,
         StepRunner &steps);

  /// Runs the function. `bindings` says where arena, states and constants are;
  /// as long as they stay there, graphs are reused. Waits for the outputs, and
  /// without outputs for nothing.
  Status run(rt::Bindings &bindings, std::span<const char *const> inputs,
             std::span<char *const> outputs, const rt::StepObserver &observe);

  /// Forgets the graph; to be called when the addresses in bindings change.
  void resetGraph() { graph = {}; }

private:
  /// A tensor's place in the memory of inputs or of outputs.
  struct Slot {
    uint64_t offset, size;
  };

  /// Pinned memory of all inputs, and when the device has read them.
  struct Staging {
    PinnedMemory memory;
    Event uploaded;
    bool isUsed = false;
  };

  FunctionInstance(const Context &context, const fb::Function &function,
                   Queues &queues, StepRunner &steps)
      : context(context), function(function), queues(queues), steps(steps) {}

  Status allocate();
  Status upload(std::span<const char *const> inputs);
  Status download(std::span<char *const> outputs);
  Status runStep(const fb::Step &step, const rt::Bindings &bindings);
  Status runSteps(const rt::Bindings &bindings);
  Status captureGraph(const rt::Bindings &bindings);
  Status replayGraph();
  Status observeSteps(const rt::Bindings &bindings,
                      const rt::StepObserver &observe);
  Status describe(Status status) const;

  const Context &context;
  const fb::Function &function;
  Queues &queues;
  StepRunner &steps;
  std::vector<Slot> inputSlots, outputSlots;
  DeviceMemory inputMemory, outputMemory;
  std::array<Staging, 2> staging;
  unsigned nextStaging = 0;
  PinnedMemory outputStaging;
  Event downloaded;
  GraphExec graph;
};

} // namespace graphrt::cuda

#endif // GRAPHRT_CUDA_FUNCTIONINSTANCE_H
