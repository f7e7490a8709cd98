//===- Module.h - Loaded modules and their functions ------------*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_DRIVER_MODULE_H
#define GRAPHRT_EMULATOR_DRIVER_MODULE_H

#include "Architecture.h"
#include "exec/Launch.h"
#include "ptx/Module.h"

#include <map>
#include <span>

namespace graphrt::driver {

struct LoadedModule {
  std::shared_ptr<const ptx::Module> code;
  bool isLoaded = true;
  /// The functions that the application asked for.
  std::map<std::string, CUfunction> functions = {};
};

struct LoadedFunction {
  std::shared_ptr<const LoadedModule> module;
  const ptx::Kernel *kernel;
  /// Bytes of dynamic shared memory that a launch may ask for.
  int maxDynamicShared;

  LoadedFunction(std::shared_ptr<const LoadedModule> module,
                 const ptx::Kernel &kernel);
  int maxThreads() const;
  Result<int> attribute(CUfunction_attribute attribute,
                        const Architecture &architecture) const;
  Outcome setAttribute(CUfunction_attribute attribute, int value,
                       const Architecture &architecture);
  /// Fails with INVALID_VALUE for a launch that a device would refuse.
  Outcome checkLaunch(const exec::LaunchConfig &config) const;
  /// Collects the bytes of all arguments, from `parameters` (one pointer each)
  /// or `extra` (the driver's list of a buffer and its size).
  Result<std::vector<std::byte>> packArguments(void **parameters,
                                               void **extra) const;
};

/// Decodes `image`, PTX that ends with a zero byte, for a device.
Result<std::shared_ptr<const ptx::Module>>
loadModule(const Architecture &architecture, const void *image);

} // namespace graphrt::driver

#endif // GRAPHRT_EMULATOR_DRIVER_MODULE_H
