//===- CudaDevice.h - A program on a CUDA device ----------------*- C++ -*-===//

#ifndef GRAPHRT_CUDA_CUDADEVICE_H
#define GRAPHRT_CUDA_CUDADEVICE_H

#include "../api/Device.h"
#include "../api/DeviceChoice.h"

namespace graphrt::cuda {

/// A CUDA device, real or emulated. A call without outputs returns before its
/// steps have run. After a fault of a kernel the device is lost: everything but
/// the destructor fails then, with the first failure's message.
class CudaDevice final : public rt::Device {
public:
  /// Loads the driver and the program's code, and allocates its states.
  static Expected<std::unique_ptr<rt::Device>>
  create(std::shared_ptr<const rt::Program> program, rt::DeviceChoice choice);
  ~CudaDevice() override;

  const std::string &name() const override;
  Status run(uint32_t function, std::span<const char *const> inputs,
             std::span<char *const> outputs,
             const rt::StepObserver &observe) override;
  const fb::Dispatch *kernelOf(const fb::Gemm &gemm) const override;
  Status writeState(uint32_t state, const char *from) override;
  Expected<const char *> readState(uint32_t state,
                                   rt::AlignedMemory &scratch) override;

private:
  struct Parts;

  explicit CudaDevice(std::shared_ptr<const rt::Program> program);

  Status open(rt::DeviceChoice choice);
  Status openQueues();
  Status uploadConstants();
  Status allocateStates();
  Status reserveArena(const fb::Function &function);
  Status transferState(uint32_t state, const char *from, char *to);
  Status runFunction(uint32_t function, std::span<const char *const> inputs,
                     std::span<char *const> outputs,
                     const rt::StepObserver &observe);

  /// Runs `body`, which returns a Status, in the device's context. Fails
  /// without it if the device is lost, and finds out whether it now is.
  template <typename Body>
  Status guard(const Body &body);

  std::shared_ptr<const rt::Program> program;
  /// What needs the driver's header, in the order of its construction.
  std::unique_ptr<Parts> parts;
};

} // namespace graphrt::cuda

#endif // GRAPHRT_CUDA_CUDADEVICE_H
