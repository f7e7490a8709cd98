//===- Driver.h - The emulated driver of a process --------------*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_DRIVER_DRIVER_H
#define GRAPHRT_EMULATOR_DRIVER_DRIVER_H

#include "Context.h"
#include "Options.h"

#include <mutex>

namespace graphrt::driver {

/// The memory of stream-ordered allocations. They are never cached, so the
/// threshold changes nothing.
struct MemoryPool {
  uint64_t releaseThreshold = 0;
};

class Driver {
public:
  /// The only one. It writes its report when the process ends.
  static Driver &instance();

  /// Reads the options; fails if one is bad.
  Outcome initialize();
  bool isInitialized() const { return initialized; }
  /// Ends everything, as if the process began anew.
  void reset();

  const Options &options() const { return currentOptions; }
  /// Fails with INVALID_DEVICE unless `device` is one.
  Outcome checkDevice(CUdevice device) const;

  Result<CUcontext> retainPrimary(CUdevice device);
  Outcome releasePrimary(CUdevice device);

  CUmemoryPool defaultPool(CUdevice device) const {
    return devices[device].pool;
  }
  Result<std::shared_ptr<MemoryPool>> findPool(CUmemoryPool handle) const {
    return pools.find(handle);
  }

  /// Makes a context, or none (null), current to this thread.
  Outcome setCurrent(CUcontext handle);
  Result<std::shared_ptr<Context>> currentContext() const;

  /// Keeps a fault's text; returns its code.
  CUresult finishCall(const char *function, Outcome outcome);
  const std::string &lastFault() const { return faultText; }

  /// The counters of all kernels, as JSON.
  std::string reportText() const;
  /// Writes the report to the file of the options, if they name one.
  void writeReport() const;

  std::mutex mutex;
  Report report;

private:
  Driver() = default;

  struct Device {
    CUcontext primary = nullptr;
    unsigned retains = 0;
    CUmemoryPool pool = nullptr;
  };

  bool initialized = false;
  Options currentOptions;
  std::vector<Device> devices;
  HandleTable<CUcontext, Context> contexts{HandleKind::Context, 0};
  HandleTable<CUmemoryPool, MemoryPool> pools{HandleKind::MemoryPool, 0};
  uint64_t contextCount = 0;
  std::string faultText;
};

} // namespace graphrt::driver

#endif // GRAPHRT_EMULATOR_DRIVER_DRIVER_H
