//===- DriverTest.h - A fresh emulated driver for each test -----*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_TEST_DRIVERTEST_H
#define GRAPHRT_EMULATOR_TEST_DRIVERTEST_H

#include "cuda/CudaHeader.h"
#include "graphrt/emulator.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

/// Expects a call to succeed, and shows the emulator's words if it does not.
#define EXPECT_CUDA(call)                                                      \
  EXPECT_EQ(call, CUDA_SUCCESS) << graphrt_emulator_last_fault()
#define ASSERT_CUDA(call)                                                      \
  ASSERT_EQ(call, CUDA_SUCCESS) << graphrt_emulator_last_fault()

/// Expects a call to fail with a code, and words of the emulator's message.
#define EXPECT_FAULT(call, code, ...)                                          \
  do {                                                                         \
    EXPECT_EQ(call, code);                                                     \
    for (const char *word : {__VA_ARGS__})                                     \
      EXPECT_NE(std::string(graphrt_emulator_last_fault()).find(word),         \
                std::string::npos)                                             \
          << "found '" << graphrt_emulator_last_fault() << "', expected '"     \
          << word << "'";                                                      \
  } while (false)

namespace graphrt::test {

class DriverTest : public testing::Test {
protected:
  void SetUp() override { graphrt_emulator_reset(); }

  void TearDown() override {
    graphrt_emulator_reset();
    for (const std::string &name : variables)
      ::unsetenv(name.c_str());
  }

  /// Before start.
  void setOption(const std::string &name, const std::string &value) {
    variables.push_back("GRAPHRT_EMULATOR_" + name);
    ::setenv(variables.back().c_str(), value.c_str(), 1);
  }

  /// Makes device 0's primary context current.
  void start() {
    ASSERT_CUDA(cuInit(0));
    ASSERT_CUDA(cuDevicePrimaryCtxRetain(&context, 0));
    ASSERT_CUDA(cuCtxSetCurrent(context));
  }

  CUstream makeStream() {
    CUstream stream = nullptr;
    EXPECT_CUDA(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    return stream;
  }

  CUevent makeEvent(unsigned flags = CU_EVENT_DISABLE_TIMING) {
    CUevent event = nullptr;
    EXPECT_CUDA(cuEventCreate(&event, flags));
    return event;
  }

  /// Lets `later` wait for what `earlier` has.
  void order(CUstream earlier, CUstream later) {
    CUevent event = makeEvent();
    EXPECT_CUDA(cuEventRecord(event, earlier));
    EXPECT_CUDA(cuStreamWaitEvent(later, event, 0));
    EXPECT_CUDA(cuEventDestroy(event));
  }

  CUdeviceptr allocate(size_t bytes) {
    CUdeviceptr address = 0;
    EXPECT_CUDA(cuMemAlloc(&address, bytes));
    return address;
  }

  /// Pinned memory of `count` floats.
  float *allocateHost(size_t count) {
    void *address = nullptr;
    EXPECT_CUDA(cuMemHostAlloc(&address, count * sizeof(float), 0));
    return static_cast<float *>(address);
  }

  CUmodule load(const char *ptx) {
    CUmodule module = nullptr;
    EXPECT_CUDA(cuModuleLoadDataEx(&module, ptx, 0, nullptr, nullptr));
    return module;
  }

  CUfunction find(CUmodule module, const char *name) {
    CUfunction function = nullptr;
    EXPECT_CUDA(cuModuleGetFunction(&function, module, name));
    return function;
  }

  /// Launches with pointers as arguments.
  template <typename... Arguments>
  CUresult launch(CUfunction function, unsigned blocks, unsigned threads,
                  CUstream stream, Arguments... arguments) {
    void *pointers[] = {&arguments...};
    return cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, stream,
                          pointers, nullptr);
  }

  CUcontext context = nullptr;

private:
  std::vector<std::string> variables;
};

/// Kernels for one block of up to 1024 threads, each with one float:
///
///   add(a, b, c)       c[i] = a[i] + b[i]
///   twice(a, b)        b[i] = 2 * a[i]
///   beyond(a, b)       twice, but b is written 4096 bytes behind
///   skewed(a)          reads 8 aligned bytes at a + 4
///   dynamic(a)         uses dynamic shared memory
///   fixed(a)           demands blocks of 64 threads
extern const char *const testKernels;

} // namespace graphrt::test

#endif // GRAPHRT_EMULATOR_TEST_DRIVERTEST_H
