//===- Driver.h - The CUDA driver, loaded at run time -----------*- C++ -*-===//

#ifndef GRAPHRT_CUDA_DRIVER_H
#define GRAPHRT_CUDA_DRIVER_H

#include "CudaHeader.h"

#include "graphrt/support/Expected.h"

#include <string>

namespace graphrt::cuda {

/// The table of the driver's functions, all of them set. The members are named
/// as the functions: `driver.cuMemAlloc(&address, size)`.
class Driver {
public:
#define GRAPHRT_CUDA_FUNCTION(name) decltype(&::name) name = nullptr;
#include "DriverSymbols.def"

  /// Loads a library that exports the driver's functions, and initializes it.
  /// It stays loaded until the process ends, because drivers have threads of
  /// their own; a second call returns the same table. Fails if there is no such
  /// library, if it is older than CUDA 12.0 or lacks a function, or if it finds
  /// no device.
  static Expected<const Driver *> load(const std::string &library);

  /// The failure that a code of the driver stands for, or success. `action` is
  /// what was tried: "create a stream".
  Status check(CUresult code, const std::string &action) const;

  const std::string &library() const { return path; }
  /// 1000 * major + 10 * minor, as the driver counts.
  int version() const { return driverVersion; }

private:
  explicit Driver(const std::string &library) : path(library) {}
  Status open();
  Status findFunctions();

  std::string path;
  void *handle = nullptr;
  int driverVersion = 0;
  /// What the emulated driver found wrong in the last call that failed, or "";
  /// null for real drivers.
  const char *(*lastFault)() = nullptr;
};

/// Whether the code says that the context is lost: every later call fails.
bool isSticky(CUresult code);

} // namespace graphrt::cuda

#endif // GRAPHRT_CUDA_DRIVER_H
