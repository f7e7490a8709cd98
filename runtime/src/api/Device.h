//===- Device.h - What runs the functions of a program ----------*- C++ -*-===//

#ifndef GRAPHRT_API_DEVICE_H
#define GRAPHRT_API_DEVICE_H

#include "Memory.h"
#include "Program.h"

#include "graphrt/artifact/program_generated.h"
#include "graphrt/support/Expected.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graphrt::rt {

/// Where the memory of each buffer space begins during one call. Addresses are
/// the device's own, which need not be the host's.
struct Bindings {
  char *arena = nullptr;
  char *constants = nullptr;
  std::vector<char *> states, inputs, outputs;

  char *resolve(const fb::Buffer &buffer) const;
};

/// Told of every step that has run: its index, and when it began and ended in
/// nanoseconds of the steady clock.
using StepObserver =
    std::function<void(uint32_t step, uint64_t begin, uint64_t end)>;

/// The code of one program on one device, and the memory of its states and
/// calls. One caller at a time.
class Device {
public:
  virtual ~Device() = default;

  /// For people: "cpu" or "cuda:0 (NVIDIA H200)".
  virtual const std::string &name() const = 0;

  /// Runs the steps of a function in order, on tensors in host memory, and
  /// returns when the outputs hold its results. On failure the states that it
  /// writes hold undefined values. `observe` may be empty.
  virtual Status run(uint32_t function, std::span<const char *const> inputs,
                     std::span<char *const> outputs,
                     const StepObserver &observe) = 0;

  /// The program's own kernel if it computes a product here, null if a library
  /// does.
  virtual const fb::Dispatch *kernelOf(const fb::Gemm &) const {
    return nullptr;
  }

  /// Replaces a state by what is in host memory.
  virtual Status writeState(uint32_t state, const char *from) = 0;

  /// The bytes of a state: in place where the host can read them, else copied
  /// to `scratch`. Valid while neither the device nor `scratch` is used.
  virtual Expected<const char *> readState(uint32_t state,
                                           AlignedMemory &scratch) = 0;
};

struct DeviceOptions {
  /// Threads of the CPU; 0 for the default.
  unsigned threads = 0;
  /// "cpu", "cuda", "cuda:1", "cuda-emulated", or empty for what the program
  /// was compiled for.
  std::string device;
};

/// The chosen device with the program's code and memory for its states. Fails
/// if there is no such device or if it cannot run the program.
Expected<std::unique_ptr<Device>>
createDevice(std::shared_ptr<const Program> program,
             const DeviceOptions &options);

/// The bytes of a program's tensor.
uint64_t byteSizeOf(const fb::NamedTensor &tensor);

} // namespace graphrt::rt

#endif // GRAPHRT_API_DEVICE_H
