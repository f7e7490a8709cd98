//===- GemmKernel.cpp - Our own kernels for matrix products ---------------===//
//
// Compiled once per instruction set, which GRAPHRT_ISA names. Includes nothing
// that could define functions of external linkage: the linker would be free to
// keep the copy that only some machines can execute.
//
// The product is cut along k into slices. A slice of b is packed into panels of
// `columns` columns and a slice of a into panels of `rows` rows, both padded
// with zeros, and a tile of rows x columns is accumulated in registers.
//
//===----------------------------------------------------------------------===//

#include "GemmKernel.h"

#include "graphrt/support/Float16.h"

#if defined(__AVX512F__)
#define GRAPHRT_VECTOR_BYTES 64
#define GRAPHRT_TILE_ROWS 12
#elif defined(__AVX2__)
#define GRAPHRT_VECTOR_BYTES 32
#define GRAPHRT_TILE_ROWS 6
#else
#define GRAPHRT_VECTOR_BYTES 16
#define GRAPHRT_TILE_ROWS 6
#endif

namespace graphrt::cpu::GRAPHRT_ISA {

namespace {

constexpr int64_t vectorsPerRow = 2;
constexpr int64_t rows = GRAPHRT_TILE_ROWS;
static_assert(rows <= 16, "scratch is too small");

int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }
int64_t roundUp(int64_t value, int64_t factor) {
  return (value + factor - 1) / factor * factor;
}

template <typename T>
struct Tile {
  typedef T Vector __attribute__((vector_size(GRAPHRT_VECTOR_BYTES)));
  /// The same in memory that is aligned for T alone.
  typedef T Unaligned __attribute__((vector_size(GRAPHRT_VECTOR_BYTES),
                                     aligned(sizeof(T)), may_alias));
  static constexpr int64_t lanes = GRAPHRT_VECTOR_BYTES / sizeof(T);
  static constexpr int64_t columns = vectorsPerRow * lanes;
  static_assert(maxGemmBlock % columns == 0, "scratch is too small");
};

/// Packs `count` x `depth` elements into panels of `width`: panel by panel, for
/// each index along the depth the `width` elements beside each other.
template <typename T>
void pack(const T *from, int64_t stride, int64_t depthStride, int64_t count,
          int64_t depth, int64_t width, T *to) {
  for (int64_t begin = 0; begin < count; begin += width) {
    int64_t used = min(width, count - begin);
    const T *panel = from + begin * stride;
    if (stride == 1) {
      for (int64_t d = 0; d < depth; ++d)
        for (int64_t i = 0; i < used; ++i)
          to[d * width + i] = panel[d * depthStride + i];
    } else {
      for (int64_t i = 0; i < used; ++i)
        for (int64_t d = 0; d < depth; ++d)
          to[d * width + i] = panel[i * stride + d * depthStride];
    }
    for (int64_t i = used; i < width; ++i)
      for (int64_t d = 0; d < depth; ++d)
        to[d * width + i] = 0;
    to += width * depth;
  }
}

/// One tile: `used` rows and columns of it are stored.
template <typename T>
void computeTile(const T *a, const T *b, int64_t depth, T *c, int64_t stride,
                 int64_t usedRows, int64_t usedColumns, bool accumulate) {
  using Vector = typename Tile<T>::Vector;
  using Unaligned = typename Tile<T>::Unaligned;
  constexpr int64_t lanes = Tile<T>::lanes;

  Vector sums[rows][vectorsPerRow] = {};
  for (int64_t d = 0; d < depth; ++d) {
    Vector bs[vectorsPerRow];
    for (int64_t v = 0; v < vectorsPerRow; ++v)
      bs[v] = *reinterpret_cast<const Unaligned *>(b + v * lanes);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t v = 0; v < vectorsPerRow; ++v)
        sums[i][v] += bs[v] * a[i];
    a += rows;
    b += Tile<T>::columns;
  }

  if (usedRows == rows && usedColumns == Tile<T>::columns) {
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t v = 0; v < vectorsPerRow; ++v) {
        auto *to = reinterpret_cast<Unaligned *>(c + i * stride + v * lanes);
        *to = accumulate ? *to + sums[i][v] : sums[i][v];
      }
    return;
  }
  for (int64_t i = 0; i < usedRows; ++i)
    for (int64_t j = 0; j < usedColumns; ++j) {
      T sum = sums[i][j / lanes][j % lanes];
      T &to = c[i * stride + j];
      to = accumulate ? to + sum : sum;
    }
}

template <typename T>
void gemm(const GemmBlock &block, void *scratch) {
  constexpr int64_t columns = Tile<T>::columns;
  T *packedA = static_cast<T *>(scratch);
  T *packedB = packedA + roundUp(block.m, rows) * gemmSliceDepth;
  auto *c = static_cast<T *>(block.c);

  for (int64_t k = 0; k < block.k; k += gemmSliceDepth) {
    int64_t depth = min(gemmSliceDepth, block.k - k);
    pack(static_cast<const T *>(block.a) + k * block.aColumnStride,
         block.aRowStride, block.aColumnStride, block.m, depth, rows, packedA);
    pack(static_cast<const T *>(block.b) + k * block.bRowStride,
         block.bColumnStride, block.bRowStride, block.n, depth, columns,
         packedB);
    bool accumulate = block.accumulate || k > 0;
    for (int64_t j = 0; j < block.n; j += columns)
      for (int64_t i = 0; i < block.m; i += rows)
        computeTile(packedA + i * depth, packedB + j * depth, depth,
                    c + i * block.cRowStride + j, block.cRowStride,
                    min(rows, block.m - i), min(columns, block.n - j),
                    accumulate);
  }
}

/// Applies a conversion of one element to many.
template <auto convert, typename From, typename To>
void convertAll(const From *from, To *to, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = convert(from[i]);
}

} // namespace

extern const GemmKernels kernels;
const GemmKernels kernels = {
    gemm<double>,
    gemm<float>,
    gemm<uint8_t>,
    gemm<uint16_t>,
    gemm<uint32_t>,
    gemm<uint64_t>,
    convertAll<floatFromBf16>,
    convertAll<floatFromF16>,
    convertAll<bf16FromFloat>,
    convertAll<f16FromFloat>,
};

} // namespace graphrt::cpu::GRAPHRT_ISA
