//===- CpuDevice.h - Runs functions on this machine's cores -----*- C++ -*-===//

#ifndef GRAPHRT_CPU_CPUDEVICE_H
#define GRAPHRT_CPU_CPUDEVICE_H

#include "Gemm.h"
#include "KernelLibrary.h"
#include "OneDnn.h"
#include "ThreadPool.h"

#include "graphrt/artifact/program_generated.h"
#include "graphrt/support/Expected.h"

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace graphrt::cpu {

/// Where the memory of each buffer space begins during one call.
struct Bindings {
  char *arena = nullptr;
  const char *constants = nullptr;
  std::vector<char *> states, inputs, outputs;

  char *resolve(const fb::Buffer &buffer) const;
};

/// Told of every step that has run: its index, and when it began and ended in
/// nanoseconds of the steady clock.
using StepObserver =
    std::function<void(uint32_t step, uint64_t begin, uint64_t end)>;

/// The kernels of one program and a team of threads to run them on. One call at
/// a time.
class CpuDevice {
public:
  /// Checks that the code fits this machine and loads it. `program` must
  /// outlive the device. Zero threads means the variable GRAPHRT_NUM_THREADS,
  /// and where that is not set the number of cores the process may use.
  static Expected<std::unique_ptr<CpuDevice>>
  create(const fb::Program &program, std::string_view code, unsigned threads);

  unsigned threads() const { return pool.size(); }

  /// Runs the steps of a function in order. On failure the memory that it
  /// writes holds undefined values. `observe` may be empty.
  Status run(const fb::Function &function, const Bindings &bindings,
             const StepObserver &observe);

private:
  CpuDevice(const fb::Program &program, std::unique_ptr<KernelLibrary> kernels,
            const OneDnn *oneDnn, unsigned threads);

  Status runStep(const fb::Step &step, const Bindings &bindings);
  void dispatch(const fb::Dispatch &dispatch, const Bindings &bindings);
  void copy(const fb::Copy &copy, const Bindings &bindings);

  const fb::Program &program;
  std::unique_ptr<KernelLibrary> kernels;
  const OneDnn *oneDnn;
  ThreadPool pool;
  GemmRunner gemms;
  /// The arguments of the kernel that runs.
  std::vector<void *> arguments;
};

} // namespace graphrt::cpu

#endif // GRAPHRT_CPU_CPUDEVICE_H
