//===- CpuDevice.h - A program on this machine's cores ----------*- C++ -*-===//

#ifndef GRAPHRT_CPU_CPUDEVICE_H
#define GRAPHRT_CPU_CPUDEVICE_H

#include "StepRunner.h"

#include "../api/Device.h"

namespace graphrt::cpu {

class CpuDevice final : public rt::Device {
public:
  /// Checks that the code fits this machine and loads it. Zero threads means
  /// the variable GRAPHRT_NUM_THREADS, and where that is not set the number of
  /// cores the process may use. Throws std::bad_alloc and std::system_error.
  static Expected<std::unique_ptr<rt::Device>>
  create(std::shared_ptr<const rt::Program> program, unsigned threads);

  const std::string &name() const override { return deviceName; }
  Status run(uint32_t function, std::span<const char *const> inputs,
             std::span<char *const> outputs,
             const rt::StepObserver &observe) override;
  Status writeState(uint32_t state, const char *from) override;
  Expected<const char *> readState(uint32_t state,
                                   rt::AlignedMemory &scratch) override;

private:
  CpuDevice(std::shared_ptr<const rt::Program> program,
            std::unique_ptr<StepRunner> steps);

  const std::string deviceName = "cpu";
  std::shared_ptr<const rt::Program> program;
  std::unique_ptr<StepRunner> steps;
  std::vector<rt::AlignedMemory> states;
  /// Scratch memory of calls, as large as the largest function called so far.
  rt::AlignedMemory arena;
  uint64_t arenaSize = 0;
  rt::Bindings bindings;
};

} // namespace graphrt::cpu

#endif // GRAPHRT_CPU_CPUDEVICE_H
