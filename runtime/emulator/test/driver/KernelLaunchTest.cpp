//===- KernelLaunchTest.cpp - Devices, modules, launches, reports ---------===//

#include "DriverTest.h"

#include "nlohmann/json.hpp"

#include <fstream>
#include <numeric>
#include <set>
#include <string>

using namespace graphrt::test;

namespace {

constexpr unsigned count = 64;
constexpr size_t bytes = count * sizeof(float);

class LaunchTest : public DriverTest {
protected:
  void start() {
    DriverTest::start();
    stream = makeStream();
    module = load(testKernels);
    host = allocateHost(count);
    std::iota(host, host + count, 1.0f);
    a = allocate(bytes);
    b = allocate(bytes);
    EXPECT_CUDA(cuMemcpyHtoDAsync(a, host, bytes, stream));
  }

  CUresult launchShape(CUfunction function, unsigned grid, unsigned block,
                       unsigned shared) {
    void *arguments[] = {&a, &b};
    return cuLaunchKernel(function, grid, 1, 1, block, 1, 1, shared, stream,
                          arguments, nullptr);
  }

  int attribute(CUfunction function, CUfunction_attribute which) {
    int value = -2;
    EXPECT_CUDA(cuFuncGetAttribute(&value, which, function));
    return value;
  }

  CUstream stream;
  CUmodule module;
  float *host;
  CUdeviceptr a, b;
};

TEST_F(LaunchTest, AddsVectors) {
  start();
  CUdeviceptr c = allocate(bytes);
  EXPECT_CUDA(cuMemcpyDtoDAsync(b, a, bytes, stream));
  EXPECT_CUDA(launch(find(module, "add"), 1, count, stream, a, b, c));
  EXPECT_CUDA(cuMemcpyDtoHAsync(host, c, bytes, stream));
  EXPECT_CUDA(cuStreamSynchronize(stream));
  for (unsigned i = 0; i < count; ++i)
    EXPECT_EQ(host[i], 2.0f * float(i + 1));
}

TEST_F(LaunchTest, TakesArgumentsFromABuffer) {
  start();
  CUdeviceptr packed[] = {a, b};
  size_t size = sizeof(packed);
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, packed,
                   CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  CUfunction twice = find(module, "twice");
  EXPECT_CUDA(
      cuLaunchKernel(twice, 1, 1, 1, count, 1, 1, 0, stream, nullptr, extra));
  EXPECT_CUDA(cuMemcpyDtoHAsync(host, b, bytes, stream));
  EXPECT_CUDA(cuStreamSynchronize(stream));
  EXPECT_EQ(host[2], 6.0f);
  size = 8;
  EXPECT_FAULT(
      cuLaunchKernel(twice, 1, 1, 1, count, 1, 1, 0, stream, nullptr, extra),
      CUDA_ERROR_INVALID_VALUE, "found 8 bytes of arguments, expected 16");
  EXPECT_FAULT(
      cuLaunchKernel(twice, 1, 1, 1, count, 1, 1, 0, stream, nullptr, nullptr),
      CUDA_ERROR_INVALID_VALUE, "found 0 bytes of arguments, expected 16");
  void *missing[] = {&a, nullptr};
  EXPECT_FAULT(
      cuLaunchKernel(twice, 1, 1, 1, count, 1, 1, 0, stream, missing, nullptr),
      CUDA_ERROR_INVALID_VALUE, "a null pointer to argument 1");
}

TEST_F(LaunchTest, KernelFaultsAreNamed) {
  start();
  EXPECT_CUDA(launch(find(module, "beyond"), 1, count, stream, a, b));
  EXPECT_FAULT(cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS,
               "out-of-bounds store of 4 bytes", "kernel 'beyond'",
               "block (0, 0, 0), thread (0, 0, 0)", "st.global.f32");
}

TEST_F(LaunchTest, MisalignedAccessesAreNamed) {
  start();
  EXPECT_CUDA(launch(find(module, "skewed"), 1, 1, stream, a));
  EXPECT_FAULT(cuStreamSynchronize(stream), CUDA_ERROR_MISALIGNED_ADDRESS,
               "misaligned load of 8 bytes", "kernel 'skewed'");
}

TEST_F(LaunchTest, ShapesAreChecked) {
  start();
  CUfunction twice = find(module, "twice"), fixed = find(module, "fixed");
  EXPECT_FAULT(launchShape(twice, 0, count, 0), CUDA_ERROR_INVALID_VALUE,
               "found a grid of 0 x 1 x 1, expected from 1 to 2147483647 x "
               "65535 x 65535");
  EXPECT_FAULT(launchShape(twice, 1, 2048, 0), CUDA_ERROR_INVALID_VALUE,
               "found a block of 2048 x 1 x 1, expected from 1 to 1024 x 1024 "
               "x 64");
  void *arguments[] = {&a, &b};
  EXPECT_FAULT(
      cuLaunchKernel(twice, 1, 1, 1, 512, 4, 1, 0, stream, arguments, nullptr),
      CUDA_ERROR_INVALID_VALUE,
      "found 2048 threads per block, expected at most 1024");
  EXPECT_FAULT(launchShape(fixed, 1, 32, 0), CUDA_ERROR_INVALID_VALUE,
               "found a block of 32 x 1 x 1, expected the kernel's .reqntid 64 "
               "x 1 x 1");
  EXPECT_CUDA(launchShape(fixed, 1, 64, 0));
  EXPECT_CUDA(cuStreamSynchronize(stream));
}

TEST_F(LaunchTest, SharedMemoryMustBeAllowed) {
  start();
  CUfunction dynamic = find(module, "dynamic");
  constexpr auto most = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  EXPECT_EQ(attribute(dynamic, most), 48 << 10);
  EXPECT_FAULT(launchShape(dynamic, 1, 1, 64 << 10), CUDA_ERROR_INVALID_VALUE,
               "found 65536 bytes of dynamic shared memory, expected at most "
               "49152 (cuFuncSetAttribute can allow more)");
  EXPECT_FAULT(cuFuncSetAttribute(dynamic, most, 228 << 10),
               CUDA_ERROR_INVALID_VALUE, "kernel 'dynamic'",
               "expected at most 232448");
  EXPECT_CUDA(cuFuncSetAttribute(dynamic, most, 227 << 10));
  EXPECT_CUDA(launchShape(dynamic, 1, 1, 227 << 10));
  EXPECT_CUDA(cuStreamSynchronize(stream));
}

TEST_F(LaunchTest, ModulesAreChecked) {
  start();
  CUmodule other = nullptr;
  char log[128] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log))};
  auto tryLoad = [&](const char *text) {
    log[0] = 0;
    return cuModuleLoadDataEx(&other, text, 2, options, values);
  };
  const char *target = ".version 8.6\n.target %s\n.address_size 64\n";
  char text[128];
  std::snprintf(text, sizeof(text), target, "sm_100");
  EXPECT_FAULT(tryLoad(text), CUDA_ERROR_NO_BINARY_FOR_GPU,
               "found a module for sm_100, expected one that runs on sm_90");
  EXPECT_EQ(std::string(log), "found a module for sm_100, expected one that "
                              "runs on sm_90");
  std::snprintf(text, sizeof(text), target, "sm_90a");
  EXPECT_CUDA(tryLoad(text));
  EXPECT_CUDA(cuModuleUnload(other));
  EXPECT_EQ(tryLoad(".version 8.0\n.target sm_80\nnonsense\n"),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_NE(std::string(log), "");
  EXPECT_FAULT(tryLoad("\x7f"
                       "ELF"),
               CUDA_ERROR_NO_BINARY_FOR_GPU,
               "found machine code, expected PTX");

  CUfunction function = nullptr;
  EXPECT_FAULT(cuModuleGetFunction(&function, module, "absent"),
               CUDA_ERROR_NOT_FOUND, "found no kernel 'absent' in the module");
  CUfunction twice = find(module, "twice");
  EXPECT_EQ(twice, find(module, "twice"));
  EXPECT_CUDA(cuModuleUnload(module));
  EXPECT_FAULT(launchShape(twice, 1, count, 0), CUDA_ERROR_INVALID_HANDLE,
               "found a function that is destroyed");
  EXPECT_FAULT(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE,
               "found a module that is destroyed");
}

TEST_F(LaunchTest, ArchitecturesDiffer) {
  for (auto [name, major, shared] :
       {std::tuple{"sm_80", 8, 163}, {"sm_90", 9, 227}, {"sm_100", 10, 227}}) {
    setOption("ARCH", name);
    graphrt_emulator_reset();
    DriverTest::start();
    int value = 0;
    EXPECT_CUDA(cuDeviceGetAttribute(
        &value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
    EXPECT_EQ(value, major);
    EXPECT_CUDA(cuDeviceGetAttribute(
        &value, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 0));
    EXPECT_EQ(value, shared << 10);
    char text[64];
    EXPECT_CUDA(cuDeviceGetName(text, sizeof(text), 0));
    EXPECT_EQ(std::string(text), std::string("Emulated CUDA device ") + name);
  }
  int value = 0;
  EXPECT_FAULT(cuDeviceGetAttribute(&value, CUdevice_attribute(9999), 0),
               CUDA_ERROR_INVALID_VALUE, "found device attribute 9999");
}

TEST_F(LaunchTest, DevicesAreSeparate) {
  setOption("DEVICES", "2");
  start();
  int devices = 0;
  EXPECT_CUDA(cuDeviceGetCount(&devices));
  EXPECT_EQ(devices, 2);
  CUdevice device = 0;
  EXPECT_FAULT(cuDeviceGet(&device, 2), CUDA_ERROR_INVALID_DEVICE,
               "found device 2, expected one of the 2");
  CUcontext other = nullptr;
  EXPECT_CUDA(cuDevicePrimaryCtxRetain(&other, 1));
  EXPECT_CUDA(cuCtxSetCurrent(other));
  EXPECT_FAULT(cuMemcpyDtoHAsync(host, a, bytes, nullptr),
               CUDA_ERROR_INVALID_VALUE, "outside of every allocation");
  EXPECT_FAULT(cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE,
               "of another context");
  EXPECT_CUDA(cuDevicePrimaryCtxRelease(1));
  EXPECT_EQ(cuStreamSynchronize(nullptr), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_FAULT(cuDevicePrimaryCtxRelease(1), CUDA_ERROR_INVALID_CONTEXT,
               "that nobody retains");
}

TEST_F(LaunchTest, BadOptionsStopTheDriver) {
  setOption("ARCH", "sm_42");
  int devices = 0;
  EXPECT_FAULT(cuDeviceGetCount(&devices), CUDA_ERROR_NOT_INITIALIZED,
               "cuInit has not been called");
  EXPECT_FAULT(cuInit(0), CUDA_ERROR_INVALID_VALUE,
               "cuInit: GRAPHRT_EMULATOR_ARCH: found 'sm_42'");
}

TEST_F(LaunchTest, FlagsMustBeZero) {
  EXPECT_FAULT(cuInit(1), CUDA_ERROR_INVALID_VALUE, "found flags, expected 0");
}

TEST_F(LaunchTest, NoDevice) {
  setOption("DEVICES", "0");
  EXPECT_FAULT(cuInit(0), CUDA_ERROR_NO_DEVICE,
               "GRAPHRT_EMULATOR_DEVICES is 0");
}

TEST_F(LaunchTest, CountersAreReported) {
  std::string path = testing::TempDir() + "emulator-report.json";
  setOption("REPORT", path);
  start();
  CUfunction twice = find(module, "twice");
  for (int run = 0; run < 3; ++run)
    EXPECT_CUDA(launch(twice, 1, count, stream, a, b));
  EXPECT_CUDA(cuStreamSynchronize(stream));
  std::string text(graphrt_emulator_report(nullptr, 0), 0);
  EXPECT_EQ(graphrt_emulator_report(text.data(), text.size()), text.size());
  text.pop_back();
  nlohmann::json report = nlohmann::json::parse(text);
  EXPECT_EQ(report["architecture"], "sm_90");
  const nlohmann::json &counters = report["kernels"]["twice"];
  EXPECT_EQ(counters["launches"], 3);
  EXPECT_EQ(counters["globalStoreRequests"], 3 * count / 32);
  EXPECT_EQ(counters["globalStoreBytes"], 3 * bytes);
  EXPECT_EQ(counters["globalStoreSectors"], 3 * bytes / 32);
  EXPECT_EQ(counters["idealStoreSectors"], 3 * bytes / 32);

  EXPECT_CUDA(cuDevicePrimaryCtxRelease(0));
  std::ifstream file(path);
  EXPECT_EQ(nlohmann::json::parse(file), report);
}

TEST_F(LaunchTest, UnwritableReportsAreNamed) {
  setOption("REPORT", "/nowhere/report.json");
  start();
  testing::internal::CaptureStderr();
  EXPECT_CUDA(cuDevicePrimaryCtxRelease(0));
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "graphrt-cuda-emulator: cannot write the report "
            "'/nowhere/report.json'\n");
  testing::internal::CaptureStderr();
  graphrt_emulator_reset();
  testing::internal::GetCapturedStderr();
}

TEST_F(LaunchTest, FunctionAttributesAreChecked) {
  start();
  CUfunction fixed = find(module, "fixed"), dynamic = find(module, "dynamic");
  EXPECT_EQ(attribute(fixed, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 64);
  EXPECT_EQ(attribute(dynamic, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 1024);
  EXPECT_EQ(attribute(dynamic, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), 0);
  int value = 0;
  EXPECT_FAULT(cuFuncGetAttribute(&value, CUfunction_attribute(999), fixed),
               CUDA_ERROR_INVALID_VALUE, "found function attribute 999");
  EXPECT_FAULT(cuFuncSetAttribute(fixed, CU_FUNC_ATTRIBUTE_NUM_REGS, 32),
               CUDA_ERROR_INVALID_VALUE, "which cannot be set");
}

TEST_F(LaunchTest, TensorMapsAreChecked) {
  start();
  CUtensorMap map;
  cuuint32_t rank = 2;
  uint64_t offset = 0;
  cuuint64_t extents[] = {64, 64}, strides[] = {128};
  cuuint32_t box[] = {32, 8}, steps[] = {1, 1};
  CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_NONE;
  auto encode = [&](CUtensorMapDataType type, CUtensorMapSwizzle swizzle) {
    return cuTensorMapEncodeTiled(
        &map, type, rank, reinterpret_cast<void *>(a + offset), extents,
        strides, box, steps, interleave, swizzle,
        CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  };
  constexpr auto half = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  EXPECT_CUDA(encode(half, CU_TENSOR_MAP_SWIZZLE_64B));
  EXPECT_FAULT(encode(half, CU_TENSOR_MAP_SWIZZLE_32B),
               CUDA_ERROR_INVALID_VALUE,
               "found box rows of 64, expected at most the swizzle's 32 bytes");
  EXPECT_FAULT(
      encode(CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, CU_TENSOR_MAP_SWIZZLE_NONE),
      CUDA_ERROR_NOT_SUPPORTED, "found tensor map type");
  strides[0] = 100;
  EXPECT_FAULT(encode(half, CU_TENSOR_MAP_SWIZZLE_NONE),
               CUDA_ERROR_INVALID_VALUE,
               "found a stride of 100, expected a multiple of 16 bytes");
  strides[0] = 128;
  box[1] = 257;
  EXPECT_FAULT(encode(half, CU_TENSOR_MAP_SWIZZLE_NONE),
               CUDA_ERROR_INVALID_VALUE,
               "found a box of 257, expected from 1 to 256");
  box[1] = 8;
  steps[0] = 9;
  EXPECT_FAULT(encode(half, CU_TENSOR_MAP_SWIZZLE_NONE),
               CUDA_ERROR_INVALID_VALUE,
               "found an element stride of 9, expected from 1 to 8");
  steps[0] = 1;
  box[0] = 4;
  EXPECT_FAULT(encode(half, CU_TENSOR_MAP_SWIZZLE_NONE),
               CUDA_ERROR_INVALID_VALUE,
               "found box rows of 8, expected a multiple of 16 bytes");
  box[0] = 32;
  extents[1] = 0;
  EXPECT_FAULT(encode(half, CU_TENSOR_MAP_SWIZZLE_NONE),
               CUDA_ERROR_INVALID_VALUE, "found an extent of 0");
  extents[1] = 64;
  EXPECT_FAULT(encode(half, CUtensorMapSwizzle(7)), CUDA_ERROR_NOT_SUPPORTED,
               "found swizzle 7");
  offset = 4;
  EXPECT_FAULT(encode(half, CU_TENSOR_MAP_SWIZZLE_NONE),
               CUDA_ERROR_INVALID_VALUE, "an address aligned to 16 bytes");
  offset = 0;
  rank = 6;
  EXPECT_FAULT(encode(half, CU_TENSOR_MAP_SWIZZLE_NONE),
               CUDA_ERROR_INVALID_VALUE,
               "found a rank of 6, expected from 1 to 5");
  rank = 2;
  interleave = CU_TENSOR_MAP_INTERLEAVE_16B;
  EXPECT_FAULT(encode(half, CU_TENSOR_MAP_SWIZZLE_NONE),
               CUDA_ERROR_NOT_SUPPORTED, "an interleaved tensor map");
}

TEST(Errors, HaveNames) {
  const char *text = nullptr;
  EXPECT_EQ(cuGetErrorName(CUDA_ERROR_OUT_OF_MEMORY, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "CUDA_ERROR_OUT_OF_MEMORY");
  EXPECT_EQ(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "out of memory");
  EXPECT_EQ(cuGetErrorName(CUresult(12345), &text), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(text, nullptr);
}

} // namespace
