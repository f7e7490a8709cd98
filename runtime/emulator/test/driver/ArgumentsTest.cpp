//===- ArgumentsTest.cpp - Calls that lack what they need -----------------===//

#include "DriverTest.h"

using namespace graphrt::test;

namespace {

class ArgumentsTest : public DriverTest {};

#define EXPECT_NULL(call, what)                                                \
  EXPECT_FAULT(call, CUDA_ERROR_INVALID_VALUE,                                 \
               "found a null pointer, expected " what)

TEST_F(ArgumentsTest, NullPointersAreNamed) {
  start();
  CUstream stream = makeStream();
  CUevent event = makeEvent();
  CUmodule module = load(testKernels);
  CUfunction twice = find(module, "twice");
  EXPECT_NULL(cuDeviceGet(nullptr, 0), "room for the result");
  EXPECT_NULL(cuDeviceGetCount(nullptr), "room for a number");
  EXPECT_NULL(cuMemAlloc(nullptr, 4), "room for an address");
  EXPECT_NULL(cuMemAllocAsync(nullptr, 4, stream), "room for an address");
  EXPECT_NULL(cuMemHostAlloc(nullptr, 4, 0), "room for an address");
  EXPECT_NULL(cuMemGetInfo(nullptr, nullptr), "room for a size");
  CUmemoryPool pool = nullptr;
  EXPECT_CUDA(cuDeviceGetDefaultMemPool(&pool, 0));
  EXPECT_NULL(
      cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, nullptr),
      "a value");
  EXPECT_NULL(cuModuleLoadDataEx(&module, nullptr, 0, nullptr, nullptr),
              "a module's text and room for it");
  EXPECT_NULL(cuModuleGetFunction(nullptr, module, "twice"),
              "a name and room for a function");
  EXPECT_NULL(cuFuncGetAttribute(nullptr, CU_FUNC_ATTRIBUTE_NUM_REGS, twice),
              "room for a value");
  EXPECT_NULL(cuStreamCreate(nullptr, 0), "room for a stream");
  EXPECT_NULL(cuStreamEndCapture(stream, nullptr), "room for a graph");
  EXPECT_NULL(cuEventCreate(nullptr, 0), "room for an event");
  EXPECT_NULL(cuEventElapsedTime(nullptr, event, event), "room for a time");
  EXPECT_CUDA(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  CUgraph graph = nullptr;
  EXPECT_CUDA(cuStreamEndCapture(stream, &graph));
  EXPECT_NULL(cuGraphInstantiate(nullptr, graph, 0),
              "room for an executable graph");
}

TEST_F(ArgumentsTest, AContextMustBeCurrent) {
  ASSERT_CUDA(cuInit(0));
  ASSERT_CUDA(cuCtxSetCurrent(nullptr));
  CUdeviceptr address = 0;
  EXPECT_FAULT(cuMemAlloc(&address, 4), CUDA_ERROR_INVALID_CONTEXT,
               "this thread has no current context");
}

TEST_F(ArgumentsTest, TargetsAreNamed) {
  start();
  CUmodule module = nullptr;
  EXPECT_FAULT(cuModuleLoadDataEx(&module,
                                  ".version 8.0\n.target compute_90\n"
                                  ".address_size 64\n",
                                  0, nullptr, nullptr),
               CUDA_ERROR_INVALID_PTX,
               "found .target compute_90, expected sm_<N>");
}

TEST_F(ArgumentsTest, TensorMapsAreAligned) {
  start();
  CUtensorMap maps[2];
  auto *skewed = reinterpret_cast<CUtensorMap *>(
      reinterpret_cast<char *>(maps) + sizeof(CUtensorMap) / 4);
  cuuint64_t extent = 64;
  cuuint32_t box = 64, step = 1;
  EXPECT_FAULT(cuTensorMapEncodeTiled(
                   skewed, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 1,
                   reinterpret_cast<void *>(allocate(256)), &extent, nullptr,
                   &box, &step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                   CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
               CUDA_ERROR_INVALID_VALUE, "found a tensor map at",
               "expected an address aligned to 64 bytes");
}

} // namespace
