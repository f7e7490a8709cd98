//===- StepRunner.h - Runs steps on a CUDA stream ---------------*- C++ -*-===//

#ifndef GRAPHRT_CUDA_STEPRUNNER_H
#define GRAPHRT_CUDA_STEPRUNNER_H

#include "Context.h"
#include "GemmLibrary.h"
#include "KernelModule.h"

#include "../api/Device.h"

#include <vector>

namespace graphrt::cuda {

/// Puts the steps of functions into a stream, which may be in capture. All
/// arguments outlive the runner; without a library of matrix products each uses
/// its own kernel.
class StepRunner {
public:
  StepRunner(const Context &context, const fb::Program &program,
             const KernelModule &kernels, GemmLibrary *gemms)
      : context(context), program(program), kernels(kernels), gemms(gemms) {}

  /// Does not wait for the step, so failures of its execution show later.
  /// Failures carry the location of the step.
  Status enqueue(const fb::Step &step, const rt::Bindings &bindings,
                 CUstream stream);

  /// The kernel that computes a product; null where the library does, and where
  /// there is nothing to compute.
  const fb::Dispatch *kernelOf(const fb::Gemm &gemm) const;

  /// Adds the location of the step to a failure that it is the cause of.
  Status locate(const fb::Step &step, Status status) const;

  /// "the kernel 'softmax_3'", "a matrix product", "a copy".
  std::string describe(const fb::Step &step) const;

private:
  Status enqueueCommand(const fb::Step &step, const rt::Bindings &bindings,
                        CUstream stream);
  Status launch(const fb::Dispatch &dispatch, const rt::Bindings &bindings,
                CUstream stream);
  Status setParameters(const fb::Dispatch &dispatch,
                       const rt::Bindings &bindings);
  Status multiply(const fb::Gemm &gemm, const rt::Bindings &bindings,
                  CUstream stream);
  Status clear(const fb::Gemm &gemm, const rt::Bindings &bindings,
               CUstream stream);
  Status copy(const fb::Copy &copy, const rt::Bindings &bindings,
              CUstream stream);

  const Context &context;
  const fb::Program &program;
  const KernelModule &kernels;
  GemmLibrary *gemms;
  /// The parameters of the kernel that is launched, and where they are.
  std::vector<char *> addresses;
  std::vector<CUtensorMap> tensorMaps;
  std::vector<void *> parameters;
};

} // namespace graphrt::cuda

#endif // GRAPHRT_CUDA_STEPRUNNER_H
