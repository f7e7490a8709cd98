//===- FakeDriver.cpp - A CUDA driver for tests ---------------------------===//

#include "FakeDriver.h"
#include "FakeTensorMap.h"

#include "cpu/FloatMode.h"
#include "cuda/CudaHeader.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <map>
#include <vector>

using graphrt::test::FakeDriver;
using HostKernel = void (*)(void *const *buffers, int64_t index);

#define EXPORT extern "C" __attribute__((visibility("default")))

struct CUfunc_st {
  std::string name;
  HostKernel kernel;
  size_t buffers, tensorMaps;
};
struct CUstream_st {
  /// Set during a capture.
  CUgraph graph = nullptr;
};
struct CUgraph_st {
  std::vector<std::function<CUresult()>> nodes;
};
struct CUgraphExec_st {
  CUgraph_st graph;
};
struct CUmod_st {
  std::map<std::string, CUfunc_st> functions;
};

namespace {

FakeDriver state;
/// A kernel's fault that nobody has waited for, and the one that all calls
/// return after it.
CUresult unseenFault = CUDA_SUCCESS, fault = CUDA_SUCCESS;
std::map<void *, size_t> allocations;

/// The parameters of the kernels of kernels.c.
struct Parameters {
  size_t buffers, tensorMaps = 0;
};
const std::map<std::string, Parameters> kernelParameters = {
    {"init_w", {2}},   {"accumulate", {4}}, {"train", {5}},
    {"evaluate", {4}}, {"denormal", {1}},   {"multiply", {3}},
    {"window", {2, 1}}};

CUresult enqueue(CUstream stream, std::function<CUresult()> work) {
  if (fault)
    return fault;
  if (stream && stream->graph) {
    stream->graph->nodes.push_back(std::move(work));
    return CUDA_SUCCESS;
  }
  return unseenFault ? CUDA_SUCCESS : work();
}

CUresult wait() {
  fault = fault ? fault : unseenFault;
  return fault;
}

CUresult allocate(size_t size, void **address) {
  if (fault)
    return fault;
  if (size >
      state.memoryBytes - std::min(state.memoryBytes, state.allocatedBytes))
    return CUDA_ERROR_OUT_OF_MEMORY;
  *address = std::aligned_alloc(256, (size + 255) / 256 * 256);
  allocations[*address] = size;
  state.allocatedBytes += size;
  return CUDA_SUCCESS;
}

CUresult release(void *address) {
  state.allocatedBytes -= allocations.at(address);
  allocations.erase(address);
  std::free(address);
  return fault;
}

CUresult runKernel(CUfunction function, uint64_t threads,
                   std::vector<void *> buffers,
                   std::vector<CUtensorMap> tensorMaps) {
  ++state.launches;
  if (function->name == state.faultingKernel) {
    unseenFault = static_cast<CUresult>(state.faultCode);
    return CUDA_SUCCESS;
  }
  for (CUtensorMap &map : tensorMaps)
    buffers.push_back(&map);
  graphrt::cpu::KernelFloatMode mode;
  for (uint64_t i = 0; i < threads; ++i)
    function->kernel(buffers.data(), i);
  return CUDA_SUCCESS;
}

} // namespace

EXPORT FakeDriver *graphrtFakeDriver() {
  fault = unseenFault = CUDA_SUCCESS;
  return &state;
}

EXPORT CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
EXPORT CUresult cuDriverGetVersion(int *version) {
  *version = 12020;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuGetErrorName(CUresult code, const char **name) {
  *name = code == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                             : "CUDA_ERROR_OTHER";
  return CUDA_SUCCESS;
}
EXPORT CUresult cuGetErrorString(CUresult, const char **text) {
  *text = "a fake error";
  return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGetCount(int *count) {
  *count = state.devices;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  *device = state.device = ordinal;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuDeviceGetName(char *name, int size, CUdevice) {
  std::strncpy(name, "Fake", size);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                                     CUdevice) {
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    *value = state.computeCapability / 10;
    break;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    *value = state.computeCapability % 10;
    break;
  case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
    *value = state.hasPools;
    break;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    *value = 227 << 10;
    break;
  default:
    *value = 0;
  }
  return CUDA_SUCCESS;
}
EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice) {
  *context = reinterpret_cast<CUcontext>(&state);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuDevicePrimaryCtxRelease(CUdevice) { return CUDA_SUCCESS; }
EXPORT CUresult cuCtxSetCurrent(CUcontext) { return CUDA_SUCCESS; }

/// Machine code is "\x7f" "ELF" and the device's compute capability in this
/// driver's eyes.
EXPORT CUresult cuModuleLoadDataEx(CUmodule *module, const void *image,
                                   unsigned count, CUjit_option *options,
                                   void **values) {
  std::string_view text = static_cast<const char *>(image);
  bool isCubin = text.starts_with("\x7f"
                                  "ELF");
  if (isCubin && text.substr(4) != std::to_string(state.computeCapability))
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  if (!state.compilerError.empty()) {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
        std::strcpy(static_cast<char *>(values[i]),
                    state.compilerError.c_str());
    return CUDA_ERROR_INVALID_PTX;
  }
  state.loadedModules.push_back(isCubin ? "cubin" : "ptx");
  void *kernels = ::dlopen(GRAPHRT_TEST_KERNELS, RTLD_NOW | RTLD_LOCAL);
  *module = new CUmod_st;
  for (const auto &[name, parameters] : kernelParameters)
    (*module)->functions[name] = {
        name, reinterpret_cast<HostKernel>(::dlsym(kernels, name.c_str())),
        parameters.buffers, parameters.tensorMaps};
  return CUDA_SUCCESS;
}
EXPORT CUresult cuModuleUnload(CUmodule module) {
  delete module;
  return fault;
}
EXPORT CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                                    const char *name) {
  auto found = module->functions.find(name);
  if (found == module->functions.end())
    return CUDA_ERROR_NOT_FOUND;
  *function = &found->second;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute,
                                   CUfunction) {
  *value = attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK
               ? state.maxThreads
               : 0;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute,
                                   int value) {
  state.dynamicSharedBytes = value;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned,
                               unsigned, unsigned blockX, unsigned, unsigned,
                               unsigned, CUstream stream, void **parameters,
                               void **) {
  if (function->name == state.refusedKernel)
    return CUDA_ERROR_INVALID_VALUE;
  std::vector<void *> buffers;
  for (size_t i = 0; i < function->buffers; ++i)
    buffers.push_back(*static_cast<void **>(parameters[i]));
  std::vector<CUtensorMap> maps;
  for (size_t i = 0; i < function->tensorMaps; ++i)
    maps.push_back(
        *static_cast<CUtensorMap *>(parameters[function->buffers + i]));
  uint64_t threads = uint64_t(gridX) * blockX;
  return enqueue(stream,
                 [=] { return runKernel(function, threads, buffers, maps); });
}
EXPORT CUresult cuTensorMapEncodeTiled(
    CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
    const cuuint64_t *extents, const cuuint64_t *strides, const cuuint32_t *,
    const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
    CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  if (state.computeCapability < 90)
    return CUDA_ERROR_NOT_SUPPORTED;
  if (type != CU_TENSOR_MAP_DATA_TYPE_UINT32 || rank != 2)
    return CUDA_ERROR_INVALID_VALUE;
  fake_tensor_map matrix = {static_cast<const char *>(address), extents[0],
                            extents[1], strides[0]};
  static_assert(sizeof(matrix) <= sizeof(*map));
  std::memcpy(map, &matrix, sizeof(matrix));
  return CUDA_SUCCESS;
}

EXPORT CUresult cuMemAlloc(CUdeviceptr *address, size_t size) {
  return allocate(size, reinterpret_cast<void **>(address));
}
EXPORT CUresult cuMemFree(CUdeviceptr address) {
  return release(reinterpret_cast<void *>(address));
}
EXPORT CUresult cuMemAllocAsync(CUdeviceptr *address, size_t size, CUstream) {
  return state.hasPools ? cuMemAlloc(address, size) : CUDA_ERROR_NOT_SUPPORTED;
}
EXPORT CUresult cuMemFreeAsync(CUdeviceptr address, CUstream) {
  return cuMemFree(address);
}
EXPORT CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *, CUdevice) {
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemPoolSetAttribute(CUmemoryPool, CUmemPool_attribute,
                                      void *) {
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemGetInfo(size_t *free, size_t *total) {
  *free = state.memoryBytes - state.allocatedBytes;
  *total = state.memoryBytes;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemHostAlloc(void **address, size_t size, unsigned) {
  *address = std::aligned_alloc(256, (size + 255) / 256 * 256);
  allocations[*address] = size;
  state.pinnedBytes += size;
  return fault;
}
EXPORT CUresult cuMemFreeHost(void *address) {
  state.pinnedBytes -= allocations.at(address);
  allocations.erase(address);
  std::free(address);
  return fault;
}

static CUresult copy(void *to, const void *from, size_t size, CUstream stream) {
  return enqueue(stream, [=] {
    std::memcpy(to, from, size);
    return CUDA_SUCCESS;
  });
}
EXPORT CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t size,
                                  CUstream stream) {
  return copy(reinterpret_cast<void *>(to), from, size, stream);
}
EXPORT CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t size,
                                  CUstream stream) {
  return copy(to, reinterpret_cast<void *>(from), size, stream);
}
EXPORT CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t size,
                                  CUstream stream) {
  return copy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from),
              size, stream);
}
EXPORT CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value,
                                size_t count, CUstream stream) {
  return enqueue(stream, [=] {
    std::memset(reinterpret_cast<void *>(to), value, count);
    return CUDA_SUCCESS;
  });
}
EXPORT CUresult cuStreamCreate(CUstream *stream, unsigned) {
  *stream = new CUstream_st;
  return fault;
}
EXPORT CUresult cuStreamDestroy(CUstream stream) {
  delete stream;
  return fault;
}
EXPORT CUresult cuStreamSynchronize(CUstream) { return wait(); }
EXPORT CUresult cuStreamWaitEvent(CUstream, CUevent, unsigned) { return fault; }
EXPORT CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode) {
  stream->graph = new CUgraph_st;
  return fault;
}
EXPORT CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  *graph = stream->graph;
  stream->graph = nullptr;
  return fault;
}
EXPORT CUresult cuEventCreate(CUevent *event, unsigned) {
  *event = reinterpret_cast<CUevent>(&state);
  return fault;
}
EXPORT CUresult cuEventDestroy(CUevent) { return fault; }
EXPORT CUresult cuEventRecord(CUevent, CUstream) { return fault; }
EXPORT CUresult cuEventSynchronize(CUevent) { return wait(); }
EXPORT CUresult cuEventElapsedTime(float *milliseconds, CUevent, CUevent) {
  *milliseconds = 1;
  return fault;
}
EXPORT CUresult cuGraphInstantiate(CUgraphExec *executable, CUgraph graph,
                                   unsigned long long) {
  *executable = new CUgraphExec_st{*graph};
  return fault;
}
EXPORT CUresult cuGraphLaunch(CUgraphExec executable, CUstream) {
  ++state.graphLaunches;
  for (const auto &node : executable->graph.nodes)
    if (CUresult result = enqueue(nullptr, node))
      return result;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuGraphExecDestroy(CUgraphExec executable) {
  delete executable;
  return fault;
}
EXPORT CUresult cuGraphDestroy(CUgraph graph) {
  delete graph;
  return fault;
}
