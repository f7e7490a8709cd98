//===- Launch.cpp - Runs a grid of blocks ---------------------------------===//

#include "exec/Launch.h"

#include "exec/AsyncCopy.h"
#include "exec/Block.h"
#include "exec/BulkCopy.h"
#include "exec/DeviceMemory.h"
#include "exec/TouchedBytes.h"
#include "exec/WarpGroupProduct.h"

#include <algorithm>
#include <cfenv>
#include <cstring>
#include <thread>

using namespace graphrt;
using namespace graphrt::exec;

namespace {

constexpr uint64_t maxThreadsPerBlock = 1024;
constexpr uint64_t maxSharedBytes = 227 * 1024;
constexpr uint64_t parameterAlignment = 128;

std::string triple(const std::array<uint32_t, 3> &values) {
  return "(" + std::to_string(values[0]) + ", " + std::to_string(values[1]) +
         ", " + std::to_string(values[2]) + ")";
}

Failure refuse(const ptx::Kernel &kernel, const std::string &message) {
  return {ErrorCode::InvalidArgument,
          "launch of kernel '" + kernel.name + "': " + message};
}

Status checkConfig(const ptx::Kernel &kernel, const LaunchConfig &config) {
  uint64_t threads = 1, blocks = 1;
  for (unsigned d = 0; d < 3; ++d) {
    threads *= config.block[d];
    blocks *= config.grid[d];
  }
  if (blocks == 0)
    return refuse(kernel, "found a grid of " + triple(config.grid) +
                              " blocks, expected at least one");
  uint64_t most = kernel.maxThreads ? kernel.maxThreads : maxThreadsPerBlock;
  if (threads == 0 || threads > std::min(most, maxThreadsPerBlock))
    return refuse(kernel,
                  "found a block of " + triple(config.block) +
                      " threads, expected 1 to " +
                      std::to_string(std::min(most, maxThreadsPerBlock)));
  if (kernel.requiredThreads[0] && kernel.requiredThreads != config.block)
    return refuse(kernel, "found a block of " + triple(config.block) +
                              " threads, expected " +
                              triple(kernel.requiredThreads));
  uint64_t shared = uint64_t(kernel.sharedBytes) + config.sharedBytes;
  if (shared > maxSharedBytes)
    return refuse(kernel, "found " + std::to_string(shared) +
                              " bytes of shared memory, expected at most " +
                              std::to_string(maxSharedBytes));
  if (config.parameters.size() != kernel.parameters.size())
    return refuse(kernel, "found " + std::to_string(config.parameters.size()) +
                              " parameters, expected " +
                              std::to_string(kernel.parameters.size()));
  return {};
}

/// Floating-point arithmetic as PTX defines it, whatever the caller has set.
class DefaultFloatMode {
public:
  DefaultFloatMode() {
    std::fegetenv(&saved);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatMode() { std::fesetenv(&saved); }

private:
  std::fenv_t saved;
};

/// Takes block after block until none is left.
void work(LaunchState &launch) {
  DefaultFloatMode mode;
  Block block(launch);
  while (!launch.stopped.load(std::memory_order_relaxed)) {
    uint64_t number = launch.nextBlock.fetch_add(1);
    if (number >= launch.blocks)
      break;
    block.run(number);
  }
  std::lock_guard<std::mutex> lock(launch.mutex);
  launch.counters += block.counters;
}

} // namespace

Expected<Counters> exec::launch(const ptx::Kernel &kernel,
                                const LaunchConfig &config,
                                DeviceMemory &memory, const Options &options,
                                LaunchRecord *record) {
  if (Status bad = checkConfig(kernel, config))
    return std::move(bad.failure());
  Expected<const std::vector<uint64_t> *> variables =
      memory.place(*kernel.module);
  if (!variables)
    return std::move(variables.failure());
  std::vector<uint8_t> storage(kernel.parameterBytes + parameterAlignment);
  uint64_t begin = reinterpret_cast<uint64_t>(storage.data());
  begin = (begin + parameterAlignment - 1) / parameterAlignment *
          parameterAlignment;
  auto *parameters = reinterpret_cast<uint8_t *>(begin);
  for (size_t index = 0; index < kernel.parameters.size(); ++index)
    std::memcpy(parameters + kernel.parameters[index].offset,
                config.parameters[index], kernel.parameters[index].bytes);
  uint64_t blocks = uint64_t(config.grid[0]) * config.grid[1] * config.grid[2];
  LaunchState state{.kernel = kernel,
                    .config = config,
                    .options = options,
                    .memory = memory,
                    .variables = **variables,
                    .parameters = parameters,
                    .epoch = memory.beginLaunch(),
                    .blocks = blocks,
                    .threadsPerBlock =
                        config.block[0] * config.block[1] * config.block[2],
                    .flags = std::vector<std::atomic<uint8_t>>(blocks)};
  uint64_t workers =
      options.threads ? options.threads : std::thread::hardware_concurrency();
  workers = std::clamp<uint64_t>(workers, 1, blocks);
  {
    std::vector<std::jthread> others;
    for (uint64_t index = 1; index < workers; ++index)
      others.emplace_back([&state] { work(state); });
    work(state);
  }
  if (record) {
    record->fault = state.fault;
    collectTouchedBytes(memory, state.epoch, *record);
  }
  if (state.failure)
    return std::move(*state.failure);
  return state.counters;
}
