//===- StreamOrderTest.cpp - Streams, events and missing waits ------------===//

#include "DriverTest.h"

#include <numeric>
#include <thread>

using namespace graphrt::test;

namespace {

constexpr unsigned count = 64;
constexpr size_t bytes = count * sizeof(float);

/// Two streams, a module, pinned host memory and three device buffers.
class StreamOrderTest : public DriverTest {
protected:
  void start() {
    DriverTest::start();
    first = makeStream();
    second = makeStream();
    twice = find(load(testKernels), "twice");
    host = allocateHost(count);
    result = allocateHost(count);
    std::iota(host, host + count, 1.0f);
    std::fill_n(result, count, -1.0f);
    a = allocate(bytes);
    b = allocate(bytes);
    c = allocate(bytes);
  }

  void expectResult(float factor) {
    for (unsigned i = 0; i < count; ++i)
      ASSERT_EQ(result[i], factor * float(i + 1)) << i;
  }

  CUstream first, second;
  CUfunction twice;
  float *host, *result;
  CUdeviceptr a, b, c;
};

TEST_F(StreamOrderTest, OneStreamIsInOrder) {
  start();
  EXPECT_CUDA(cuMemcpyHtoDAsync(a, host, bytes, first));
  EXPECT_CUDA(launch(twice, 1, count, first, a, b));
  EXPECT_CUDA(launch(twice, 1, count, first, b, a));
  EXPECT_CUDA(cuMemcpyDtoHAsync(result, a, bytes, first));
  EXPECT_CUDA(cuStreamSynchronize(first));
  expectResult(4);
}

TEST_F(StreamOrderTest, EventsOrderStreamsInEveryOrder) {
  for (const char *order : {"late", "newest", "random", "issued"})
    for (const char *seed : {"1", "2", "3"}) {
      setOption("ORDER", order);
      setOption("SEED", seed);
      graphrt_emulator_reset();
      start();
      EXPECT_CUDA(cuMemcpyHtoDAsync(a, host, bytes, first));
      this->order(first, second);
      EXPECT_CUDA(launch(twice, 1, count, second, a, b));
      this->order(second, first);
      EXPECT_CUDA(launch(twice, 1, count, first, b, a));
      EXPECT_CUDA(cuMemcpyDtoHAsync(result, a, bytes, first));
      EXPECT_CUDA(cuStreamSynchronize(first));
      expectResult(4);
    }
}

TEST_F(StreamOrderTest, TheHostOrdersStreamsByWaiting) {
  start();
  EXPECT_CUDA(cuMemcpyHtoDAsync(a, host, bytes, first));
  EXPECT_CUDA(cuStreamSynchronize(first));
  EXPECT_CUDA(launch(twice, 1, count, second, a, b));
  EXPECT_CUDA(cuMemcpyDtoHAsync(result, b, bytes, second));
  EXPECT_CUDA(cuStreamSynchronize(second));
  expectResult(2);
}

TEST_F(StreamOrderTest, NothingRunsBeforeTheHostWaits) {
  start();
  EXPECT_CUDA(cuMemcpyHtoDAsync(a, host, bytes, first));
  // Pinned memory is read when the copy runs.
  std::fill_n(host, count, 7.0f);
  EXPECT_CUDA(cuMemcpyDtoHAsync(result, a, bytes, first));
  EXPECT_EQ(result[0], -1.0f);
  EXPECT_CUDA(cuStreamSynchronize(first));
  EXPECT_EQ(result[0], 7.0f);
}

TEST_F(StreamOrderTest, PageableMemoryIsStaged) {
  start();
  std::vector<float> pageable(count, 3.0f);
  EXPECT_CUDA(cuMemcpyHtoDAsync(a, pageable.data(), bytes, first));
  std::fill(pageable.begin(), pageable.end(), 0.0f);
  // The host waits for copies to pageable memory.
  EXPECT_CUDA(cuMemcpyDtoHAsync(pageable.data(), a, bytes, first));
  EXPECT_EQ(pageable[count - 1], 3.0f);
}

TEST_F(StreamOrderTest, MissingWaitFromCopyToKernel) {
  start();
  EXPECT_CUDA(cuMemcpyHtoDAsync(a, host, bytes, first));
  EXPECT_CUDA(launch(twice, 1, count, second, a, b));
  // The kernel finds nothing at all, since it runs alone.
  EXPECT_FAULT(cuStreamSynchronize(second), CUDA_ERROR_LAUNCH_FAILED,
               "uninitialised load of 4 bytes", "in kernel 'twice'",
               "; nothing orders kernel 'twice' (operation 2, stream 2) after "
               "copy of 256 bytes from host to device (operation 1, stream 1), "
               "which has not run");
}

TEST_F(StreamOrderTest, MissingWaitFromCopyToKernelInTheUsualOrder) {
  setOption("ORDER", "issued");
  start();
  EXPECT_CUDA(cuMemcpyHtoDAsync(a, host, bytes, first));
  EXPECT_CUDA(launch(twice, 1, count, second, a, b));
  EXPECT_FAULT(cuStreamSynchronize(second), CUDA_ERROR_LAUNCH_FAILED,
               "missing wait: kernel 'twice' (operation 2, stream 2) reads "
               "bytes [0, 256) of the device allocation of 256 bytes",
               "which copy of 256 bytes from host to device (operation 1, "
               "stream 1) writes, and nothing orders the two");
}

TEST_F(StreamOrderTest, MissingWaitFromKernelToCopy) {
  start();
  EXPECT_CUDA(cuMemcpyHtoDAsync(a, host, bytes, first));
  EXPECT_CUDA(cuMemsetD8Async(b, 0, bytes, first));
  order(first, second);
  EXPECT_CUDA(launch(twice, 1, count, first, a, b));
  EXPECT_CUDA(cuMemcpyDtoHAsync(result, b, bytes, second));
  EXPECT_CUDA(cuStreamSynchronize(second));
  // The late order shows it to the host too: the result is not there.
  EXPECT_EQ(result[5], 0.0f);
  EXPECT_FAULT(cuStreamSynchronize(first), CUDA_ERROR_LAUNCH_FAILED,
               "missing wait: kernel 'twice'", "writes bytes [0, 256)",
               "which copy of 256 bytes from device to host", "reads");
}

TEST_F(StreamOrderTest, MissingWaitFromKernelToKernel) {
  start();
  EXPECT_CUDA(cuMemcpyHtoDAsync(a, host, bytes, first));
  EXPECT_CUDA(cuMemcpyHtoDAsync(b, host, bytes, first));
  order(first, second);
  EXPECT_CUDA(launch(twice, 1, count, first, a, b));
  EXPECT_CUDA(launch(twice, 1, count, second, b, c));
  EXPECT_CUDA(cuStreamSynchronize(second));
  EXPECT_FAULT(cuStreamSynchronize(first), CUDA_ERROR_LAUNCH_FAILED,
               "missing wait: kernel 'twice'", "stream 1", "stream 2",
               "nothing orders the two");
}

TEST_F(StreamOrderTest, MissingWaitFromReaderToWriter) {
  start();
  EXPECT_CUDA(cuMemcpyHtoDAsync(a, host, bytes, first));
  order(first, second);
  EXPECT_CUDA(launch(twice, 1, count, first, a, b));
  EXPECT_CUDA(cuMemsetD8Async(a, 0, bytes, second));
  EXPECT_CUDA(cuStreamSynchronize(first));
  EXPECT_FAULT(cuStreamSynchronize(second), CUDA_ERROR_LAUNCH_FAILED,
               "missing wait: fill of 256 bytes", "which kernel 'twice'",
               "reads");
}

TEST_F(StreamOrderTest, DisjointPartsOfAnAllocationNeedNoWait) {
  start();
  CUdeviceptr arena = allocate(4 * bytes);
  EXPECT_CUDA(cuMemcpyHtoDAsync(arena, host, bytes, first));
  EXPECT_CUDA(cuMemcpyHtoDAsync(arena + 2 * bytes, host, bytes, second));
  EXPECT_CUDA(
      launch(twice, 1, count, first, arena, CUdeviceptr(arena + bytes)));
  EXPECT_CUDA(launch(twice, 1, count, second, CUdeviceptr(arena + 2 * bytes),
                     CUdeviceptr(arena + 3 * bytes)));
  EXPECT_CUDA(cuStreamSynchronize(first));
  EXPECT_CUDA(cuStreamSynchronize(second));
}

TEST_F(StreamOrderTest, KernelsMayWorkInPlace) {
  start();
  EXPECT_CUDA(cuMemcpyHtoDAsync(a, host, bytes, first));
  EXPECT_CUDA(launch(twice, 1, count, first, a, a));
  EXPECT_CUDA(cuMemcpyDtoHAsync(result, a, bytes, first));
  EXPECT_CUDA(cuStreamSynchronize(first));
  expectResult(2);
}

TEST_F(StreamOrderTest, MissingWaitOnPinnedMemory) {
  start();
  EXPECT_CUDA(cuMemcpyHtoDAsync(a, host, bytes, first));
  EXPECT_CUDA(cuMemcpyDtoHAsync(result, a, bytes, first));
  EXPECT_CUDA(cuMemcpyHtoDAsync(b, result, bytes, second));
  EXPECT_CUDA(cuStreamSynchronize(second));
  EXPECT_FAULT(cuStreamSynchronize(first), CUDA_ERROR_LAUNCH_FAILED,
               "missing wait: copy of 256 bytes from device to host",
               "the pinned host memory of 256 bytes");
}

TEST_F(StreamOrderTest, FaultsAreSticky) {
  start();
  EXPECT_CUDA(cuMemcpyHtoDAsync(a, host, bytes, first));
  EXPECT_CUDA(cuMemsetD8Async(a, 0, bytes, second));
  EXPECT_CUDA(cuStreamSynchronize(second));
  EXPECT_FAULT(cuStreamSynchronize(first), CUDA_ERROR_LAUNCH_FAILED,
               "cuStreamSynchronize: missing wait");
  EXPECT_FAULT(cuMemsetD8Async(b, 0, bytes, first), CUDA_ERROR_LAUNCH_FAILED,
               "cuMemsetD8Async: missing wait");
  // A new context begins anew.
  EXPECT_CUDA(cuDevicePrimaryCtxRelease(0));
  DriverTest::start();
  CUdeviceptr fresh = allocate(bytes);
  EXPECT_CUDA(cuMemFree(fresh));
}

TEST_F(StreamOrderTest, BlockingStreamsAreOrderedWithTheDefaultStream) {
  start();
  CUstream blocking = nullptr;
  EXPECT_CUDA(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
  EXPECT_CUDA(cuMemcpyHtoDAsync(a, host, bytes, blocking));
  EXPECT_CUDA(launch(twice, 1, count, nullptr, a, b));
  EXPECT_CUDA(cuMemcpyDtoHAsync(result, b, bytes, blocking));
  EXPECT_CUDA(cuStreamSynchronize(blocking));
  expectResult(2);
}

TEST_F(StreamOrderTest, EventsTellTimes) {
  start();
  CUevent begin = makeEvent(CU_EVENT_DEFAULT),
          end = makeEvent(CU_EVENT_DEFAULT);
  float milliseconds = -1;
  EXPECT_CUDA(cuEventSynchronize(begin));
  EXPECT_FAULT(cuEventElapsedTime(&milliseconds, begin, end),
               CUDA_ERROR_INVALID_HANDLE, "event 1, which has no record");
  EXPECT_CUDA(cuEventRecord(begin, first));
  EXPECT_CUDA(cuMemcpyHtoDAsync(a, host, bytes, first));
  EXPECT_CUDA(cuEventRecord(end, first));
  EXPECT_EQ(cuEventElapsedTime(&milliseconds, begin, end),
            CUDA_ERROR_NOT_READY);
  EXPECT_CUDA(cuEventSynchronize(end));
  EXPECT_CUDA(cuEventElapsedTime(&milliseconds, begin, end));
  EXPECT_GE(milliseconds, 0);
  CUevent untimed = makeEvent();
  EXPECT_FAULT(cuEventElapsedTime(&milliseconds, begin, untimed),
               CUDA_ERROR_INVALID_HANDLE, "created without timing");
}

TEST_F(StreamOrderTest, WorkOutlivesItsStreamAndEvents) {
  start();
  CUevent event = makeEvent();
  EXPECT_CUDA(cuMemcpyHtoDAsync(a, host, bytes, first));
  EXPECT_CUDA(cuEventRecord(event, first));
  EXPECT_CUDA(cuStreamWaitEvent(second, event, 0));
  EXPECT_CUDA(cuEventDestroy(event));
  EXPECT_CUDA(cuStreamDestroy(first));
  EXPECT_CUDA(launch(twice, 1, count, second, a, b));
  EXPECT_CUDA(cuStreamSynchronize(second));
}

TEST_F(StreamOrderTest, HandlesAreChecked) {
  start();
  CUevent event = makeEvent();
  EXPECT_CUDA(cuEventDestroy(event));
  EXPECT_CUDA(cuStreamDestroy(first));
  EXPECT_FAULT(cuStreamSynchronize(first), CUDA_ERROR_INVALID_HANDLE,
               "found a stream that is destroyed (number 1), expected a "
               "stream");
  EXPECT_FAULT(cuStreamDestroy(first), CUDA_ERROR_INVALID_HANDLE,
               "cuStreamDestroy", "destroyed");
  EXPECT_FAULT(cuEventDestroy(event), CUDA_ERROR_INVALID_HANDLE,
               "found an event that is destroyed");
  EXPECT_FAULT(cuEventSynchronize(reinterpret_cast<CUevent>(second)),
               CUDA_ERROR_INVALID_HANDLE,
               "found the handle of a stream, expected an event");
  EXPECT_FAULT(cuEventSynchronize(nullptr), CUDA_ERROR_INVALID_HANDLE,
               "found a null handle, expected an event");
  EXPECT_FAULT(cuEventSynchronize(reinterpret_cast<CUevent>(&event)),
               CUDA_ERROR_INVALID_HANDLE,
               "found a value that is no handle, expected an event");
  CUstream stream = nullptr;
  EXPECT_FAULT(cuStreamCreate(&stream, 8), CUDA_ERROR_INVALID_VALUE,
               "found flags 8, expected default or non-blocking");
  EXPECT_FAULT(cuStreamCreate(nullptr, 0), CUDA_ERROR_INVALID_VALUE,
               "found a null pointer, expected room for a stream");
  EXPECT_CUDA(cuDevicePrimaryCtxRelease(0));
  CUstream stale = second;
  DriverTest::start();
  EXPECT_FAULT(cuStreamSynchronize(stale), CUDA_ERROR_INVALID_HANDLE,
               "found a stream of another context");
}

TEST_F(StreamOrderTest, ThreadsMayShareAContext) {
  start();
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number)
    threads.emplace_back([this] {
      EXPECT_EQ(cuStreamSynchronize(first), CUDA_ERROR_INVALID_CONTEXT);
      EXPECT_CUDA(cuCtxSetCurrent(context));
      CUstream stream = makeStream();
      CUdeviceptr own = allocate(bytes);
      for (int round = 0; round < 20; ++round) {
        EXPECT_CUDA(cuMemcpyHtoDAsync(own, host, bytes, stream));
        EXPECT_CUDA(cuStreamSynchronize(stream));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
