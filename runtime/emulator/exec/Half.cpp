//===- Half.cpp - Arithmetic of f16 and bf16, alone and in pairs ----------===//
//
// Every operation is computed so that the one rounding at its end is the only
// one: in f32 where that is wide enough, in f64 for fma.
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

/// a * b + c in f64 with the last bit set where the sum is inexact, so that a
/// second rounding to a narrower format is right.
double fmaToOdd(double a, double b, double c) {
  double product = a * b; // Exact: both have at most 24 bits.
  double sum = product + c;
  double shadow = sum - product;
  double error = (product - (sum - shadow)) + (c - shadow);
  if (error == 0 || !std::isfinite(sum) || std::bit_cast<uint64_t>(sum) & 1)
    return sum;
  return std::nextafter(sum, error > 0 ? INFINITY : -INFINITY);
}

template <typename H>
struct Ops {
  using Bits = uint16_t;
  static float in(Bits a) { return H::widen(a); }
  static Bits out(float a) { return H::narrow(a); }

  static Bits add(Bits a, Bits b) { return out(in(a) + in(b)); }
  static Bits sub(Bits a, Bits b) { return out(in(a)-in(b)); }
  static Bits mul(Bits a, Bits b) { return out(in(a)*in(b)); }
  static Bits fma(Bits a, Bits b, Bits c) {
    return roundTo(H::format, fmaToOdd(in(a), in(b), in(c)),
                   RoundingMode::NearestEven);
  }
  static Bits fmaRelu(Bits a, Bits b, Bits c) {
    Bits result = fma(a, b, c);
    return result & 0x8000 ? 0 : result;
  }
  static Bits abs(Bits a) { return a & 0x7fff; }
  static Bits neg(Bits a) { return a ^ 0x8000; }
  static Bits min(Bits a, Bits b) {
    return out(minimum<float, false>(in(a), in(b)));
  }
  static Bits max(Bits a, Bits b) {
    return out(maximum<float, false>(in(a), in(b)));
  }
  static Bits minNan(Bits a, Bits b) {
    return out(minimum<float, true>(in(a), in(b)));
  }
  static Bits maxNan(Bits a, Bits b) {
    return out(maximum<float, true>(in(a), in(b)));
  }
  static Bits ex2(Bits a) { return out(std::exp2(in(a))); }
  static Bits tanh(Bits a) { return out(std::tanh(in(a))); }
};

/// An operation on both halves of a word.
template <auto Op, typename... A>
uint32_t paired(A... a) {
  uint32_t low = Op(uint16_t(a)...), high = Op(uint16_t(a >> 16)...);
  return high << 16 | low;
}

template <size_t, typename T>
using Repeat = T;

template <auto Op, size_t... I>
Handler mapWidth(bool pairs, std::index_sequence<I...>) {
  return pairs ? map<paired<Op, Repeat<I, uint32_t>...>, uint32_t,
                     Repeat<I, uint32_t>...>
               : map<Op, uint16_t, Repeat<I, uint16_t>...>;
}

template <auto OnF16, auto OnBf16, size_t Sources>
Handler pick(Decoder &decoder, ScalarType type) {
  decodeOperands(decoder, Sources, type);
  decoder.accept("rn");
  bool pairs = bitsOf(type) == 32;
  bool isF16 = type == ScalarType::F16 || type == ScalarType::F16x2;
  std::make_index_sequence<Sources> indices;
  return isF16 ? mapWidth<OnF16>(pairs, indices)
               : mapWidth<OnBf16>(pairs, indices);
}

#define GRAPHRT_PICK_HALF(name, sources)                                       \
  pick<Ops<F16>::name, Ops<Bf16>::name, sources>(decoder, type)

template <auto OnF16, auto OnBf16, size_t Sources>
Handler decode(Decoder &decoder, ScalarType type) {
  return pick<OnF16, OnBf16, Sources>(decoder, type);
}

Handler decodeFma(Decoder &decoder, ScalarType type) {
  if (decoder.accept("relu"))
    return GRAPHRT_PICK_HALF(fmaRelu, 3);
  return GRAPHRT_PICK_HALF(fma, 3);
}
Handler decodeMin(Decoder &decoder, ScalarType type) {
  if (decoder.accept("NaN"))
    return GRAPHRT_PICK_HALF(minNan, 2);
  return GRAPHRT_PICK_HALF(min, 2);
}
Handler decodeMax(Decoder &decoder, ScalarType type) {
  if (decoder.accept("NaN"))
    return GRAPHRT_PICK_HALF(maxNan, 2);
  return GRAPHRT_PICK_HALF(max, 2);
}
// Results of bf16 are never denormal under .ftz, for which f32 is as wide.
Handler decodeEx2(Decoder &decoder, ScalarType type) {
  decoder.accept("approx");
  decoder.accept("ftz");
  return GRAPHRT_PICK_HALF(ex2, 1);
}
Handler decodeTanh(Decoder &decoder, ScalarType type) {
  decoder.accept("approx");
  return GRAPHRT_PICK_HALF(tanh, 1);
}

#define GRAPHRT_HALF_ENTRY(mnemonic, name, sources)                            \
  {mnemonic, decode<Ops<F16>::name, Ops<Bf16>::name, sources>}

constexpr TypedEntry entries[] = {
    GRAPHRT_HALF_ENTRY("add", add, 2),
    GRAPHRT_HALF_ENTRY("sub", sub, 2),
    GRAPHRT_HALF_ENTRY("mul", mul, 2),
    GRAPHRT_HALF_ENTRY("abs", abs, 1),
    GRAPHRT_HALF_ENTRY("neg", neg, 1),
    {"fma", decodeFma},
    {"min", decodeMin},
    {"max", decodeMax},
    {"ex2", decodeEx2},
    {"tanh", decodeTanh},
};

} // namespace

std::span<const TypedEntry> exec::halfInstructions() { return entries; }
