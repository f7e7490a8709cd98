//===- Gemm.cpp - Matrix products on the CPU ------------------------------===//

#include "Gemm.h"
#include "GemmKernel.h"

#include "graphrt/ElementType.h"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

using namespace graphrt;
using namespace graphrt::cpu;

namespace {

struct Operand {
  char *data;
  int64_t rowStride, columnStride;
  const flatbuffers::Vector<int64_t> *batchStrides;

  Operand(const void *data, const fb::Matrix &matrix)
      : data(static_cast<char *>(const_cast<void *>(data))),
        rowStride(matrix.row_stride()), columnStride(matrix.column_stride()),
        batchStrides(matrix.batch_strides()) {}

  void transpose() { std::swap(rowStride, columnStride); }

  /// Gives dimensions of extent 1, whose stride means nothing, a stride that
  /// makes the matrix row-major or column-major in the library's sense.
  void normalize(int64_t rows, int64_t columns) {
    bool isRowMajor = (columns == 1 || columnStride == 1) &&
                      (rows == 1 || rowStride >= columns);
    if (isRowMajor) {
      columnStride = 1;
      rowStride = rows == 1 ? std::max<int64_t>(columns, 1) : rowStride;
    } else {
      rowStride = 1;
      columnStride = columns == 1 ? std::max<int64_t>(rows, 1) : columnStride;
    }
  }
};

/// A product with a row-major result, cut into blocks.
struct Plan {
  Operand a, b, c;
  int64_t m, n, k;
  const flatbuffers::Vector<int64_t> *batch;
  int64_t batches = 1;
  /// Extents of one block of c, and their numbers.
  int64_t blockM, blockN, blocksM, blocksN;

  Plan(const fb::Gemm &gemm, const void *aData, const void *bData, void *cData)
      : a(aData, *gemm.a()), b(bData, *gemm.b()), c(cData, *gemm.c()),
        m(gemm.m()), n(gemm.n()), k(gemm.k()), batch(gemm.batch()) {
    for (size_t d = 0; batch && d < batch->size(); ++d)
      batches *= batch->Get(d);
    if (isEmpty())
      return;
    c.normalize(m, n);
    if (c.columnStride != 1) {
      std::swap(a, b);
      std::swap(m, n);
      for (Operand *operand : {&a, &b, &c})
        operand->transpose();
    }
    if (k > 0) {
      a.normalize(m, k);
      b.normalize(k, n);
    }
    chooseBlocks();
  }

  bool isEmpty() const { return m == 0 || n == 0 || batches == 0; }
  int64_t blocks() const { return batches * blocksM * blocksN; }
  double flops() const { return 2.0 * batches * m * n * k; }

private:
  /// Blocks large enough to hide the cost of a call, and enough of them to
  /// share out evenly. Depends on the shape alone.
  void chooseBlocks() {
    constexpr double smallBlock = 1 << 20, largeBlock = 4 << 20;
    constexpr int64_t fewBlocks = 16, smallestExtent = 64;
    blockM = std::min<int64_t>(m, 128);
    blockN = std::min<int64_t>(n, maxGemmBlock);
    auto update = [&] {
      blocksM = (m + blockM - 1) / blockM;
      blocksN = (n + blockN - 1) / blockN;
      return 2.0 * blockM * blockN * k;
    };
    while (update() > largeBlock && blocks() < fewBlocks) {
      int64_t &extent = blockM >= blockN ? blockM : blockN;
      if (extent < 2 * smallestExtent)
        break;
      extent = (extent / 2 + 15) / 16 * 16;
    }
    while (update() < smallBlock && blockM < std::min(m, maxGemmBlock))
      blockM = std::min({2 * blockM, m, maxGemmBlock});
  }
};

struct Kernels {
  GemmFunction multiply;
  /// Set for the types that are computed in f32.
  WidenFunction widen = nullptr;
  NarrowFunction narrow = nullptr;
};

/// Our own kernels for a type; f32's is used where oneDNN is absent.
Kernels kernelsFor(ElementType type) {
  const GemmKernels &own = gemmKernels();
  switch (type) {
  case ElementType::f64:
    return {own.f64};
  case ElementType::f32:
    return {own.f32};
  case ElementType::bf16:
    return {own.f32, own.widenBf16, own.narrowBf16};
  case ElementType::f16:
    return {own.f32, own.widenF16, own.narrowF16};
  case ElementType::i8:
  case ElementType::i1: // Refused by the loader.
    return {own.i8};
  case ElementType::i16:
    return {own.i16};
  case ElementType::i32:
    return {own.i32};
  case ElementType::i64:
    return {own.i64};
  }
  __builtin_unreachable();
}

int callOneDnn(const OneDnn &library, const GemmBlock &block) {
  bool aRowMajor = block.aColumnStride == 1;
  bool bRowMajor = block.bColumnStride == 1;
  return library.sgemm(aRowMajor ? 'N' : 'T', bRowMajor ? 'N' : 'T', block.m,
                       block.n, block.k, 1.0f,
                       static_cast<const float *>(block.a),
                       aRowMajor ? block.aRowStride : block.aColumnStride,
                       static_cast<const float *>(block.b),
                       bRowMajor ? block.bRowStride : block.bColumnStride,
                       block.accumulate ? 1.0f : 0.0f,
                       static_cast<float *>(block.c), block.cRowStride);
}

/// The largest slice of k that is widened at a time.
constexpr int64_t widenDepth = gemmSliceDepth;

} // namespace

/// Memory of one thread, allocated on the calling thread before it is needed.
struct GemmRunner::Scratch {
  alignas(64) char packed[gemmScratchBytes];
  alignas(64) float a[maxGemmBlock * widenDepth];
  alignas(64) float b[maxGemmBlock * widenDepth];
  alignas(64) float c[maxGemmBlock * maxGemmBlock];
};

namespace {

/// Widens a rows x columns part of a matrix into dense memory of the same
/// order, and returns the strides of the copy.
std::pair<int64_t, int64_t> widenSlice(WidenFunction widen,
                                       const uint16_t *from, int64_t rowStride,
                                       int64_t columnStride, int64_t rows,
                                       int64_t columns, float *to) {
  if (columnStride == 1) {
    for (int64_t i = 0; i < rows; ++i)
      widen(from + i * rowStride, to + i * columns, columns);
    return {columns, 1};
  }
  for (int64_t j = 0; j < columns; ++j)
    widen(from + j * columnStride, to + j * rows, rows);
  // One row is of both orders; a column stride of 1 means row-major.
  if (rows == 1)
    return {columns, 1};
  return {1, rows};
}

} // namespace

GemmRunner::GemmRunner(ThreadPool &pool, const OneDnn *oneDnn)
    : pool(pool), oneDnn(oneDnn) {}

GemmRunner::~GemmRunner() = default;

Status GemmRunner::run(const fb::Gemm &gemm, const void *aData,
                       const void *bData, void *cData) {
  Plan plan(gemm, aData, bData, cData);
  if (plan.isEmpty())
    return {};
  auto type = static_cast<ElementType>(gemm.element_type());
  int64_t elementSize = byteSize(type);
  Kernels kernels = kernelsFor(type);
  bool useOneDnn = oneDnn && kernels.multiply == gemmKernels().f32;
  if (!useOneDnn || kernels.widen)
    while (scratch.size() < pool.size())
      scratch.push_back(std::make_unique_for_overwrite<Scratch>());
  std::atomic<int> error{0};

  auto multiply = [&](const GemmBlock &block, unsigned thread) {
    if (!useOneDnn)
      kernels.multiply(block, scratch[thread]->packed);
    else if (int code = callOneDnn(*oneDnn, block))
      error = code;
  };

  auto multiplyWidened = [&](const GemmBlock &block, unsigned thread) {
    Scratch &memory = *scratch[thread];
    for (int64_t k = 0; k < block.k; k += widenDepth) {
      GemmBlock slice = block;
      slice.k = std::min(widenDepth, block.k - k);
      std::tie(slice.aRowStride, slice.aColumnStride) = widenSlice(
          kernels.widen,
          static_cast<const uint16_t *>(block.a) + k * block.aColumnStride,
          block.aRowStride, block.aColumnStride, block.m, slice.k, memory.a);
      std::tie(slice.bRowStride, slice.bColumnStride) = widenSlice(
          kernels.widen,
          static_cast<const uint16_t *>(block.b) + k * block.bRowStride,
          block.bRowStride, block.bColumnStride, slice.k, block.n, memory.b);
      slice.a = memory.a;
      slice.b = memory.b;
      slice.c = memory.c;
      slice.cRowStride = block.n;
      slice.accumulate = k > 0;
      multiply(slice, thread);
    }
    for (int64_t i = 0; i < block.m; ++i)
      kernels.narrow(memory.c + i * block.n,
                     static_cast<uint16_t *>(block.c) + i * block.cRowStride,
                     block.n);
  };

  // An empty sum; the operands' strides mean nothing.
  auto clear = [&](int64_t rows, int64_t columns, char *to) {
    for (int64_t i = 0; i < rows; ++i)
      std::memset(to + i * plan.c.rowStride * elementSize, 0,
                  columns * elementSize);
  };

  auto computeBlock = [&](int64_t index, unsigned thread) {
    int64_t j = index % plan.blocksN * plan.blockN;
    index /= plan.blocksN;
    int64_t i = index % plan.blocksM * plan.blockM;
    index /= plan.blocksM;
    int64_t rows = std::min(plan.blockM, plan.m - i);
    int64_t columns = std::min(plan.blockN, plan.n - j);
    int64_t aOffset = plan.k ? i * plan.a.rowStride : 0;
    int64_t bOffset = plan.k ? j * plan.b.columnStride : 0;
    int64_t cOffset = i * plan.c.rowStride + j;
    for (size_t d = plan.batch ? plan.batch->size() : 0; d-- > 0;) {
      int64_t position = index % plan.batch->Get(d);
      index /= plan.batch->Get(d);
      if (plan.k) {
        aOffset += position * plan.a.batchStrides->Get(d);
        bOffset += position * plan.b.batchStrides->Get(d);
      }
      cOffset += position * plan.c.batchStrides->Get(d);
    }
    char *to = plan.c.data + cOffset * elementSize;
    if (plan.k == 0)
      return clear(rows, columns, to);
    GemmBlock block = {rows,
                       columns,
                       plan.k,
                       plan.a.data + aOffset * elementSize,
                       plan.a.rowStride,
                       plan.a.columnStride,
                       plan.b.data + bOffset * elementSize,
                       plan.b.rowStride,
                       plan.b.columnStride,
                       to,
                       plan.c.rowStride,
                       /*accumulate=*/false};
    if (kernels.widen)
      multiplyWidened(block, thread);
    else
      multiply(block, thread);
  };

  auto computeBlocks = [&](int64_t begin, int64_t end, unsigned thread) {
    for (int64_t index = begin; index < end; ++index)
      computeBlock(index, thread);
  };
  // Below this, waking the other threads costs more than it saves.
  constexpr double smallProduct = 1 << 16;
  if (plan.flops() < smallProduct)
    computeBlocks(0, plan.blocks(), 0);
  else
    pool.parallelFor(plan.blocks(), computeBlocks);
  if (error)
    return Failure{ErrorCode::Internal,
                   "oneDNN failed in a matrix product with status " +
                       std::to_string(error)};
  return {};
}
