//===- Context.h - One CUDA device ------------------------------*- C++ -*-===//

#ifndef GRAPHRT_CUDA_CONTEXT_H
#define GRAPHRT_CUDA_CONTEXT_H

#include "Driver.h"

#include "../api/DeviceChoice.h"

#include <memory>
#include <string>
#include <string_view>

namespace graphrt::cuda {

/// A device and its primary context, which the process shares with other users
/// of CUDA.
class Context {
public:
  /// Loads the driver, or for an emulated device what stands in for it, and
  /// retains the primary context of the chosen device.
  static Expected<std::unique_ptr<Context>> create(rt::DeviceChoice choice);
  ~Context();
  Context(const Context &) = delete;

  const Driver &driver() const { return table; }
  CUdevice device() const { return handle; }
  bool isEmulated() const {
    return choice.kind == rt::DeviceKind::CudaEmulated;
  }

  /// "cuda:0 (NVIDIA H200)".
  const std::string &name() const { return displayName; }

  /// Makes the context current in the calling thread, as every use of the
  /// device demands.
  Status enter() const {
    return table.check(table.cuCtxSetCurrent(context),
                       "use the device's context");
  }

  /// Fails unless code for `architecture`, such as "sm_90" or "sm_90a", runs on
  /// the device.
  Status checkArchitecture(std::string_view architecture) const;

  /// 0 for an attribute that the driver does not know.
  int attribute(CUdevice_attribute attribute) const;

private:
  Context(const Driver &driver, rt::DeviceChoice choice)
      : table(driver), choice(choice) {}

  Status open();

  const Driver &table;
  rt::DeviceChoice choice;
  CUdevice handle = 0;
  CUcontext context = nullptr;
  std::string displayName;
};

} // namespace graphrt::cuda

#endif // GRAPHRT_CUDA_CONTEXT_H
