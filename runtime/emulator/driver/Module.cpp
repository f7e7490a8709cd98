//===- Module.cpp - Loaded modules and their functions --------------------===//

#include "Module.h"

#include <algorithm>
#include <climits>
#include <cstring>

using namespace graphrt;
using namespace graphrt::driver;

namespace {

Fault invalid(std::string message) {
  return {CUDA_ERROR_INVALID_VALUE, std::move(message)};
}

std::string product(const std::array<uint32_t, 3> &extents) {
  return std::to_string(extents[0]) + " x " + std::to_string(extents[1]) +
         " x " + std::to_string(extents[2]);
}

uint64_t volume(const std::array<uint32_t, 3> &extents) {
  return uint64_t(extents[0]) * extents[1] * extents[2];
}

Outcome checkExtents(const char *what, const std::array<uint32_t, 3> &found,
                     const std::array<uint32_t, 3> &most) {
  for (unsigned d = 0; d < 3; ++d)
    if (found[d] == 0 || found[d] > most[d])
      return invalid(std::string("found ") + what + " of " + product(found) +
                     ", expected from 1 to " + product(most));
  return {};
}

} // namespace

Result<std::shared_ptr<const ptx::Module>>
graphrt::driver::loadModule(const Architecture &architecture,
                            const void *image) {
  const auto *text = static_cast<const char *>(image);
  constexpr std::string_view elfMagic = "\x7f"
                                        "ELF";
  constexpr std::string_view fatbinMagic = "\x50\xed\x55\xba";
  if (std::strncmp(text, elfMagic.data(), 4) == 0 ||
      std::strncmp(text, fatbinMagic.data(), 4) == 0)
    return Fault{
        CUDA_ERROR_NO_BINARY_FOR_GPU,
        "found machine code, expected PTX: the emulator runs no other"};
  auto module = ptx::Module::parse(text);
  if (!module)
    return Fault{CUDA_ERROR_INVALID_PTX, module.failure().message};
  if (Outcome outcome = checkTarget(architecture, (*module)->target))
    return std::move(outcome.fault());
  return std::move(*module);
}

LoadedFunction::LoadedFunction(std::shared_ptr<const LoadedModule> module,
                               const ptx::Kernel &kernel)
    : module(std::move(module)), kernel(&kernel),
      maxDynamicShared(std::max(0, sharedPerBlock - int(kernel.sharedBytes))) {}

int LoadedFunction::maxThreads() const {
  return kernel->maxThreads ? int(kernel->maxThreads) : maxThreadsPerBlock;
}

Result<int> LoadedFunction::attribute(CUfunction_attribute attribute,
                                      const Architecture &architecture) const {
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    return maxThreads();
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    return int(kernel->sharedBytes);
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    return int(kernel->localBytes);
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    return maxDynamicShared;
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    // Virtual ones: what a compiler would need at most.
    return std::min(255, int(kernel->registers));
  case CU_FUNC_ATTRIBUTE_PTX_VERSION:
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
    return architecture.major * 10 + architecture.minor;
  case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
  case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
    return 0;
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    return -1;
  default:
    return invalid("found function attribute " + std::to_string(attribute) +
                   ", which the emulator does not know");
  }
}

Outcome LoadedFunction::setAttribute(CUfunction_attribute attribute, int value,
                                     const Architecture &architecture) {
  if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)
    return {};
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
    return invalid("found function attribute " + std::to_string(attribute) +
                   ", which cannot be set");
  int most = architecture.sharedPerBlockOptin - int(kernel->sharedBytes);
  if (value < 0 || value > most)
    return invalid("kernel '" + kernel->name + "': found " +
                   std::to_string(value) +
                   " bytes of dynamic shared memory, expected at most " +
                   std::to_string(most));
  maxDynamicShared = value;
  return {};
}

Outcome LoadedFunction::checkLaunch(const exec::LaunchConfig &config) const {
  if (Outcome outcome =
          checkExtents("a grid", config.grid, {INT_MAX, 65535, 65535}))
    return outcome;
  if (Outcome outcome = checkExtents("a block", config.block, {1024, 1024, 64}))
    return outcome;
  if (volume(config.block) > uint64_t(maxThreads()))
    return invalid("found " + std::to_string(volume(config.block)) +
                   " threads per block, expected at most " +
                   std::to_string(maxThreads()));
  bool hasRequired = kernel->requiredThreads[0] != 0;
  if (hasRequired && config.block != kernel->requiredThreads)
    return invalid("found a block of " + product(config.block) +
                   ", expected the kernel's .reqntid " +
                   product(kernel->requiredThreads));
  if (config.sharedBytes > uint32_t(maxDynamicShared))
    return invalid("found " + std::to_string(config.sharedBytes) +
                   " bytes of dynamic shared memory, expected at most " +
                   std::to_string(maxDynamicShared) +
                   " (cuFuncSetAttribute can allow more)");
  return {};
}

Result<std::vector<std::byte>>
LoadedFunction::packArguments(void **parameters, void **extra) const {
  std::vector<std::byte> bytes(kernel->parameterBytes);
  if (kernel->parameters.empty())
    return bytes;
  if (parameters) {
    for (size_t i = 0; i < kernel->parameters.size(); ++i) {
      const ptx::Parameter &parameter = kernel->parameters[i];
      if (!parameters[i])
        return invalid("found a null pointer to argument " + std::to_string(i) +
                       ", expected " + std::to_string(parameter.bytes) +
                       " bytes");
      std::memcpy(bytes.data() + parameter.offset, parameters[i],
                  parameter.bytes);
    }
    return bytes;
  }
  const void *buffer = nullptr;
  size_t size = 0;
  for (; extra && *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
      buffer = extra[1];
    else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
      size = *static_cast<size_t *>(extra[1]);
  }
  if (!buffer || size < bytes.size())
    return invalid("found " + std::to_string(buffer ? size : 0) +
                   " bytes of arguments, expected " +
                   std::to_string(bytes.size()));
  std::memcpy(bytes.data(), buffer, bytes.size());
  return bytes;
}
