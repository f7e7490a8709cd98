//===- FakeCublasLt.cpp - cuBLASLt for tests ------------------------------===//
//
// The library's functions on host memory, one element at a time: products of
// f32 and f64 in column-major strided batches, and the epilogues with a bias or
// relu. It claims to compute nothing else.
//
//===----------------------------------------------------------------------===//

#include <cublasLt.h>

#include <cstring>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

struct Layout {
  cudaDataType_t type;
  uint64_t rows, columns;
  int64_t leadingDimension;
  int32_t batch = 1;
  int64_t batchStride = 0;
};

struct Operation {
  cublasComputeType_t compute;
  int32_t transposeA = CUBLAS_OP_N, transposeB = CUBLAS_OP_N;
  uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  void *bias = nullptr, *auxiliary = nullptr;
  int64_t auxiliaryStride = 0;
};

const Layout &view(cublasLtMatrixLayout_t layout) {
  return *reinterpret_cast<const Layout *>(layout);
}

/// Whether the extents of the three layouts fit each other.
bool fits(const Operation &operation, const Layout &a, const Layout &b,
          const Layout &c) {
  uint64_t m = a.rows, k = a.columns, n = b.columns, otherK = b.rows;
  if (operation.transposeA == CUBLAS_OP_T)
    std::swap(m, k);
  if (operation.transposeB == CUBLAS_OP_T)
    std::swap(n, otherK);
  for (const Layout *layout : {&a, &b, &c})
    if (layout->leadingDimension < int64_t(layout->rows) ||
        layout->batch != c.batch)
      return false;
  return m == c.rows && n == c.columns && k == otherK;
}

template <typename T>
void multiply(const Operation &operation, const Layout &la, const T *a,
              const Layout &lb, const T *b, const Layout &lc, T *c) {
  bool transposeA = operation.transposeA == CUBLAS_OP_T;
  bool transposeB = operation.transposeB == CUBLAS_OP_T;
  uint64_t depth = transposeA ? la.rows : la.columns;
  for (uint64_t j = 0; j < lc.columns; ++j)
    for (uint64_t i = 0; i < lc.rows; ++i) {
      T sum = 0;
      for (uint64_t k = 0; k < depth; ++k) {
        T left = transposeA ? a[k + i * la.leadingDimension]
                            : a[i + k * la.leadingDimension];
        T right = transposeB ? b[j + k * lb.leadingDimension]
                             : b[k + j * lb.leadingDimension];
        sum += left * right;
      }
      if (operation.epilogue & CUBLASLT_EPILOGUE_BIAS)
        sum += static_cast<const T *>(operation.bias)[i];
      if (operation.epilogue & CUBLASLT_EPILOGUE_RELU) {
        if (operation.auxiliary) {
          uint64_t bit = j * operation.auxiliaryStride + i;
          auto *mask = static_cast<uint8_t *>(operation.auxiliary);
          mask[bit / 8] &= ~(1 << bit % 8);
          mask[bit / 8] |= (sum > 0) << bit % 8;
        }
        sum = sum > 0 ? sum : 0;
      }
      c[i + j * lc.leadingDimension] = sum;
    }
}

} // namespace

EXPORT cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle) {
  *handle = reinterpret_cast<cublasLtHandle_t>(new char);
  return CUBLAS_STATUS_SUCCESS;
}
EXPORT cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  delete reinterpret_cast<char *>(handle);
  return CUBLAS_STATUS_SUCCESS;
}
EXPORT const char *cublasLtGetStatusName(cublasStatus_t) {
  return "CUBLAS_STATUS_FAKE";
}

EXPORT cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout,
                                                 cudaDataType type,
                                                 uint64_t rows,
                                                 uint64_t columns,
                                                 int64_t leadingDimension) {
  *layout = reinterpret_cast<cublasLtMatrixLayout_t>(
      new Layout{type, rows, columns, leadingDimension});
  return CUBLAS_STATUS_SUCCESS;
}
EXPORT cublasStatus_t
cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete reinterpret_cast<Layout *>(layout);
  return CUBLAS_STATUS_SUCCESS;
}
EXPORT cublasStatus_t cublasLtMatrixLayoutSetAttribute(
    cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute,
    const void *value, size_t size) {
  auto *target = reinterpret_cast<Layout *>(layout);
  if (attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT)
    std::memcpy(&target->batch, value, size);
  else if (attribute == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET)
    std::memcpy(&target->batchStride, value, size);
  else
    return CUBLAS_STATUS_INVALID_VALUE;
  return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *operation,
                                               cublasComputeType_t compute,
                                               cudaDataType_t) {
  *operation = reinterpret_cast<cublasLtMatmulDesc_t>(new Operation{compute});
  return CUBLAS_STATUS_SUCCESS;
}
EXPORT cublasStatus_t
cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t operation) {
  delete reinterpret_cast<Operation *>(operation);
  return CUBLAS_STATUS_SUCCESS;
}
EXPORT cublasStatus_t cublasLtMatmulDescSetAttribute(
    cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t attribute,
    const void *value, size_t size) {
  auto *target = reinterpret_cast<Operation *>(operation);
  void *field = nullptr;
  switch (attribute) {
  case CUBLASLT_MATMUL_DESC_TRANSA:
    field = &target->transposeA;
    break;
  case CUBLASLT_MATMUL_DESC_TRANSB:
    field = &target->transposeB;
    break;
  case CUBLASLT_MATMUL_DESC_EPILOGUE:
    field = &target->epilogue;
    break;
  case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
    field = &target->bias;
    break;
  case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER:
    field = &target->auxiliary;
    break;
  case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD:
    field = &target->auxiliaryStride;
    break;
  default:
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  std::memcpy(field, value, size);
  return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasStatus_t
cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference) {
  *preference = reinterpret_cast<cublasLtMatmulPreference_t>(new char);
  return CUBLAS_STATUS_SUCCESS;
}
EXPORT cublasStatus_t
cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  delete reinterpret_cast<char *>(preference);
  return CUBLAS_STATUS_SUCCESS;
}
EXPORT cublasStatus_t cublasLtMatmulPreferenceSetAttribute(
    cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t,
    const void *, size_t) {
  return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t, cublasLtMatmulDesc_t operation, cublasLtMatrixLayout_t a,
    cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t,
    cublasLtMatmulPreference_t, int, cublasLtMatmulHeuristicResult_t *result,
    int *count) {
  const auto &described = *reinterpret_cast<Operation *>(operation);
  constexpr uint32_t known =
      CUBLASLT_EPILOGUE_RELU_AUX_BIAS | CUBLASLT_EPILOGUE_DEFAULT;
  cudaDataType_t type = view(c).type;
  *count = 0;
  if (!fits(described, view(a), view(b), view(c)))
    return CUBLAS_STATUS_INVALID_VALUE;
  if ((type != CUDA_R_32F && type != CUDA_R_64F) ||
      (described.epilogue & ~known))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  *count = 1;
  *result = {};
  result->state = CUBLAS_STATUS_SUCCESS;
  return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasStatus_t
cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t operation, const void *,
               const void *a, cublasLtMatrixLayout_t aLayout, const void *b,
               cublasLtMatrixLayout_t bLayout, const void *, const void *,
               cublasLtMatrixLayout_t cLayout, void *c, cublasLtMatrixLayout_t,
               const cublasLtMatmulAlgo_t *, void *, size_t, cudaStream_t) {
  const auto &described = *reinterpret_cast<Operation *>(operation);
  const Layout &la = view(aLayout), &lb = view(bLayout), &lc = view(cLayout);
  auto run = [&]<typename T>(T *to) {
    for (int64_t i = 0; i < lc.batch; ++i)
      multiply(described, la, static_cast<const T *>(a) + i * la.batchStride,
               lb, static_cast<const T *>(b) + i * lb.batchStride, lc,
               to + i * lc.batchStride);
  };
  if (lc.type == CUDA_R_64F)
    run(static_cast<double *>(c));
  else
    run(static_cast<float *>(c));
  return CUBLAS_STATUS_SUCCESS;
}
