//===- Architecture.cpp - The devices that can be emulated ----------------===//

#include "Architecture.h"

#include <charconv>
#include <climits>

using namespace graphrt::driver;

namespace {

constexpr Architecture architectures[] = {
    {"sm_80", 8, 0, 108, 164 << 10, 163 << 10, 40 << 20},
    {"sm_90", 9, 0, 132, 228 << 10, 227 << 10, 50 << 20},
    {"sm_100", 10, 0, 148, 228 << 10, 227 << 10, 126 << 20},
};

/// "sm_90a" taken apart.
struct Target {
  /// 90.
  int capability = 0;
  /// 'a', 'f' or 0.
  char variant = 0;
};

bool parseTarget(std::string_view text, Target &target) {
  if (!text.starts_with("sm_"))
    return false;
  text.remove_prefix(3);
  auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(),
                                       target.capability);
  if (error != std::errc())
    return false;
  text.remove_prefix(stop - text.data());
  if (text == "a" || text == "f")
    target.variant = text[0];
  return text.empty() || target.variant;
}

} // namespace

const Architecture *graphrt::driver::findArchitecture(std::string_view name) {
  for (const Architecture &architecture : architectures)
    if (name == architecture.name)
      return &architecture;
  return nullptr;
}

std::string graphrt::driver::listArchitectures() {
  std::string list;
  for (const Architecture &architecture : architectures)
    list += (list.empty() ? "" : ", ") + std::string(architecture.name);
  return list;
}

Outcome graphrt::driver::checkTarget(const Architecture &architecture,
                                     std::string_view text) {
  Target target;
  int capability = architecture.major * 10 + architecture.minor;
  if (!parseTarget(text, target))
    return Fault{CUDA_ERROR_INVALID_PTX,
                 "found .target " + std::string(text) + ", expected sm_<N>"};
  bool fits = target.variant == 'a' ? target.capability == capability
              : target.variant == 'f'
                  ? target.capability / 10 == architecture.major &&
                        target.capability <= capability
                  : target.capability <= capability;
  if (fits)
    return {};
  return Fault{CUDA_ERROR_NO_BINARY_FOR_GPU,
               "found a module for " + std::string(text) +
                   ", expected one that runs on " + architecture.name};
}

Result<int> graphrt::driver::findAttribute(const Architecture &architecture,
                                           int device,
                                           CUdevice_attribute attribute) {
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    return architecture.major;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    return architecture.minor;
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    return architecture.multiprocessors;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
    return architecture.sharedPerMultiprocessor;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    return architecture.sharedPerBlockOptin;
  case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
    return architecture.l2CacheBytes;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
    return sharedPerBlock;
  case CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK:
    return reservedSharedPerBlock;
  case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
    return warpSize;
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
    return maxThreadsPerBlock;
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
    return 64;
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
    return INT_MAX;
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
    return 65535;
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
    return maxThreadsPerMultiprocessor;
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR:
    return maxBlocksPerMultiprocessor;
  case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
  case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR:
    return registersPerMultiprocessor;
  case CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY:
    return 64 << 10;
  case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
  case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
    return 1'000'000;
  case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
    return 5120;
  case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT:
    return 3;
  case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID:
    return device;
  case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:
  case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
  case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
  case CU_DEVICE_ATTRIBUTE_GPU_OVERLAP:
  case CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
    return 1;
  case CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED:
    return architecture.major >= 9;
  case CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID:
  case CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID:
  case CU_DEVICE_ATTRIBUTE_INTEGRATED:
  case CU_DEVICE_ATTRIBUTE_COMPUTE_MODE:
  case CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT:
  case CU_DEVICE_ATTRIBUTE_ECC_ENABLED:
  case CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY:
  case CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS:
  case CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH:
  case CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD:
    return 0;
  default:
    return Fault{CUDA_ERROR_INVALID_VALUE,
                 "found device attribute " + std::to_string(attribute) +
                     ", which the emulator does not know"};
  }
}
