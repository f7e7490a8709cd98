//===- Float.cpp - Arithmetic of f32 and f64 ------------------------------===//
//
// Approximate instructions (rcp.approx, ex2, sin, ...) return the host's result
// for f32, which is more accurate than a GPU's.
//
//===----------------------------------------------------------------------===//

#include "exec/InstructionSet.h"
#include "exec/Lanes.h"
#include "exec/Rounding.h"

#include <cmath>

using namespace graphrt;
using namespace graphrt::exec;
using namespace graphrt::ptx;

namespace {

//===----------------------------------------------------------------------===//
// One lane
//===----------------------------------------------------------------------===//

template <typename T>
T add(T a, T b) {
  return a + b;
}
template <typename T>
T sub(T a, T b) {
  return a - b;
}
template <typename T>
T mul(T a, T b) {
  return a * b;
}
template <typename T>
T fma(T a, T b, T c) {
  return std::fma(a, b, c);
}
template <typename T>
T div(T a, T b) {
  return a / b;
}
template <typename T>
T reciprocal(T a) {
  return T(1) / a;
}
template <typename T>
T squareRoot(T a) {
  return std::sqrt(a);
}
template <typename T>
T reciprocalRoot(T a) {
  return T(1.0 / std::sqrt(double(a)));
}
template <typename T>
T abs(T a) {
  return std::fabs(a);
}
template <typename T>
T neg(T a) {
  return -a;
}
/// PTX: the sign of a, the magnitude of b.
template <typename T>
T copySign(T a, T b) {
  return std::copysign(b, a);
}

float exponential2(float a) { return std::exp2(a); }
float logarithm2(float a) { return std::log2(a); }
float sine(float a) { return std::sin(a); }
float cosine(float a) { return std::cos(a); }
float hyperbolicTangent(float a) { return std::tanh(a); }

template <auto Op, typename... A>
float flushed(A... a) {
  return flushDenormal(Op(flushDenormal(a)...));
}
template <auto Op, typename T, typename... A>
T saturated(A... a) {
  return saturate(Op(a...));
}

//===----------------------------------------------------------------------===//
// Modifiers
//===----------------------------------------------------------------------===//

template <size_t, typename T>
using Repeat = T;

/// Any handler under a rounding mode of the host.
template <Handler Inner>
void rounded(Warp &warp, const Instruction &i) {
  ScopedRounding scope{RoundingMode(i.options[0])};
  Inner(warp, i);
}

/// The handler for an operation under .ftz, .sat and a rounding mode.
template <auto Op, typename T, size_t Sources>
Handler withModifiers(Decoder &decoder) {
  using Indices = std::make_index_sequence<Sources>;
  unsigned mode = decoder.acceptAny({"rn", "rz", "rm", "rp"});
  bool ftz = decoder.accept("ftz"), sat = decoder.accept("sat");
  return [&]<size_t... I>(std::index_sequence<I...>) -> Handler {
    constexpr Handler plain = map<Op, T, Repeat<I, T>...>;
    constexpr Handler clamped =
        map<saturated<Op, T, Repeat<I, T>...>, T, Repeat<I, T>...>;
    if (mode >= 1 && mode <= 3) {
      decoder.instruction().options[0] = mode;
      return ftz || sat ? nullptr : rounded<plain>;
    }
    if constexpr (std::is_same_v<T, float>) {
      constexpr auto flush = flushed<Op, Repeat<I, T>...>;
      if (ftz)
        return sat ? map<saturated<flush, T, Repeat<I, T>...>, T,
                         Repeat<I, T>...>
                   : map<flush, T, Repeat<I, T>...>;
    }
    return sat ? clamped : plain;
  }(Indices());
}

#define GRAPHRT_DECODE_FLOAT(name, function, sources)                          \
  Handler name(Decoder &decoder, ScalarType type) {                            \
    decodeOperands(decoder, sources, type);                                    \
    return type == ScalarType::F64                                             \
               ? withModifiers<function<double>, double, sources>(decoder)     \
               : withModifiers<function<float>, float, sources>(decoder);      \
  }
GRAPHRT_DECODE_FLOAT(decodeAdd, add, 2)
GRAPHRT_DECODE_FLOAT(decodeSub, sub, 2)
GRAPHRT_DECODE_FLOAT(decodeMul, mul, 2)
GRAPHRT_DECODE_FLOAT(decodeFma, fma, 3)
GRAPHRT_DECODE_FLOAT(decodeAbs, abs, 1)
GRAPHRT_DECODE_FLOAT(decodeNeg, neg, 1)
GRAPHRT_DECODE_FLOAT(decodeCopySign, copySign, 2)

// These have approximate forms, whose result is the exact one here.
#define GRAPHRT_DECODE_APPROXIMATE(name, function, sources)                    \
  Handler name(Decoder &decoder, ScalarType type) {                            \
    if (!decoder.accept("approx"))                                             \
      decoder.accept("full");                                                  \
    decodeOperands(decoder, sources, type);                                    \
    return type == ScalarType::F64                                             \
               ? withModifiers<function<double>, double, sources>(decoder)     \
               : withModifiers<function<float>, float, sources>(decoder);      \
  }
GRAPHRT_DECODE_APPROXIMATE(decodeDiv, div, 2)
GRAPHRT_DECODE_APPROXIMATE(decodeRcp, reciprocal, 1)
GRAPHRT_DECODE_APPROXIMATE(decodeSqrt, squareRoot, 1)
GRAPHRT_DECODE_APPROXIMATE(decodeRsqrt, reciprocalRoot, 1)

/// Functions of f32 alone, always approximate.
template <auto Op>
Handler decodeFunction(Decoder &decoder, ScalarType type) {
  if (type != ScalarType::F32 || !decoder.accept("approx"))
    return nullptr;
  decodeOperands(decoder, 1, type);
  return withModifiers<Op, float, 1>(decoder);
}

#define GRAPHRT_DECODE_EXTREMUM(name, function)                                \
  Handler name(Decoder &decoder, ScalarType type) {                            \
    bool propagates = decoder.accept("NaN");                                   \
    decodeOperands(decoder, 2, type);                                          \
    if (type == ScalarType::F64)                                               \
      return map<function<double, false>, double, double, double>;             \
    return propagates                                                          \
               ? withModifiers<function<float, true>, float, 2>(decoder)       \
               : withModifiers<function<float, false>, float, 2>(decoder);     \
  }
GRAPHRT_DECODE_EXTREMUM(decodeMin, minimum)
GRAPHRT_DECODE_EXTREMUM(decodeMax, maximum)

//===----------------------------------------------------------------------===//
// testp
//===----------------------------------------------------------------------===//

enum class Property : uint8_t {
  Finite,
  Infinite,
  Number,
  NotANumber,
  Normal,
  Subnormal,
};

template <typename T>
bool hasProperty(T value, Property property) {
  switch (property) {
  case Property::Finite:
    return std::isfinite(value);
  case Property::Infinite:
    return std::isinf(value);
  case Property::Number:
    return value == value;
  case Property::NotANumber:
    return value != value;
  case Property::Normal:
    return std::isnormal(value);
  case Property::Subnormal:
    return std::fpclassify(value) == FP_SUBNORMAL;
  }
  return false;
}

template <typename T>
void testProperty(Warp &warp, const Instruction &i) {
  const T *source = warp.lanes<T>(i.slots[1]);
  LaneMask result = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    result |= LaneMask(hasProperty(source[lane], Property(i.options[0])))
              << lane;
  warp.setPredicate(i.slots[0], result);
}

Handler decodeTestp(Decoder &decoder, ScalarType type) {
  unsigned property = decoder.acceptAny(
      {"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  if (property > unsigned(Property::Subnormal))
    return nullptr;
  decoder.instruction().options[0] = property;
  decoder.destination(0, 0, ScalarType::Pred);
  decoder.source(1, 1, type);
  return type == ScalarType::F64 ? testProperty<double> : testProperty<float>;
}

constexpr TypedEntry entries[] = {
    {"add", decodeAdd},
    {"sub", decodeSub},
    {"mul", decodeMul},
    {"fma", decodeFma},
    {"mad", decodeFma},
    {"div", decodeDiv},
    {"rcp", decodeRcp},
    {"sqrt", decodeSqrt},
    {"rsqrt", decodeRsqrt},
    {"abs", decodeAbs},
    {"neg", decodeNeg},
    {"copysign", decodeCopySign},
    {"min", decodeMin},
    {"max", decodeMax},
    {"ex2", decodeFunction<exponential2>},
    {"lg2", decodeFunction<logarithm2>},
    {"sin", decodeFunction<sine>},
    {"cos", decodeFunction<cosine>},
    {"tanh", decodeFunction<hyperbolicTangent>},
    {"testp", decodeTestp},
};

} // namespace

std::span<const TypedEntry> exec::floatInstructions() { return entries; }
