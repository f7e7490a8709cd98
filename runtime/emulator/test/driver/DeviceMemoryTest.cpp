//===- DeviceMemoryTest.cpp - Allocations of the emulated driver ----------===//

#include "DriverTest.h"

#include <numeric>

using namespace graphrt::test;

namespace {

constexpr unsigned count = 64;
constexpr size_t bytes = count * sizeof(float);

class MemoryTest : public DriverTest {
protected:
  void start() {
    DriverTest::start();
    first = makeStream();
    second = makeStream();
    twice = find(load(testKernels), "twice");
    host = allocateHost(count);
    std::iota(host, host + count, 1.0f);
  }

  CUdeviceptr allocateAsync(CUstream stream) {
    CUdeviceptr address = 0;
    EXPECT_CUDA(cuMemAllocAsync(&address, bytes, stream));
    return address;
  }

  CUstream first, second;
  CUfunction twice;
  float *host;
};

TEST_F(MemoryTest, StreamOrderedAllocationsLiveInTheirStream) {
  start();
  CUdeviceptr a = allocateAsync(first), b = allocateAsync(first);
  EXPECT_CUDA(cuMemcpyHtoDAsync(a, host, bytes, first));
  order(first, second);
  EXPECT_CUDA(launch(twice, 1, count, second, a, b));
  EXPECT_CUDA(cuMemcpyDtoHAsync(host, b, bytes, second));
  order(second, first);
  EXPECT_CUDA(cuMemFreeAsync(a, first));
  EXPECT_CUDA(cuMemFreeAsync(b, first));
  EXPECT_CUDA(cuStreamSynchronize(first));
  EXPECT_EQ(host[9], 20.0f);
}

TEST_F(MemoryTest, UseBeforeAStreamOrderedAllocation) {
  start();
  CUdeviceptr a = allocateAsync(first);
  EXPECT_CUDA(cuMemcpyHtoDAsync(a, host, bytes, second));
  EXPECT_CUDA(cuStreamSynchronize(second));
  EXPECT_FAULT(cuStreamSynchronize(first), CUDA_ERROR_LAUNCH_FAILED,
               "missing wait: allocation of 256 bytes (operation 1, stream 1) "
               "writes bytes [0, 256)",
               "which copy of 256 bytes from host to device (operation 2, "
               "stream 2) writes");
}

TEST_F(MemoryTest, UseAfterAStreamOrderedFree) {
  start();
  CUdeviceptr a = allocateAsync(first), b = allocateAsync(first);
  EXPECT_CUDA(cuMemcpyHtoDAsync(a, host, bytes, first));
  EXPECT_CUDA(cuMemFreeAsync(a, first));
  EXPECT_CUDA(launch(twice, 1, count, first, a, b));
  EXPECT_FAULT(cuStreamSynchronize(first), CUDA_ERROR_ILLEGAL_ADDRESS,
               "use after free", "kernel 'twice'", "thread (0, 0, 0)",
               "ld.global.f32");
}

TEST_F(MemoryTest, UseWithoutAWaitBeforeAStreamOrderedFree) {
  start();
  CUdeviceptr a = allocateAsync(first), b = allocateAsync(first);
  EXPECT_CUDA(cuMemcpyHtoDAsync(a, host, bytes, first));
  order(first, second);
  EXPECT_CUDA(launch(twice, 1, count, second, a, b));
  EXPECT_CUDA(cuMemFreeAsync(a, first));
  EXPECT_CUDA(cuStreamSynchronize(second));
  EXPECT_FAULT(cuStreamSynchronize(first), CUDA_ERROR_LAUNCH_FAILED,
               "missing wait: free of 256 bytes", "which kernel 'twice'",
               "reads");
}

TEST_F(MemoryTest, UseAfterFree) {
  start();
  CUdeviceptr a = allocate(bytes), b = allocate(bytes);
  EXPECT_CUDA(cuMemcpyHtoDAsync(a, host, bytes, first));
  EXPECT_CUDA(launch(twice, 1, count, first, a, b));
  EXPECT_CUDA(cuMemFree(b));
  EXPECT_FAULT(cuStreamSynchronize(first), CUDA_ERROR_ILLEGAL_ADDRESS,
               "use after free", "store of 4 bytes", "line ");
}

TEST_F(MemoryTest, CopyAfterFree) {
  start();
  CUdeviceptr a = allocate(bytes);
  EXPECT_CUDA(cuMemcpyHtoDAsync(a, host, bytes, first));
  EXPECT_CUDA(cuMemFree(a));
  EXPECT_FAULT(cuStreamSynchronize(first), CUDA_ERROR_ILLEGAL_ADDRESS,
               "copy of 256 bytes from host to device: found a write of 256 "
               "bytes at offset 0 of a freed allocation");
}

TEST_F(MemoryTest, HostMemoryFreedUnderACopy) {
  start();
  CUdeviceptr a = allocate(bytes);
  EXPECT_CUDA(cuMemcpyHtoDAsync(a, host, bytes, first));
  EXPECT_CUDA(cuMemFreeHost(host));
  EXPECT_FAULT(cuStreamSynchronize(first), CUDA_ERROR_ILLEGAL_ADDRESS,
               "copy of 256 bytes from host to device: its pinned host memory "
               "is freed");
}

TEST_F(MemoryTest, FreesAreChecked) {
  start();
  CUdeviceptr a = allocate(bytes), b = allocateAsync(first);
  EXPECT_FAULT(cuMemFree(a + 4), CUDA_ERROR_INVALID_VALUE,
               "expected the address of an allocation");
  EXPECT_CUDA(cuMemFree(a));
  EXPECT_FAULT(cuMemFree(a), CUDA_ERROR_INVALID_VALUE,
               "found a second free of the allocation of 256 bytes");
  EXPECT_CUDA(cuMemFreeAsync(b, first));
  EXPECT_FAULT(cuMemFreeAsync(b, first), CUDA_ERROR_INVALID_VALUE,
               "found a second free of the allocation of 256 bytes");
  EXPECT_FAULT(cuMemFree(b), CUDA_ERROR_INVALID_VALUE, "a second free");
  EXPECT_FAULT(cuMemFreeHost(host + 1), CUDA_ERROR_INVALID_VALUE,
               "expected that of pinned memory");
  EXPECT_CUDA(cuMemFree(0));
  EXPECT_CUDA(cuMemFreeHost(nullptr));
}

TEST_F(MemoryTest, RangesAreChecked) {
  start();
  CUdeviceptr a = allocate(bytes);
  EXPECT_FAULT(cuMemcpyHtoDAsync(a + 4, host, bytes, first),
               CUDA_ERROR_INVALID_VALUE,
               "found bytes [4, 260) of the device allocation of 256 bytes",
               "expected bytes of one live device allocation");
  EXPECT_FAULT(cuMemcpyHtoDAsync(12345, host, bytes, first),
               CUDA_ERROR_INVALID_VALUE,
               "found 256 bytes at 0x3039, outside of every allocation");
  EXPECT_FAULT(cuMemcpyDtoHAsync(host + 1, a, bytes, first),
               CUDA_ERROR_INVALID_VALUE,
               "found bytes [4, 260) of the pinned host memory of 256 bytes");
  EXPECT_FAULT(cuMemcpyDtoHAsync(nullptr, a, bytes, first),
               CUDA_ERROR_INVALID_VALUE, "a null host address");
  EXPECT_FAULT(cuMemsetD8Async(a, 0, bytes + 1, first),
               CUDA_ERROR_INVALID_VALUE, "found bytes [0, 257)");
  EXPECT_CUDA(cuMemcpyHtoDAsync(a, host, 0, first));
}

TEST_F(MemoryTest, RunsOut) {
  setOption("MEMORY", "1M");
  start();
  size_t free = 0, total = 0;
  EXPECT_CUDA(cuMemGetInfo(&free, &total));
  EXPECT_EQ(total, size_t(1) << 20);
  CUdeviceptr big = allocate(1 << 19), more = 0;
  size_t left = 0;
  EXPECT_CUDA(cuMemGetInfo(&left, &total));
  EXPECT_EQ(free - left, size_t(1) << 19);
  EXPECT_FAULT(cuMemAlloc(&more, 1 << 20), CUDA_ERROR_OUT_OF_MEMORY,
               "found an allocation of 1048576 bytes, expected at most");
  EXPECT_FAULT(cuMemAlloc(&more, 0), CUDA_ERROR_INVALID_VALUE, "0 bytes");
  // Queued frees make room.
  EXPECT_CUDA(cuMemFreeAsync(big, first));
  EXPECT_CUDA(cuMemAllocAsync(&more, 1 << 19, first));
}

TEST_F(MemoryTest, HostMemoryRunsOut) {
  start();
  void *address = nullptr;
  EXPECT_FAULT(cuMemHostAlloc(&address, size_t(1) << 62, 0),
               CUDA_ERROR_OUT_OF_MEMORY,
               "cannot allocate 4611686018427387904 bytes of host memory");
  EXPECT_FAULT(cuMemHostAlloc(&address, 0, 0), CUDA_ERROR_INVALID_VALUE,
               "found an allocation of 0 bytes, expected at least 1");
}

TEST_F(MemoryTest, FillsAndCopies) {
  start();
  CUdeviceptr a = allocate(bytes), b = allocate(bytes);
  EXPECT_CUDA(cuMemsetD8Async(a, 0x40, bytes, first));
  EXPECT_CUDA(cuMemcpyDtoDAsync(b, a, bytes, first));
  EXPECT_CUDA(cuMemsetD8Async(b, 0, 4, first));
  EXPECT_CUDA(cuMemcpyDtoHAsync(host, b, bytes, first));
  EXPECT_CUDA(cuStreamSynchronize(first));
  EXPECT_EQ(host[0], 0.0f);
  EXPECT_EQ(host[1], 3.0039215f); // 0x40404040
}

TEST_F(MemoryTest, PoolsTakeAThreshold) {
  start();
  CUmemoryPool pool = nullptr;
  EXPECT_CUDA(cuDeviceGetDefaultMemPool(&pool, 0));
  cuuint64_t threshold = ~cuuint64_t(0);
  EXPECT_CUDA(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
                                    &threshold));
  EXPECT_FAULT(
      cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &threshold),
      CUDA_ERROR_INVALID_VALUE, "expected the release threshold");
}

} // namespace
