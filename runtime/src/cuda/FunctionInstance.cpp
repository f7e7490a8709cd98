//===- FunctionInstance.cpp - A function ready to be called ---------------===//

#include "FunctionInstance.h"
#include "Nvtx.h"

#include <chrono>
#include <cstring>

using namespace graphrt;
using namespace graphrt::cuda;

namespace {

/// Addresses of tensors are multiples of this, which vectors of any width and
/// vendors' libraries are content with.
constexpr uint64_t tensorAlignment = 256;

using TensorList = flatbuffers::Vector<flatbuffers::Offset<fb::NamedTensor>>;

/// Places tensors one after the other and returns the sum of their sizes.
template <typename Slot>
uint64_t layOut(const TensorList *tensors, std::vector<Slot> &slots) {
  uint64_t end = 0;
  if (tensors)
    for (const fb::NamedTensor *tensor : *tensors) {
      uint64_t size = rt::byteSizeOf(*tensor);
      slots.push_back({end, size});
      end = (end + size + tensorAlignment - 1) / tensorAlignment *
            tensorAlignment;
    }
  return end;
}

} // namespace

Expected<std::unique_ptr<FunctionInstance>>
FunctionInstance::create(const Context &context, const fb::Function &function,
                         Queues &queues, StepRunner &steps) {
  std::unique_ptr<FunctionInstance> instance(
      new FunctionInstance(context, function, queues, steps));
  if (Status status = instance->allocate())
    return status.failure();
  return instance;
}

Status FunctionInstance::allocate() {
  const Driver &driver = context.driver();
  uint64_t inputBytes = layOut(function.inputs(), inputSlots);
  uint64_t outputBytes = layOut(function.outputs(), outputSlots);
  std::string name = "'" + function.name()->str() + "'";
  // Steps and transfers come after the allocation: the copy stream waits for
  // the compute stream before every upload.
  CUstream stream = queues.compute.get();
  auto allocate = [&](uint64_t size, const char *what, DeviceMemory &memory,
                      PinnedMemory &pinned) -> Status {
    Expected<DeviceMemory> allocated = DeviceMemory::allocate(
        context, stream, size, std::string("the ") + what + " of " + name);
    if (!allocated)
      return allocated.failure();
    memory = std::move(*allocated);
    Expected<PinnedMemory> host = PinnedMemory::allocate(driver, size);
    if (!host)
      return host.failure();
    pinned = std::move(*host);
    return {};
  };
  if (Status status =
          allocate(outputBytes, "outputs", outputMemory, outputStaging))
    return status;
  if (Status status =
          allocate(inputBytes, "inputs", inputMemory, staging[0].memory))
    return status;
  Expected<PinnedMemory> second = PinnedMemory::allocate(driver, inputBytes);
  if (!second)
    return second.failure();
  staging[1].memory = std::move(*second);
  for (Event *event :
       {&staging[0].uploaded, &staging[1].uploaded, &downloaded}) {
    Expected<Event> created = createEvent(driver, /*isTimed=*/false);
    if (!created)
      return created.failure();
    *event = std::move(*created);
  }
  return driver.check(driver.cuEventRecord(queues.computed.get(), stream),
                      "record an event");
}

/// Says which function a failure without a location belongs to.
Status FunctionInstance::describe(Status status) const {
  if (!status)
    return {};
  Failure &failure = status.failure();
  failure.message =
      "function '" + function.name()->str() + "': " + failure.message;
  if (failure.location.empty() && failure.code == ErrorCode::Internal &&
      !queues.waitForSteps)
    failure.message += "; GRAPHRT_CUDA_SYNC=1 finds the operation";
  return status;
}

Status FunctionInstance::run(rt::Bindings &bindings,
                             std::span<const char *const> inputs,
                             std::span<char *const> outputs,
                             const rt::StepObserver &observe) {
  NvtxRange range(function.name()->c_str());
  const Driver &driver = context.driver();
  bindings.inputs.clear();
  for (Slot slot : inputSlots)
    bindings.inputs.push_back(inputMemory.data() + slot.offset);
  bindings.outputs.clear();
  for (Slot slot : outputSlots)
    bindings.outputs.push_back(outputMemory.data() + slot.offset);

  if (Status status = upload(inputs))
    return describe(std::move(status));
  Status status;
  if (observe)
    status = observeSteps(bindings, observe);
  else if (queues.waitForSteps || !queues.useGraphs)
    status = runSteps(bindings);
  else if (graph || !(status = captureGraph(bindings)))
    status = replayGraph();
  if (!status)
    status = driver.check(
        driver.cuEventRecord(queues.computed.get(), queues.compute.get()),
        "record an event");
  if (!status && !outputs.empty())
    status = download(outputs);
  return describe(std::move(status));
}

Status FunctionInstance::upload(std::span<const char *const> inputs) {
  if (inputs.empty())
    return {};
  const Driver &driver = context.driver();
  CUstream copy = queues.copy.get(), compute = queues.compute.get();
  Staging &stage = staging[nextStaging];
  nextStaging = 1 - nextStaging;
  if (stage.isUsed)
    if (Status status =
            driver.check(driver.cuEventSynchronize(stage.uploaded.get()),
                         "wait for an upload"))
      return status;
  stage.isUsed = true;
  if (Status status =
          driver.check(driver.cuStreamWaitEvent(copy, queues.computed.get(), 0),
                       "wait for an event"))
    return status;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Slot slot = inputSlots[i];
    if (slot.size == 0)
      continue;
    char *staged = stage.memory.data() + slot.offset;
    std::memcpy(staged, inputs[i], slot.size);
    if (Status status = driver.check(
            driver.cuMemcpyHtoDAsync(inputMemory.get() + slot.offset, staged,
                                     slot.size, copy),
            "upload an input"))
      return status;
  }
  if (Status status = driver.check(
          driver.cuEventRecord(stage.uploaded.get(), copy), "record an event"))
    return status;
  return driver.check(
      driver.cuStreamWaitEvent(compute, stage.uploaded.get(), 0),
      "wait for an event");
}

Status FunctionInstance::download(std::span<char *const> outputs) {
  const Driver &driver = context.driver();
  CUstream copy = queues.copy.get();
  if (Status status =
          driver.check(driver.cuStreamWaitEvent(copy, queues.computed.get(), 0),
                       "wait for an event"))
    return status;
  for (Slot slot : outputSlots)
    if (slot.size)
      if (Status status = driver.check(
              driver.cuMemcpyDtoHAsync(outputStaging.data() + slot.offset,
                                       outputMemory.get() + slot.offset,
                                       slot.size, copy),
              "download an output"))
        return status;
  if (Status status = driver.check(driver.cuEventRecord(downloaded.get(), copy),
                                   "record an event"))
    return status;
  if (Status status = driver.check(driver.cuEventSynchronize(downloaded.get()),
                                   "run the function"))
    return status;
  for (size_t i = 0; i < outputs.size(); ++i)
    if (outputSlots[i].size)
      std::memcpy(outputs[i], outputStaging.data() + outputSlots[i].offset,
                  outputSlots[i].size);
  return {};
}

Status FunctionInstance::runStep(const fb::Step &step,
                                 const rt::Bindings &bindings) {
  CUstream stream = queues.compute.get();
  if (Status status = steps.enqueue(step, bindings, stream))
    return status;
  if (!queues.waitForSteps)
    return {};
  const Driver &driver = context.driver();
  return steps.locate(step, driver.check(driver.cuStreamSynchronize(stream),
                                         "run " + steps.describe(step)));
}

Status FunctionInstance::runSteps(const rt::Bindings &bindings) {
  if (!function.steps())
    return {};
  for (const fb::Step *step : *function.steps())
    if (Status status = runStep(*step, bindings))
      return status;
  return {};
}

Status FunctionInstance::captureGraph(const rt::Bindings &bindings) {
  const Driver &driver = context.driver();
  CUstream stream = queues.compute.get();
  // Relaxed: libraries load their code when it is first used.
  if (Status status = driver.check(
          driver.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED),
          "begin the capture of a graph"))
    return status;
  Status enqueued = runSteps(bindings);
  CUgraph captured = nullptr;
  Status ended = driver.check(driver.cuStreamEndCapture(stream, &captured),
                              "capture a graph");
  Graph owner(driver, captured);
  if (enqueued)
    return enqueued;
  if (ended)
    return ended;
  CUgraphExec executable = nullptr;
  if (Status status = driver.check(
          driver.cuGraphInstantiate(&executable, captured, /*flags=*/0),
          "prepare a graph"))
    return status;
  graph = GraphExec(driver, executable);
  return {};
}

Status FunctionInstance::replayGraph() {
  const Driver &driver = context.driver();
  return driver.check(driver.cuGraphLaunch(graph.get(), queues.compute.get()),
                      "launch the function's graph");
}

Status FunctionInstance::observeSteps(const rt::Bindings &bindings,
                                      const rt::StepObserver &observe) {
  const Driver &driver = context.driver();
  CUstream stream = queues.compute.get();
  uint32_t count = function.steps() ? function.steps()->size() : 0;
  // Step i runs between the events i and i + 1.
  std::vector<Event> events;
  auto record = [&]() -> Status {
    Expected<Event> event = createEvent(driver, /*isTimed=*/true);
    if (!event)
      return event.failure();
    events.push_back(std::move(*event));
    return driver.check(driver.cuEventRecord(events.back().get(), stream),
                        "record an event");
  };
  // The uploads before are nobody's.
  if (Status status = driver.check(driver.cuStreamSynchronize(stream),
                                   "wait for the inputs"))
    return status;
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  uint64_t start = std::chrono::nanoseconds(now).count();
  if (Status status = record())
    return status;
  for (uint32_t i = 0; i < count; ++i) {
    if (Status status = runStep(*function.steps()->Get(i), bindings))
      return status;
    if (Status status = record())
      return status;
  }
  if (Status status =
          driver.check(driver.cuStreamSynchronize(stream), "run the function"))
    return status;
  auto timeOf = [&](const Event &event) {
    float milliseconds = 0;
    driver.cuEventElapsedTime(&milliseconds, events[0].get(), event.get());
    return start + static_cast<uint64_t>(double(milliseconds) * 1e6);
  };
  for (uint32_t i = 0; i < count; ++i)
    observe(i, timeOf(events[i]), timeOf(events[i + 1]));
  return {};
}
