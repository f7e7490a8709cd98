//===- CublasLtGemm.cpp - Matrix products by cuBLASLt ---------------------===//

#include "ColumnMajorGemm.h"
#include "CublasLt.h"
#include "GemmLibrary.h"
#include "Memory.h"

#include "graphrt/ElementType.h"

#include <algorithm>
#include <map>
#include <optional>

using namespace graphrt;
using namespace graphrt::cuda;

namespace {

/// What allocations are aligned to, at least.
constexpr uint64_t allocationAlignment = 256;
/// Enough for the fastest algorithms of today's devices.
constexpr uint64_t workspaceBytes = 32 << 20;

/// An object of the library, destroyed with its owner.
template <typename T, cublasStatus_t (*CublasLt::*destroy)(T)>
class Descriptor {
public:
  Descriptor() = default;
  Descriptor(const Descriptor &) = delete;
  ~Descriptor() {
    if (object)
      (library->*destroy)(object);
  }
  T *receive(const CublasLt &from) {
    library = &from;
    return &object;
  }
  T get() const { return object; }

private:
  const CublasLt *library = nullptr;
  T object = nullptr;
};

using MatmulDescriptor =
    Descriptor<cublasLtMatmulDesc_t, &CublasLt::cublasLtMatmulDescDestroy>;
using LayoutDescriptor =
    Descriptor<cublasLtMatrixLayout_t, &CublasLt::cublasLtMatrixLayoutDestroy>;
using Preference = Descriptor<cublasLtMatmulPreference_t,
                              &CublasLt::cublasLtMatmulPreferenceDestroy>;

/// Types of the elements and of the sum, which f32 products never narrow.
struct Types {
  cudaDataType_t element;
  cublasComputeType_t compute;
  cudaDataType_t scale;
};

std::optional<Types> typesOf(fb::ElementType type) {
  switch (type) {
  case fb::ElementType::f64:
    return Types{CUDA_R_64F, CUBLAS_COMPUTE_64F, CUDA_R_64F};
  case fb::ElementType::f32:
    return Types{CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F};
  case fb::ElementType::bf16:
    return Types{CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F};
  case fb::ElementType::f16:
    return Types{CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F};
  default:
    return std::nullopt;
  }
}

/// The library's name of an epilogue of a product whose operands are exchanged,
/// so that n counts its rows.
cublasLtEpilogue_t epilogueOf(const fb::Gemm &gemm) {
  bool hasAuxiliary = gemm.auxiliary();
  switch (gemm.epilogue()) {
  case fb::Epilogue::none:
    return CUBLASLT_EPILOGUE_DEFAULT;
  case fb::Epilogue::bias:
    return CUBLASLT_EPILOGUE_BIAS;
  case fb::Epilogue::relu:
    return CUBLASLT_EPILOGUE_RELU;
  case fb::Epilogue::relu_bias:
    return CUBLASLT_EPILOGUE_RELU_BIAS;
  case fb::Epilogue::gelu:
    return hasAuxiliary ? CUBLASLT_EPILOGUE_GELU_AUX : CUBLASLT_EPILOGUE_GELU;
  case fb::Epilogue::gelu_bias:
    return hasAuxiliary ? CUBLASLT_EPILOGUE_GELU_AUX_BIAS
                        : CUBLASLT_EPILOGUE_GELU_BIAS;
  case fb::Epilogue::dgelu:
    return CUBLASLT_EPILOGUE_DGELU;
  case fb::Epilogue::bgrad_a:
    return CUBLASLT_EPILOGUE_BGRADB;
  case fb::Epilogue::bgrad_b:
    return CUBLASLT_EPILOGUE_BGRADA;
  }
  __builtin_unreachable();
}

/// How the library computes one product.
struct Plan {
  explicit Plan(const fb::Gemm &gemm) : problem(gemm) {}

  ColumnMajorGemm problem;
  Types types;
  MatmulDescriptor operation;
  LayoutDescriptor a, b, c;
  cublasLtMatmulAlgo_t algorithm;
};

class CublasLtGemm final : public GemmLibrary {
public:
  CublasLtGemm(const CublasLt &library, cublasLtHandle_t handle,
               DeviceMemory workspace)
      : library(library), handle(handle), workspace(std::move(workspace)) {}
  ~CublasLtGemm() override {
    plans.clear();
    library.cublasLtDestroy(handle);
  }

  bool supports(const fb::Gemm &gemm) override {
    return planFor(gemm) != nullptr;
  }
  Status enqueue(const fb::Gemm &gemm, const rt::Bindings &bindings,
                 CUstream stream) override;

private:
  const Plan *planFor(const fb::Gemm &gemm);
  std::unique_ptr<Plan> makePlan(const fb::Gemm &gemm);
  bool describe(const ColumnMajorMatrix &matrix, int64_t batch,
                cudaDataType_t type, LayoutDescriptor &layout);
  bool describeOperation(const fb::Gemm &gemm, Plan &plan);
  bool chooseAlgorithm(Plan &plan);
  Status runBatch(const Plan &plan, const char *a, const char *b, char *c,
                  CUstream stream);

  template <typename T>
  bool set(const MatmulDescriptor &operation,
           cublasLtMatmulDescAttributes_t attribute, const T &value) const {
    return library.cublasLtMatmulDescSetAttribute(operation.get(), attribute,
                                                  &value, sizeof(value)) ==
           CUBLAS_STATUS_SUCCESS;
  }

  const CublasLt &library;
  cublasLtHandle_t handle;
  DeviceMemory workspace;
  /// Null for products that the library does not compute.
  std::map<const fb::Gemm *, std::unique_ptr<Plan>> plans;
};

bool CublasLtGemm::describe(const ColumnMajorMatrix &matrix, int64_t batch,
                            cudaDataType_t type, LayoutDescriptor &layout) {
  if (library.cublasLtMatrixLayoutCreate(layout.receive(library), type,
                                         matrix.rows, matrix.columns,
                                         matrix.leadingDimension))
    return false;
  int32_t count = batch;
  return count == batch &&
         !library.cublasLtMatrixLayoutSetAttribute(
             layout.get(), CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count,
             sizeof(count)) &&
         !library.cublasLtMatrixLayoutSetAttribute(
             layout.get(), CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
             &matrix.batchStride, sizeof(matrix.batchStride));
}

bool CublasLtGemm::describeOperation(const fb::Gemm &gemm, Plan &plan) {
  if (library.cublasLtMatmulDescCreate(plan.operation.receive(library),
                                       plan.types.compute, plan.types.scale))
    return false;
  auto operation = [](const ColumnMajorMatrix &matrix) -> int32_t {
    return matrix.isTransposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  };
  const ColumnMajorGemm &problem = plan.problem;
  uint32_t epilogue = epilogueOf(gemm);
  if (!set(plan.operation, CUBLASLT_MATMUL_DESC_TRANSA, operation(problem.a)) ||
      !set(plan.operation, CUBLASLT_MATMUL_DESC_TRANSB, operation(problem.b)) ||
      !set(plan.operation, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue))
    return false;
  // The heuristic looks at the alignment of addresses alone.
  auto placeholder = [](const fb::Buffer &buffer) {
    return reinterpret_cast<void *>(allocationAlignment +
                                    buffer.offset() % allocationAlignment);
  };
  if (gemm.bias() && !set(plan.operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER,
                          placeholder(*gemm.bias())))
    return false;
  int64_t stride = gemm.auxiliary_stride();
  return !gemm.auxiliary() ||
         (set(plan.operation, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER,
              placeholder(*gemm.auxiliary())) &&
          set(plan.operation, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, stride));
}

bool CublasLtGemm::chooseAlgorithm(Plan &plan) {
  Preference preference;
  if (library.cublasLtMatmulPreferenceCreate(preference.receive(library)))
    return false;
  auto prefer = [&](cublasLtMatmulPreferenceAttributes_t attribute,
                    auto value) {
    return library.cublasLtMatmulPreferenceSetAttribute(
               preference.get(), attribute, &value, sizeof(value)) ==
           CUBLAS_STATUS_SUCCESS;
  };
  uint64_t size = plan.types.element == CUDA_R_64F   ? 8
                  : plan.types.element == CUDA_R_32F ? 4
                                                     : 2;
  // Of the first matrix, and of those that the outer dimensions step to.
  auto alignment = [&](const ColumnMajorMatrix &matrix,
                       int operand) -> uint32_t {
    uint64_t bits = matrix.buffer->offset() | allocationAlignment;
    for (const OuterDimension &dimension : plan.problem.outer)
      bits |= dimension.strides[operand] * size;
    return bits & -bits;
  };
  uint32_t alignmentOfC = alignment(plan.problem.c, 2);
  // Partial sums are kept in the type of the sum: results are rounded once.
  uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
  if (!prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspaceBytes) ||
      !prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, reductions) ||
      !prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
              alignment(plan.problem.a, 0)) ||
      !prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
              alignment(plan.problem.b, 1)) ||
      !prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignmentOfC) ||
      !prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignmentOfC))
    return false;
  cublasLtMatmulHeuristicResult_t result;
  int found = 0;
  if (library.cublasLtMatmulAlgoGetHeuristic(
          handle, plan.operation.get(), plan.a.get(), plan.b.get(),
          plan.c.get(), plan.c.get(), preference.get(), 1, &result, &found) ||
      found == 0 || result.state != CUBLAS_STATUS_SUCCESS)
    return false;
  plan.algorithm = result.algo;
  return true;
}

std::unique_ptr<Plan> CublasLtGemm::makePlan(const fb::Gemm &gemm) {
  std::optional<Types> types = typesOf(gemm.element_type());
  if (!types)
    return nullptr;
  bool isEmpty = gemm.m() == 0 || gemm.n() == 0 || gemm.k() == 0;
  for (size_t d = 0; gemm.batch() && d < gemm.batch()->size(); ++d)
    isEmpty |= gemm.batch()->Get(d) == 0;
  if (isEmpty)
    return nullptr;
  auto plan = std::make_unique<Plan>(gemm);
  plan->types = *types;
  const ColumnMajorGemm &problem = plan->problem;
  // The library's epilogues work along the rows of its result.
  if (gemm.epilogue() != fb::Epilogue::none && !problem.isExchanged)
    return nullptr;
  if (!describe(problem.a, problem.batch, types->element, plan->a) ||
      !describe(problem.b, problem.batch, types->element, plan->b) ||
      !describe(problem.c, problem.batch, types->element, plan->c) ||
      !describeOperation(gemm, *plan) || !chooseAlgorithm(*plan))
    return nullptr;
  return plan;
}

const Plan *CublasLtGemm::planFor(const fb::Gemm &gemm) {
  auto [entry, isNew] = plans.try_emplace(&gemm);
  if (isNew)
    entry->second = makePlan(gemm);
  return entry->second.get();
}

Status CublasLtGemm::enqueue(const fb::Gemm &gemm, const rt::Bindings &bindings,
                             CUstream stream) {
  const Plan &plan = *planFor(gemm);
  const ColumnMajorGemm &problem = plan.problem;
  // The addresses of the epilogue are part of the description.
  if (gemm.bias())
    set(plan.operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER,
        bindings.resolve(*gemm.bias()));
  if (gemm.auxiliary())
    set(plan.operation, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER,
        bindings.resolve(*gemm.auxiliary()));
  int64_t size = byteSize(static_cast<ElementType>(gemm.element_type()));
  std::vector<int64_t> index(problem.outer.size());
  while (true) {
    int64_t offsets[3] = {0, 0, 0};
    for (size_t d = 0; d < index.size(); ++d)
      for (int i = 0; i < 3; ++i)
        offsets[i] += index[d] * problem.outer[d].strides[i] * size;
    if (Status status =
            runBatch(plan, bindings.resolve(*problem.a.buffer) + offsets[0],
                     bindings.resolve(*problem.b.buffer) + offsets[1],
                     bindings.resolve(*problem.c.buffer) + offsets[2], stream))
      return status;
    // The next index, innermost fastest.
    size_t d = index.size();
    while (d > 0 && ++index[d - 1] == problem.outer[d - 1].extent)
      index[--d] = 0;
    if (d == 0)
      return {};
  }
}

Status CublasLtGemm::runBatch(const Plan &plan, const char *a, const char *b,
                              char *c, CUstream stream) {
  const double one = 1, zero = 0;
  const float oneSingle = 1, zeroSingle = 0;
  bool isDouble = plan.types.scale == CUDA_R_64F;
  const void *alpha = &oneSingle, *beta = &zeroSingle;
  if (isDouble) {
    alpha = &one;
    beta = &zero;
  }
  return library.check(
      library.cublasLtMatmul(handle, plan.operation.get(), alpha, a,
                             plan.a.get(), b, plan.b.get(), beta, c,
                             plan.c.get(), c, plan.c.get(), &plan.algorithm,
                             workspace.data(), workspaceBytes, stream),
      "compute a matrix product");
}

} // namespace

Expected<std::unique_ptr<GemmLibrary>>
graphrt::cuda::openCublasLt(const Context &context, CUstream stream) {
  const CublasLt *library = CublasLt::get();
  if (!library)
    return std::unique_ptr<GemmLibrary>();
  Expected<DeviceMemory> workspace = DeviceMemory::allocate(
      context, stream, workspaceBytes, "the workspace of cuBLASLt");
  if (!workspace)
    return workspace.failure();
  cublasLtHandle_t handle = nullptr;
  Status status =
      library->check(library->cublasLtCreate(&handle), "open cuBLASLt");
  if (status) {
    status.failure().message += "; GRAPHRT_CUBLASLT=off does without it";
    return status.failure();
  }
  return std::unique_ptr<GemmLibrary>(
      new CublasLtGemm(*library, handle, std::move(*workspace)));
}
