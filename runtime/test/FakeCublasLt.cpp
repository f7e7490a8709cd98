//===- FakeCublasLt.cpp - cuBLASLt for tests ------------------------------===//
//
// The library's functions on host memory, one element at a time: products of
// f32 and f64 in column-major strided batches, and the epilogues that programs
// may ask for. It claims to compute nothing else.
//
//===----------------------------------------------------------------------===//

#include <cublasLt.h>

#include <cmath>
#include <cstring>
#include <numbers>

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

bool isKnown(uint32_t epilogue) {
  switch (epilogue) {
  case CUBLASLT_EPILOGUE_DEFAULT:
  case CUBLASLT_EPILOGUE_BIAS:
  case CUBLASLT_EPILOGUE_RELU:
  case CUBLASLT_EPILOGUE_RELU_BIAS:
  case CUBLASLT_EPILOGUE_GELU:
  case CUBLASLT_EPILOGUE_GELU_AUX:
  case CUBLASLT_EPILOGUE_GELU_BIAS:
  case CUBLASLT_EPILOGUE_GELU_AUX_BIAS:
  case CUBLASLT_EPILOGUE_DGELU:
  case CUBLASLT_EPILOGUE_BGRADA:
  case CUBLASLT_EPILOGUE_BGRADB:
    return true;
  default:
    return false;
  }
}

/// The tanh of gelu and its derivative.
double tanhOf(double x) {
  return std::tanh(std::sqrt(2 / std::numbers::pi) *
                   (x + 0.044715 * x * x * x));
}
double gelu(double x) { return 0.5 * x * (1 + tanhOf(x)); }
double geluDerivative(double x) {
  double t = tanhOf(x);
  double inner = std::sqrt(2 / std::numbers::pi) * (1 + 3 * 0.044715 * x * x);
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * inner;
}

/// What becomes of the sum in row i and column j. The matrix that belongs to
/// gelu has the layout of c, with a stride of its own.
template <typename T>
T finish(const Operation &operation, T sum, uint64_t i, uint64_t j) {
  if (operation.epilogue & CUBLASLT_EPILOGUE_BIAS)
    sum += static_cast<const T *>(operation.bias)[i];
  T *auxiliary = static_cast<T *>(operation.auxiliary);
  if (auxiliary)
    auxiliary += j * operation.auxiliaryStride + i;
  if (operation.epilogue == CUBLASLT_EPILOGUE_DGELU)
    return sum * geluDerivative(*auxiliary);
  if (operation.epilogue & CUBLASLT_EPILOGUE_RELU)
    return sum > 0 ? sum : 0;
  if (!(operation.epilogue & CUBLASLT_EPILOGUE_GELU))
    return sum;
  if (auxiliary)
    *auxiliary = sum;
  return gelu(sum);
}

template <typename T>
void multiply(const Operation &operation, const Layout &la, const T *a,
              const Layout &lb, const T *b, const Layout &lc, T *c) {
  bool transposeA = operation.transposeA == CUBLAS_OP_T;
  bool transposeB = operation.transposeB == CUBLAS_OP_T;
  uint64_t depth = transposeA ? la.rows : la.columns;
  auto getLeft = [&](uint64_t i, uint64_t k) {
    return transposeA ? a[k + i * la.leadingDimension]
                      : a[i + k * la.leadingDimension];
  };
  auto getRight = [&](uint64_t k, uint64_t j) {
    return transposeB ? b[j + k * lb.leadingDimension]
                      : b[k + j * lb.leadingDimension];
  };
  auto sumUp = [&](auto element) {
    T sum = 0;
    for (uint64_t k = 0; k < depth; ++k)
      sum += element(k);
    return sum;
  };
  T *gradient = static_cast<T *>(operation.bias);
  if (operation.epilogue == CUBLASLT_EPILOGUE_BGRADA)
    for (uint64_t i = 0; i < lc.rows; ++i)
      gradient[i] = sumUp([&](uint64_t k) { return getLeft(i, k); });
  if (operation.epilogue == CUBLASLT_EPILOGUE_BGRADB)
    for (uint64_t j = 0; j < lc.columns; ++j)
      gradient[j] = sumUp([&](uint64_t k) { return getRight(k, j); });
  for (uint64_t j = 0; j < lc.columns; ++j)
    for (uint64_t i = 0; i < lc.rows; ++i) {
      T sum = sumUp([&](uint64_t k) { return getLeft(i, k) * getRight(k, j); });
      c[i + j * lc.leadingDimension] = finish(operation, sum, i, j);
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
  cudaDataType_t type = view(c).type;
  *count = 0;
  if (!fits(described, view(a), view(b), view(c)))
    return CUBLAS_STATUS_INVALID_VALUE;
  if ((type != CUDA_R_32F && type != CUDA_R_64F) ||
      !isKnown(described.epilogue))
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
