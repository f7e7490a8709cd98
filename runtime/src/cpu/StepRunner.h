//===- StepRunner.h - Runs steps on this machine's cores --------*- C++ -*-===//

#ifndef GRAPHRT_CPU_STEPRUNNER_H
#define GRAPHRT_CPU_STEPRUNNER_H

#include "Gemm.h"
#include "KernelLibrary.h"
#include "OneDnn.h"
#include "ThreadPool.h"

#include "../api/Device.h"

#include "graphrt/artifact/program_generated.h"
#include "graphrt/support/Expected.h"

#include <memory>
#include <string_view>
#include <vector>

namespace graphrt::cpu {

/// The kernels of one program and a team of threads to run them on. One call at
/// a time.
class StepRunner {
public:
  /// Checks that the code fits this machine and loads it. `program` must
  /// outlive the runner. Zero threads means the variable GRAPHRT_NUM_THREADS,
  /// and where that is not set the number of cores the process may use.
  static Expected<std::unique_ptr<StepRunner>>
  create(const fb::Program &program, std::string_view code, unsigned threads);

  unsigned threads() const { return pool.size(); }

  /// Runs the steps of a function in order. On failure the memory that it
  /// writes holds undefined values. `observe` may be empty.
  Status run(const fb::Function &function, const rt::Bindings &bindings,
             const rt::StepObserver &observe);

private:
  StepRunner(const fb::Program &program, std::unique_ptr<KernelLibrary> kernels,
             const OneDnn *oneDnn, unsigned threads);

  Status runStep(const fb::Step &step, const rt::Bindings &bindings);
  void dispatch(const fb::Dispatch &dispatch, const rt::Bindings &bindings);
  void copy(const fb::Copy &copy, const rt::Bindings &bindings);

  const fb::Program &program;
  std::unique_ptr<KernelLibrary> kernels;
  const OneDnn *oneDnn;
  ThreadPool pool;
  GemmRunner gemms;
  /// The arguments of the kernel that runs.
  std::vector<void *> arguments;
};

} // namespace graphrt::cpu

#endif // GRAPHRT_CPU_STEPRUNNER_H
