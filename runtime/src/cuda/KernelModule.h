//===- KernelModule.h - The loaded code of an artifact ----------*- C++ -*-===//

#ifndef GRAPHRT_CUDA_KERNELMODULE_H
#define GRAPHRT_CUDA_KERNELMODULE_H

#include "Context.h"
#include "Handles.h"

#include "../api/Program.h"

#include <vector>

namespace graphrt::cuda {

/// The kernels of a program on a device, ready to be launched.
class KernelModule {
public:
  /// Loads the program's cubin if it fits the device, else has the driver
  /// assemble its PTX, and finds all kernels. Fails for another architecture,
  /// for code that the driver refuses (with the driver's own words) and for
  /// kernels that need more than the device has.
  static Expected<KernelModule> load(const Context &context,
                                     const rt::Program &program);

  CUfunction function(uint32_t kernel) const { return functions[kernel]; }

private:
  Status open(const Context &context, const rt::Program &program);
  Status findFunction(const Context &context, const fb::Kernel &kernel);

  Module module;
  std::vector<CUfunction> functions;
};

} // namespace graphrt::cuda

#endif // GRAPHRT_CUDA_KERNELMODULE_H
