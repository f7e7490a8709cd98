//===- CudaDevice.cpp - A program on a CUDA device ------------------------===//

#include "CudaDevice.h"
#include "FunctionInstance.h"

#include <cstdlib>
#include <optional>

using namespace graphrt;
using namespace graphrt::cuda;
using artifact::SectionKind;

namespace {

bool isSet(const char *variable, std::string_view value) {
  const char *text = std::getenv(variable);
  return text && text == value;
}

} // namespace

struct CudaDevice::Parts {
  std::unique_ptr<Context> context;
  Queues queues;
  KernelModule kernels;
  std::unique_ptr<GemmLibrary> gemms;
  std::unique_ptr<StepRunner> steps;
  DeviceMemory constants, arena;
  uint64_t arenaSize = 0;
  std::vector<DeviceMemory> states;
  /// By the function's index; null until its first call.
  std::vector<std::unique_ptr<FunctionInstance>> functions;
  rt::Bindings bindings;
  /// The last call, if it returned without waiting for its steps.
  std::optional<uint32_t> unfinished;
  /// Why the device is lost.
  std::optional<Failure> lost;
};

CudaDevice::CudaDevice(std::shared_ptr<const rt::Program> program)
    : program(std::move(program)), parts(std::make_unique<Parts>()) {}

CudaDevice::~CudaDevice() {
  if (!parts->context)
    return;
  // Freed memory must not be in use on the other stream. Errors are those of a
  // device that is lost.
  (void)parts->context->enter();
  const Driver &driver = parts->context->driver();
  for (const Stream *stream : {&parts->queues.copy, &parts->queues.compute})
    if (*stream)
      driver.cuStreamSynchronize(stream->get());
}

const std::string &CudaDevice::name() const { return parts->context->name(); }

Expected<std::unique_ptr<rt::Device>>
CudaDevice::create(std::shared_ptr<const rt::Program> program,
                   rt::DeviceChoice choice) {
  std::unique_ptr<CudaDevice> device(new CudaDevice(std::move(program)));
  if (Status status = device->open(choice))
    return status.failure();
  return std::unique_ptr<rt::Device>(std::move(device));
}

Status CudaDevice::open(rt::DeviceChoice choice) {
  Expected<std::unique_ptr<Context>> created = Context::create(choice);
  if (!created)
    return created.failure();
  parts->context = std::move(*created);
  const Context &context = *parts->context;
  if (Status status = context.enter())
    return status;
  if (Status status = openQueues())
    return status;
  Expected<KernelModule> kernels = KernelModule::load(context, *program);
  if (!kernels)
    return kernels.failure();
  parts->kernels = std::move(*kernels);
#ifdef GRAPHRT_HAS_CUBLASLT
  if (!context.isEmulated() && rt::usesGemm(program->image())) {
    Expected<std::unique_ptr<GemmLibrary>> gemms =
        openCublasLt(context, parts->queues.compute.get());
    if (!gemms)
      return gemms.failure();
    parts->gemms = std::move(*gemms);
  }
#endif
  parts->steps = std::make_unique<StepRunner>(
      context, program->image(), parts->kernels, parts->gemms.get());
  parts->functions.resize(program->numFunctions());
  if (Status status = uploadConstants())
    return status;
  return allocateStates();
}

Status CudaDevice::openQueues() {
  const Driver &driver = parts->context->driver();
  Queues &queues = parts->queues;
  for (Stream *stream : {&queues.compute, &queues.copy}) {
    Expected<Stream> created = createStream(driver);
    if (!created)
      return created.failure();
    *stream = std::move(*created);
  }
  Expected<Event> computed = createEvent(driver, /*isTimed=*/false);
  if (!computed)
    return computed.failure();
  queues.computed = std::move(*computed);
  queues.waitForSteps = isSet("GRAPHRT_CUDA_SYNC", "1");
  queues.useGraphs = !isSet("GRAPHRT_CUDA_GRAPHS", "off");
  return keepFreedMemory(*parts->context);
}

Status CudaDevice::uploadConstants() {
  std::string_view bytes = program->section(SectionKind::Constants);
  const Driver &driver = parts->context->driver();
  CUstream stream = parts->queues.compute.get();
  Expected<DeviceMemory> memory = DeviceMemory::allocate(
      *parts->context, stream, bytes.size(), "the constants");
  if (!memory)
    return memory.failure();
  parts->constants = std::move(*memory);
  parts->bindings.constants = parts->constants.data();
  if (bytes.empty())
    return {};
  if (Status status = driver.check(
          driver.cuMemcpyHtoDAsync(parts->constants.get(), bytes.data(),
                                   bytes.size(), stream),
          "upload the constants"))
    return status;
  return driver.check(driver.cuStreamSynchronize(stream),
                      "upload the constants");
}

Status CudaDevice::allocateStates() {
  for (uint32_t i = 0; i < program->numStates(); ++i) {
    const fb::NamedTensor &state = program->state(i);
    Expected<DeviceMemory> memory = DeviceMemory::allocate(
        *parts->context, parts->queues.compute.get(), rt::byteSizeOf(state),
        "state '" + state.name()->str() + "'");
    if (!memory)
      return memory.failure();
    parts->states.push_back(std::move(*memory));
    parts->bindings.states.push_back(parts->states.back().data());
  }
  return {};
}

template <typename Body>
Status CudaDevice::guard(const Body &body) {
  if (parts->lost)
    return Failure{
        parts->lost->code,
        name() + " is lost after an earlier failure: " + parts->lost->message,
        parts->lost->location};
  Status status = parts->context->enter();
  if (!status)
    status = body();
  if (!status)
    return {};
  const Driver &driver = parts->context->driver();
  if (!isSticky(driver.cuStreamSynchronize(parts->queues.compute.get())))
    return status;
  if (parts->unfinished)
    status.failure().message +=
        "; function '" + program->function(*parts->unfinished).name()->str() +
        "' was still running and may be the cause";
  parts->lost = status.failure();
  return status;
}

Status CudaDevice::run(uint32_t function, std::span<const char *const> inputs,
                       std::span<char *const> outputs,
                       const rt::StepObserver &observe) {
  return guard([&] {
    Status status = runFunction(function, inputs, outputs, observe);
    if (!status && outputs.empty())
      parts->unfinished = function;
    else if (!status)
      parts->unfinished.reset();
    return status;
  });
}

Status CudaDevice::runFunction(uint32_t index,
                               std::span<const char *const> inputs,
                               std::span<char *const> outputs,
                               const rt::StepObserver &observe) {
  const fb::Function &function = program->function(index);
  if (Status status = reserveArena(function))
    return status;
  std::unique_ptr<FunctionInstance> &instance = parts->functions[index];
  if (!instance) {
    Expected<std::unique_ptr<FunctionInstance>> created =
        FunctionInstance::create(*parts->context, function, parts->queues,
                                 *parts->steps);
    if (!created)
      return created.failure();
    instance = std::move(*created);
  }
  return instance->run(parts->bindings, inputs, outputs, observe);
}

/// Makes the arena, which the functions share, large enough for one more.
Status CudaDevice::reserveArena(const fb::Function &function) {
  if (parts->arena && parts->arenaSize >= function.arena_size())
    return {};
  for (const std::unique_ptr<FunctionInstance> &instance : parts->functions)
    if (instance)
      instance->resetGraph();
  parts->arena = {};
  parts->arenaSize = 0;
  Expected<DeviceMemory> memory = DeviceMemory::allocate(
      *parts->context, parts->queues.compute.get(), function.arena_size(),
      "the arena of function '" + function.name()->str() + "'");
  if (!memory)
    return memory.failure();
  parts->arena = std::move(*memory);
  parts->arenaSize = function.arena_size();
  parts->bindings.arena = parts->arena.data();
  return {};
}

const fb::Dispatch *CudaDevice::kernelOf(const fb::Gemm &gemm) const {
  return parts->steps->kernelOf(gemm);
}

/// Copies a state from host memory, or to it if `from` is null.
Status CudaDevice::transferState(uint32_t state, const char *from, char *to) {
  const Driver &driver = parts->context->driver();
  CUstream stream = parts->queues.compute.get();
  CUdeviceptr address = parts->states[state].get();
  uint64_t size = rt::byteSizeOf(program->state(state));
  if (size == 0)
    return {};
  std::string action = std::string(from ? "write" : "read") + " state '" +
                       program->state(state).name()->str() + "'";
  CUresult result = from ? driver.cuMemcpyHtoDAsync(address, from, size, stream)
                         : driver.cuMemcpyDtoHAsync(to, address, size, stream);
  if (Status status = driver.check(result, action))
    return status;
  return driver.check(driver.cuStreamSynchronize(stream), action);
}

Status CudaDevice::writeState(uint32_t state, const char *from) {
  return guard([&] { return transferState(state, from, nullptr); });
}

Expected<const char *> CudaDevice::readState(uint32_t state,
                                             rt::AlignedMemory &scratch) {
  scratch = rt::allocateAligned(rt::byteSizeOf(program->state(state)));
  Status status =
      guard([&] { return transferState(state, nullptr, scratch.get()); });
  if (status)
    return status.failure();
  return static_cast<const char *>(scratch.get());
}
