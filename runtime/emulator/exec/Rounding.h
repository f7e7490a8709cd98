//===- Rounding.h - Rounding modes and narrow formats -----------*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_EXEC_ROUNDING_H
#define GRAPHRT_EMULATOR_EXEC_ROUNDING_H

#include "graphrt/support/Float16.h"

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>

namespace graphrt::exec {

enum class RoundingMode : uint8_t {
  NearestEven,
  TowardZero,
  Down,
  Up,
  /// Ties away from zero (.rna).
  NearestAway,
};

/// Sets the host's rounding mode for its lifetime.
class ScopedRounding {
public:
  explicit ScopedRounding(RoundingMode mode) {
    constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
                             FE_UPWARD, FE_TONEAREST};
    std::fesetround(modes[unsigned(mode)]);
  }
  ~ScopedRounding() { std::fesetround(FE_TONEAREST); }
};

/// A binary format of at most 32 bits.
struct Format {
  /// Bits of the fraction without the implied one, and of the exponent.
  unsigned fraction, exponent;
};
constexpr Format f16Format = {10, 5}, bf16Format = {7, 8}, tf32Format = {10, 8};

/// Rounds once to the format; returns sign, exponent and fraction in the low
/// bits. A NaN becomes the format's canonical one (all ones but the sign).
inline uint32_t roundTo(Format format, double value, RoundingMode mode) {
  unsigned width = 1 + format.exponent + format.fraction;
  uint32_t infinity = ((1u << format.exponent) - 1) << format.fraction;
  uint32_t sign = uint32_t(std::signbit(value)) << (width - 1);
  if (value != value)
    return (1u << (width - 1)) - 1;
  double magnitude = std::fabs(value);
  if (std::isinf(magnitude))
    return sign | infinity;
  if (magnitude == 0)
    return sign;
  int bias = (1 << (format.exponent - 1)) - 1;
  int exponent = std::ilogb(magnitude);
  int lowest = 1 - bias;
  // Units in the last place, exactly representable.
  int unit = std::max(exponent, lowest) - int(format.fraction);
  double scaled = std::ldexp(magnitude, -unit);
  double whole = std::floor(scaled), rest = scaled - whole;
  bool isOdd = std::fmod(whole, 2) != 0;
  bool up = false;
  switch (mode) {
  case RoundingMode::NearestEven:
    up = rest > 0.5 || (rest == 0.5 && isOdd);
    break;
  case RoundingMode::NearestAway:
    up = rest >= 0.5;
    break;
  case RoundingMode::TowardZero:
    break;
  case RoundingMode::Down:
    up = rest > 0 && sign;
    break;
  case RoundingMode::Up:
    up = rest > 0 && !sign;
    break;
  }
  // Fraction and exponent as one number: carries go where they belong.
  uint64_t units = uint64_t(whole) + up;
  uint64_t bits = exponent < lowest ? units
                                    : units + (uint64_t(exponent - lowest)
                                               << format.fraction);
  bool overflows = bits >= infinity;
  if (overflows) {
    bool toInfinity = mode == RoundingMode::NearestEven ||
                      mode == RoundingMode::NearestAway ||
                      (mode == RoundingMode::Up && !sign) ||
                      (mode == RoundingMode::Down && sign);
    bits = toInfinity ? infinity : infinity - 1;
  }
  return sign | uint32_t(bits);
}

/// One of the 16-bit formats, with the conversions of its common rounding.
struct F16 {
  static constexpr Format format = f16Format;
  static float widen(uint16_t bits) { return floatFromF16(bits); }
  static uint16_t narrow(float value) {
    return value != value ? 0x7fff : f16FromFloat(value);
  }
};
struct Bf16 {
  static constexpr Format format = bf16Format;
  static float widen(uint16_t bits) { return floatFromBf16(bits); }
  static uint16_t narrow(float value) {
    return value != value ? 0x7fff : bf16FromFloat(value);
  }
};

inline float flushDenormal(float value) {
  return std::fabs(value) < 0x1p-126f ? std::copysign(0.0f, value) : value;
}

/// Clamps to [0, 1]; NaN becomes 0.
template <typename T>
T saturate(T value) {
  return value > 0 ? (value < 1 ? value : T(1)) : T(0);
}

/// The bits of the NaN that instructions return which do not pass payloads on.
template <typename T>
T canonicalNan();
template <>
inline float canonicalNan<float>() {
  return floatOf(0x7fffffff);
}
template <>
inline double canonicalNan<double>() {
  return std::bit_cast<double>(~uint64_t(0) >> 1);
}

/// The smaller or larger number, -0 below +0. With one NaN the other operand,
/// or NaN if `Propagate`.
template <typename T, bool Propagate>
T minimum(T a, T b) {
  if (a != a || b != b)
    return Propagate || (a != a && b != b) ? canonicalNan<T>() : a != a ? b : a;
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <typename T, bool Propagate>
T maximum(T a, T b) {
  if (a != a || b != b)
    return Propagate || (a != a && b != b) ? canonicalNan<T>() : a != a ? b : a;
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

} // namespace graphrt::exec

#endif // GRAPHRT_EMULATOR_EXEC_ROUNDING_H
