//===- Float16.h - Conversions of 16-bit floats -----------------*- C++ -*-===//
//
// bf16 and f16 as bits, to and from f32; to 16 bits rounds to nearest, ties to
// even. Without branches, so that loops over them become vector code. Right
// also where denormal f32 values are flushed to zero. All have internal
// linkage: files that are compiled for different instruction sets share them.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPHRT_SUPPORT_FLOAT16_H
#define GRAPHRT_SUPPORT_FLOAT16_H

#include <cstdint>

namespace graphrt {

static inline uint32_t bitsOf(float value) {
  return __builtin_bit_cast(uint32_t, value);
}

static inline float floatOf(uint32_t bits) {
  return __builtin_bit_cast(float, bits);
}

/// To f32, inexact results with an odd last bit: to be rounded to 16 bits as if
/// from f64.
static inline float floatRoundedToOdd(double value) {
  float nearest = static_cast<float>(value);
  // Also for NaN.
  if (!(nearest < value || nearest > value))
    return nearest;
  bool isFurther = __builtin_fabs(double(nearest)) > __builtin_fabs(value);
  return floatOf((bitsOf(nearest) - isFurther) | 1);
}

static inline float floatFromBf16(uint16_t brain) {
  return floatOf(uint32_t(brain) << 16);
}

static inline uint16_t bf16FromFloat(float value) {
  uint32_t bits = bitsOf(value);
  uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  bool isNan = (bits & 0x7fffffff) > 0x7f800000;
  return isNan ? bits >> 16 | 0x40 : rounded;
}

static inline float floatFromF16(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000) << 16;
  uint32_t magnitude = half & 0x7fff;
  uint32_t normal = (magnitude << 13) + (112u << 23);
  uint32_t special = magnitude << 13 | 0x7f800000;
  uint32_t denormal = bitsOf(float(int32_t(magnitude)) * 0x1p-24f);
  uint32_t bits = magnitude >= 0x7c00  ? special
                  : magnitude < 0x0400 ? denormal
                                       : normal;
  return floatOf(sign | bits);
}

static inline uint16_t f16FromFloat(float value) {
  uint32_t bits = bitsOf(value);
  uint32_t magnitude = bits & 0x7fffffff;
  uint32_t normal =
      (magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
  // Adding 1/2 aligns the unit in the last place with that of f16 denormals.
  uint32_t denormal = bitsOf(floatOf(magnitude) + 0.5f) - bitsOf(0.5f);
  uint32_t special = magnitude > 0x7f800000 ? 0x7e00 : 0x7c00;
  uint32_t half = magnitude >= 0x47800000  ? special
                  : magnitude < 0x38800000 ? denormal
                                           : normal;
  return half | (bits >> 16 & 0x8000);
}

} // namespace graphrt

#endif // GRAPHRT_SUPPORT_FLOAT16_H
