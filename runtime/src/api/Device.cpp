//===- Device.cpp - What runs the functions of a program ------------------===//

#include "Device.h"
#include "DeviceChoice.h"

#include "../cpu/CpuDevice.h"
#ifdef GRAPHRT_HAS_CUDA
#include "../cuda/CudaDevice.h"
#endif

#include "graphrt/artifact/Validate.h"

using namespace graphrt;
using namespace graphrt::rt;

char *Bindings::resolve(const fb::Buffer &buffer) const {
  switch (buffer.space()) {
  case fb::Space::arena:
    return arena + buffer.offset();
  case fb::Space::state:
    return states[buffer.index()] + buffer.offset();
  case fb::Space::input:
    return inputs[buffer.index()] + buffer.offset();
  case fb::Space::output:
    return outputs[buffer.index()] + buffer.offset();
  case fb::Space::constant:
    return constants + buffer.offset();
  }
  __builtin_unreachable();
}

uint64_t graphrt::rt::byteSizeOf(const fb::NamedTensor &tensor) {
  return *artifact::byteCount(tensor.type()->element_type(),
                              tensor.type()->shape());
}

Expected<std::unique_ptr<Device>>
graphrt::rt::createDevice(std::shared_ptr<const Program> program,
                          const DeviceOptions &options) {
  Expected<DeviceChoice> choice =
      chooseDevice(options.device, program->image().target()->string_view());
  if (!choice)
    return choice.failure();
  if (choice->kind == DeviceKind::Cpu)
    return cpu::CpuDevice::create(std::move(program), options.threads);
#ifdef GRAPHRT_HAS_CUDA
  return cuda::CudaDevice::create(std::move(program), *choice);
#else
  return Failure{ErrorCode::Unsupported,
                 "found a runtime that was built without cuda.h, expected one "
                 "with the CUDA device"};
#endif
}
