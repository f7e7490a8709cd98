//===- GemmKernel.h - Our own kernels for matrix products -------*- C++ -*-===//
//
// What oneDNN does not do (other types) or is not there to do. The kernels are
// compiled once per instruction set; gemmKernels() picks the set of this
// machine.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPHRT_CPU_GEMMKERNEL_H
#define GRAPHRT_CPU_GEMMKERNEL_H

#include <cstddef>
#include <cstdint>

namespace graphrt::cpu {

/// c = a * b, or c += a * b; no extent is 0. Strides are in elements; the
/// column stride of c is
/// 1. One of the strides of a and one of b is 1.
struct GemmBlock {
  int64_t m, n, k;
  const void *a;
  int64_t aRowStride, aColumnStride;
  const void *b;
  int64_t bRowStride, bColumnStride;
  void *c;
  int64_t cRowStride;
  bool accumulate;
};

/// The largest m and n of one GemmBlock.
inline constexpr int64_t maxGemmBlock = 512;

/// The part of k that is packed at a time.
inline constexpr int64_t gemmSliceDepth = 256;

/// Room for a slice of both operands, of the largest type and rounded up to
/// whole tiles.
inline constexpr size_t gemmScratchBytes =
    2 * (maxGemmBlock + 16) * gemmSliceDepth * sizeof(double);

/// `scratch` holds gemmScratchBytes, aligned to 64.
using GemmFunction = void (*)(const GemmBlock &block, void *scratch);

/// Converts `count` elements between a 16-bit type and f32; f32 to 16 bits
/// rounds to nearest, ties to even.
using WidenFunction = void (*)(const uint16_t *from, float *to, int64_t count);
using NarrowFunction = void (*)(const float *from, uint16_t *to, int64_t count);

struct GemmKernels {
  /// Integers wrap around and have no sign of their own in a product.
  GemmFunction f64, f32, i8, i16, i32, i64;
  WidenFunction widenBf16, widenF16;
  NarrowFunction narrowBf16, narrowF16;
};

const GemmKernels &gemmKernels();

} // namespace graphrt::cpu

#endif // GRAPHRT_CPU_GEMMKERNEL_H
