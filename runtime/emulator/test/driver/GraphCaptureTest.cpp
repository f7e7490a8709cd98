//===- GraphCaptureTest.cpp - Captures and launches of graphs -------------===//

#include "DriverTest.h"

#include <numeric>
#include <thread>

using namespace graphrt::test;

namespace {

constexpr unsigned count = 64;
constexpr size_t bytes = count * sizeof(float);

class GraphCaptureTest : public DriverTest {
protected:
  void start() {
    DriverTest::start();
    first = makeStream();
    second = makeStream();
    CUmodule module = load(testKernels);
    twice = find(module, "twice");
    add = find(module, "add");
    host = allocateHost(count);
    result = allocateHost(count);
    std::iota(host, host + count, 1.0f);
    for (CUdeviceptr *buffer : {&a, &b, &c, &d})
      *buffer = allocate(bytes);
  }

  void begin(CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL) {
    EXPECT_CUDA(cuStreamBeginCapture(first, mode));
  }

  CUgraphExec end() {
    CUgraph graph = nullptr;
    CUgraphExec exec = nullptr;
    EXPECT_CUDA(cuStreamEndCapture(first, &graph));
    EXPECT_CUDA(cuGraphInstantiate(&exec, graph, 0));
    EXPECT_CUDA(cuGraphDestroy(graph));
    return exec;
  }

  void expectSpoilt() {
    CUgraph graph = nullptr;
    EXPECT_FAULT(cuStreamEndCapture(first, &graph),
                 CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
                 "the capture is spoilt by");
    EXPECT_EQ(graph, nullptr);
    // The stream is no longer capturing.
    EXPECT_CUDA(cuStreamSynchronize(first));
  }

  CUstream first, second;
  CUfunction twice, add;
  float *host, *result;
  CUdeviceptr a, b, c, d;
};

TEST_F(GraphCaptureTest, RecordsAndRepeats) {
  start();
  std::fill_n(result, count, -1.0f);
  begin();
  EXPECT_CUDA(cuMemcpyHtoDAsync(a, host, bytes, first));
  EXPECT_CUDA(launch(twice, 1, count, first, a, b));
  EXPECT_CUDA(cuMemcpyDtoHAsync(result, b, bytes, first));
  CUgraphExec exec = end();
  EXPECT_CUDA(cuStreamSynchronize(first));
  EXPECT_EQ(result[3], -1.0f);
  for (float value : {1.0f, 5.0f}) {
    std::fill_n(host, count, value);
    EXPECT_CUDA(cuGraphLaunch(exec, first));
    EXPECT_CUDA(cuStreamSynchronize(first));
    EXPECT_EQ(result[count - 1], 2 * value);
  }
  EXPECT_CUDA(cuGraphExecDestroy(exec));
  EXPECT_FAULT(cuGraphLaunch(exec, first), CUDA_ERROR_INVALID_HANDLE,
               "found an executable graph that is destroyed");
}

TEST_F(GraphCaptureTest, ForksAndJoins) {
  for (const char *order : {"late", "newest", "random"}) {
    setOption("ORDER", order);
    graphrt_emulator_reset();
    start();
    begin();
    EXPECT_CUDA(cuMemcpyHtoDAsync(a, host, bytes, first));
    this->order(first, second);
    EXPECT_CUDA(launch(twice, 1, count, second, a, b));
    EXPECT_CUDA(launch(twice, 1, count, first, a, c));
    this->order(second, first);
    EXPECT_CUDA(launch(add, 1, count, first, b, c, d));
    EXPECT_CUDA(cuMemcpyDtoHAsync(result, d, bytes, first));
    CUgraphExec exec = end();
    for (int run = 0; run < 3; ++run) {
      EXPECT_CUDA(cuGraphLaunch(exec, run % 2 ? first : second));
      EXPECT_CUDA(cuStreamSynchronize(run % 2 ? first : second));
      EXPECT_EQ(result[7], 32.0f);
    }
    // A launch comes after the one before, on whatever stream.
    EXPECT_CUDA(cuGraphLaunch(exec, first));
    EXPECT_CUDA(cuGraphLaunch(exec, second));
    EXPECT_CUDA(cuStreamSynchronize(second));
  }
}

TEST_F(GraphCaptureTest, MissingWaitInsideAGraph) {
  start();
  begin();
  EXPECT_CUDA(cuMemsetD8Async(b, 0, bytes, first));
  order(first, second);
  EXPECT_CUDA(cuMemcpyHtoDAsync(b, host, bytes, first));
  EXPECT_CUDA(launch(twice, 1, count, second, b, c));
  order(second, first);
  CUgraphExec exec = end();
  EXPECT_CUDA(cuGraphLaunch(exec, first));
  EXPECT_FAULT(cuStreamSynchronize(first), CUDA_ERROR_LAUNCH_FAILED,
               "missing wait", "kernel 'twice'",
               "copy of 256 bytes from host to device");
}

TEST_F(GraphCaptureTest, MissingWaitBehindAGraph) {
  start();
  begin();
  EXPECT_CUDA(cuMemcpyHtoDAsync(a, host, bytes, first));
  CUgraphExec exec = end();
  EXPECT_CUDA(cuGraphLaunch(exec, first));
  EXPECT_CUDA(cuMemsetD8Async(a, 0, bytes, second));
  EXPECT_CUDA(cuStreamSynchronize(first));
  EXPECT_FAULT(cuStreamSynchronize(second), CUDA_ERROR_LAUNCH_FAILED,
               "missing wait: fill of 256 bytes");
}

TEST_F(GraphCaptureTest, TheHostMayNotWait) {
  start();
  begin();
  EXPECT_FAULT(cuStreamSynchronize(first),
               CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
               "found a wait of the host on a stream that takes part during a "
               "capture");
  EXPECT_FAULT(cuMemsetD8Async(a, 0, bytes, first),
               CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "a wait of the host");
  expectSpoilt();
}

TEST_F(GraphCaptureTest, NothingIsAllocated) {
  start();
  CUdeviceptr address = 0;
  void *pointer = nullptr;
  begin();
  EXPECT_FAULT(cuMemAlloc(&address, bytes),
               CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "a device allocation");
  expectSpoilt();
  begin();
  EXPECT_FAULT(cuMemHostAlloc(&pointer, bytes, 0),
               CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "a host allocation");
  expectSpoilt();
  begin();
  EXPECT_FAULT(cuMemAllocAsync(&address, bytes, first),
               CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
               "a stream-ordered allocation");
  expectSpoilt();
  begin();
  EXPECT_FAULT(cuMemFreeAsync(a, first), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
               "a stream-ordered free");
  expectSpoilt();
  begin(CU_STREAM_CAPTURE_MODE_RELAXED);
  EXPECT_CUDA(cuMemAlloc(&address, bytes));
  EXPECT_CUDA(cuMemFree(address));
  end();
  begin(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  std::thread([&] {
    EXPECT_CUDA(cuCtxSetCurrent(context));
    EXPECT_CUDA(cuMemAlloc(&address, bytes));
  }).join();
  EXPECT_FAULT(cuMemFree(address), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
               "a free of device memory");
  expectSpoilt();
}

TEST_F(GraphCaptureTest, ForkedStreamsMustBeJoined) {
  start();
  begin();
  order(first, second);
  EXPECT_CUDA(cuMemsetD8Async(a, 0, bytes, second));
  CUgraph graph = nullptr;
  EXPECT_FAULT(cuStreamEndCapture(first, &graph),
               CUDA_ERROR_STREAM_CAPTURE_UNJOINED,
               "found fill of 256 bytes, which the capturing stream does not "
               "wait for before the capture ends");
}

TEST_F(GraphCaptureTest, CapturesEndWhereTheyBegan) {
  start();
  CUgraph graph = nullptr;
  EXPECT_FAULT(cuStreamEndCapture(first, &graph), CUDA_ERROR_ILLEGAL_STATE,
               "found a stream that is not capturing");
  begin();
  EXPECT_FAULT(cuStreamBeginCapture(first, CU_STREAM_CAPTURE_MODE_GLOBAL),
               CUDA_ERROR_ILLEGAL_STATE, "found a stream that is capturing");
  std::thread([&] {
    EXPECT_CUDA(cuCtxSetCurrent(context));
    EXPECT_FAULT(cuStreamEndCapture(first, &graph),
                 CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, "another thread");
  }).join();
  order(first, second);
  EXPECT_FAULT(cuStreamEndCapture(second, &graph),
               CUDA_ERROR_STREAM_CAPTURE_UNMATCHED,
               "an end on another stream than that of the begin");
  expectSpoilt();
  EXPECT_FAULT(cuStreamBeginCapture(nullptr, CU_STREAM_CAPTURE_MODE_GLOBAL),
               CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "the default stream");
}

TEST_F(GraphCaptureTest, DependenciesDoNotCrossTheBorder) {
  start();
  CUevent outside = makeEvent(), inside = makeEvent();
  EXPECT_CUDA(cuEventRecord(outside, second));
  begin();
  EXPECT_FAULT(cuStreamWaitEvent(first, outside, 0),
               CUDA_ERROR_STREAM_CAPTURE_ISOLATION, "recorded outside");
  expectSpoilt();

  begin();
  EXPECT_CUDA(cuEventRecord(inside, first));
  EXPECT_FAULT(cuEventSynchronize(inside), CUDA_ERROR_CAPTURED_EVENT,
               "whose last record was captured");
  expectSpoilt();
  EXPECT_FAULT(cuStreamWaitEvent(second, inside, 0), CUDA_ERROR_INVALID_VALUE,
               "recorded in a capture that has ended");

  begin();
  EXPECT_CUDA(cuEventRecord(inside, first));
  EXPECT_CUDA(cuStreamBeginCapture(second, CU_STREAM_CAPTURE_MODE_GLOBAL));
  EXPECT_FAULT(cuStreamWaitEvent(second, inside, 0),
               CUDA_ERROR_STREAM_CAPTURE_MERGE,
               "a wait for an event of another capture");
  expectSpoilt();
}

TEST_F(GraphCaptureTest, TheDefaultStreamMayNotWait) {
  start();
  CUstream blocking = nullptr;
  EXPECT_CUDA(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
  EXPECT_CUDA(cuStreamBeginCapture(blocking, CU_STREAM_CAPTURE_MODE_GLOBAL));
  EXPECT_FAULT(cuMemsetD8Async(a, 0, bytes, nullptr),
               CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "the default stream");
  CUgraph graph = nullptr;
  EXPECT_FAULT(cuStreamEndCapture(blocking, &graph),
               CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "the default stream");
}

TEST_F(GraphCaptureTest, TheDefaultStreamMayNotJoin) {
  start();
  begin();
  CUevent inside = makeEvent();
  EXPECT_CUDA(cuEventRecord(inside, first));
  EXPECT_FAULT(cuStreamWaitEvent(nullptr, inside, 0),
               CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
               "a wait of the default stream");
  expectSpoilt();
}

TEST_F(GraphCaptureTest, GraphsAreNotNested) {
  start();
  begin();
  CUgraphExec exec = end();
  begin();
  EXPECT_FAULT(cuGraphLaunch(exec, first),
               CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "a launch of a graph");
  expectSpoilt();
  begin();
  CUgraph graph = nullptr;
  EXPECT_CUDA(cuStreamEndCapture(first, &graph));
  EXPECT_FAULT(cuGraphInstantiate(&exec, graph, 1), CUDA_ERROR_NOT_SUPPORTED,
               "found flags 1, expected 0");
  EXPECT_CUDA(cuGraphDestroy(graph));
  EXPECT_FAULT(cuGraphInstantiate(&exec, graph, 0), CUDA_ERROR_INVALID_HANDLE,
               "found a graph that is destroyed");
}

TEST_F(GraphCaptureTest, StreamsThatCaptureMustLive) {
  start();
  begin();
  order(first, second);
  EXPECT_CUDA(cuStreamDestroy(second));
  CUgraph graph = nullptr;
  EXPECT_FAULT(cuStreamEndCapture(first, &graph),
               CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
               "the capture is spoilt by the end of one of its streams");
}

TEST_F(GraphCaptureTest, KernelsOfUnloadedModulesFail) {
  start();
  CUmodule module = load(testKernels);
  CUfunction function = find(module, "fixed");
  begin();
  EXPECT_CUDA(launch(function, 1, 64, first, a));
  CUgraphExec exec = end();
  EXPECT_CUDA(cuModuleUnload(module));
  EXPECT_CUDA(cuGraphLaunch(exec, first));
  EXPECT_FAULT(cuStreamSynchronize(first), CUDA_ERROR_LAUNCH_FAILED,
               "kernel 'fixed': its module is unloaded");
}

} // namespace
