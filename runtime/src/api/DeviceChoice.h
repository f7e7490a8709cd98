//===- DeviceChoice.h - Which device runs a program -------------*- C++ -*-===//

#ifndef GRAPHRT_API_DEVICECHOICE_H
#define GRAPHRT_API_DEVICECHOICE_H

#include "graphrt/support/Expected.h"

#include <optional>
#include <string_view>

namespace graphrt::rt {

enum class DeviceKind { Cpu, Cuda, CudaEmulated };

struct DeviceChoice {
  DeviceKind kind = DeviceKind::Cpu;
  /// Which of several; without it, the process's rank on this machine decides.
  std::optional<unsigned> index = std::nullopt;
};

/// Reads the name of a device, "cpu", "cuda", "cuda:1" or "cuda-emulated", for
/// a program of the given target. An empty name is the target itself.
Expected<DeviceChoice> chooseDevice(std::string_view name,
                                    std::string_view target);

} // namespace graphrt::rt

#endif // GRAPHRT_API_DEVICECHOICE_H
