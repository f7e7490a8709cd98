//===- Convert.cpp - Conversions between types ----------------------------===//
//
// Between integers: one shift pair. Everything with floating-point numbers goes
// through f64, which holds every f32, f16 and bf16 and all integers but the
// largest 64-bit ones, and rounds once at the end. The common conversions have
// handlers of their own.
//
//===----------------------------------------------------------------------===//

#include "exec/InstructionSet.h"
#include "exec/Lanes.h"
#include "exec/Rounding.h"

#include <algorithm>
#include <bit>
#include <cmath>

using namespace graphrt;
using namespace graphrt::exec;
using namespace graphrt::ptx;

namespace {

/// What Instruction::options mean here.
enum Option : unsigned {
  ToType,
  FromType,
  /// Bits of the registers.
  ToBits,
  FromBits,
  Rounding,
  Saturates,
  Flushes,
  Relu,
};

/// Instruction::immediate: a rounding to an integral value (.rni, ...) between
/// floating-point types.
constexpr int64_t toIntegral = 1;

//===----------------------------------------------------------------------===//
// Lanes as bits
//===----------------------------------------------------------------------===//

uint64_t readLane(Warp &warp, Slot slot, unsigned bits, unsigned lane) {
  if (bits == 16)
    return warp.lanes<uint16_t>(slot)[lane];
  if (bits == 32)
    return warp.lanes<uint32_t>(slot)[lane];
  return warp.lanes<uint64_t>(slot)[lane];
}

void writeLane(Warp &warp, Slot slot, unsigned bits, unsigned lane,
               uint64_t value) {
  if (bits == 16)
    warp.lanes<uint16_t>(slot)[lane] = value;
  else if (bits == 32)
    warp.lanes<uint32_t>(slot)[lane] = value;
  else
    warp.lanes<uint64_t>(slot)[lane] = value;
}

//===----------------------------------------------------------------------===//
// Integer to integer
//===----------------------------------------------------------------------===//

/// The low `bits` of a value, extended by zeros or the sign.
uint64_t extend(uint64_t value, unsigned bits, bool isSigned) {
  unsigned shift = 64 - bits;
  return isSigned ? uint64_t(int64_t(value << shift) >> shift)
                  : value << shift >> shift;
}

/// The nearest value of the type; `value` is signed or not as `isSigned` says.
uint64_t clamp(uint64_t value, bool isSigned, ScalarType type) {
  unsigned bits = bitsOf(type);
  if (ptx::isSigned(type)) {
    int64_t highest = int64_t(~uint64_t(0) >> 1 >> (64 - bits));
    if (!isSigned)
      return std::min(value, uint64_t(highest));
    return std::clamp(int64_t(value), -highest - 1, highest);
  }
  uint64_t highest = ~uint64_t(0) >> (64 - bits);
  if (isSigned && int64_t(value) < 0)
    return 0;
  return std::min(value, highest);
}

template <typename To, typename From>
void convertIntegers(Warp &warp, const Instruction &i) {
  ScalarType to{i.options[ToType]}, from{i.options[FromType]};
  unsigned fromBits = bitsOf(from), toBits = bitsOf(to);
  bool fromSigned = isSigned(from), toSigned = isSigned(to);
  To *result = warp.lanes<To>(i.slots[0]);
  const From *source = warp.lanes<From>(i.slots[1]);
  if (i.options[Saturates]) {
    forEachLane(warp.active, [=](unsigned lane) {
      result[lane] =
          clamp(extend(source[lane], fromBits, fromSigned), fromSigned, to);
    });
    return;
  }
  forEachLane(warp.active, [=](unsigned lane) {
    result[lane] =
        extend(extend(source[lane], fromBits, fromSigned), toBits, toSigned);
  });
}

Handler pickIntegers(unsigned toBits, unsigned fromBits) {
  return pickBits(toBits, [&]<typename To>() -> Handler {
    return pickBits(fromBits, []<typename From>() -> Handler {
      return convertIntegers<To, From>;
    });
  });
}

//===----------------------------------------------------------------------===//
// Through f64
//===----------------------------------------------------------------------===//

double decodeFloat(ScalarType type, uint64_t bits) {
  switch (type) {
  case ScalarType::F16:
    return F16::widen(bits);
  case ScalarType::Bf16:
    return Bf16::widen(bits);
  case ScalarType::F64:
    return std::bit_cast<double>(bits);
  default:
    return floatOf(bits);
  }
}

uint64_t encodeFloat(ScalarType type, double value, RoundingMode mode) {
  switch (type) {
  case ScalarType::F16:
    return roundTo(f16Format, value, mode);
  case ScalarType::Bf16:
    return roundTo(bf16Format, value, mode);
  case ScalarType::Tf32: {
    // The 13 bits below are zero.
    uint64_t bits = roundTo(tf32Format, value, mode);
    return value != value ? 0x7fffffff : bits << 13;
  }
  case ScalarType::F64:
    return std::bit_cast<uint64_t>(value);
  default: {
    ScopedRounding scope(mode);
    volatile float narrowed = float(value);
    return bitsOf(float(narrowed));
  }
  }
}

double roundToInteger(double value, RoundingMode mode) {
  switch (mode) {
  case RoundingMode::TowardZero:
    return std::trunc(value);
  case RoundingMode::Down:
    return std::floor(value);
  case RoundingMode::Up:
    return std::ceil(value);
  default:
    return std::nearbyint(value);
  }
}

uint64_t integerFromFloat(ScalarType type, double value) {
  if (value != value)
    return 0;
  unsigned bits = bitsOf(type);
  if (isSigned(type)) {
    double limit = std::ldexp(1.0, bits - 1);
    if (value >= limit)
      return ~uint64_t(0) >> 1 >> (64 - bits);
    if (value < -limit)
      return ~(~uint64_t(0) >> 1 >> (64 - bits));
    return int64_t(value);
  }
  if (value >= std::ldexp(1.0, bits))
    return ~uint64_t(0) >> (64 - bits);
  return value <= 0 ? 0 : uint64_t(value);
}

/// 64-bit integers may have more bits than an f64: they are rounded to the
/// result's format by way of a sticky last bit.
double doubleFromInteger(uint64_t value, bool isSigned) {
  bool isNegative = isSigned && int64_t(value) < 0;
  uint64_t magnitude = isNegative ? -value : value;
  if (magnitude >> 53) {
    uint64_t kept = magnitude & ~uint64_t(0x7ff);
    magnitude = kept | (magnitude != kept ? 0x800 : 0);
  }
  double result = double(magnitude);
  return isNegative ? -result : result;
}

uint64_t convertLane(const Instruction &i, uint64_t bits) {
  ScalarType to{i.options[ToType]}, from{i.options[FromType]};
  RoundingMode mode{i.options[Rounding]};
  if (!isFloat(from)) {
    bits = extend(bits, bitsOf(from), isSigned(from));
    if (to == ScalarType::F64) {
      ScopedRounding scope(mode);
      volatile double value =
          isSigned(from) ? double(int64_t(bits)) : double(bits);
      return std::bit_cast<uint64_t>(double(value));
    }
    return encodeFloat(to, doubleFromInteger(bits, isSigned(from)), mode);
  }
  double value = decodeFloat(from, bits);
  if (i.options[Flushes] && from == ScalarType::F32)
    value = flushDenormal(value);
  if (!isFloat(to))
    return integerFromFloat(to, roundToInteger(value, mode));
  if (i.immediate == toIntegral)
    value = roundToInteger(value, mode);
  if (i.options[Saturates])
    value = saturate(value);
  if (i.options[Relu] && !(value != value))
    value = value > 0 ? value : 0;
  return encodeFloat(to, value, mode);
}

void convert(Warp &warp, const Instruction &i) {
  ScalarType to{i.options[ToType]};
  for (LaneMask rest = warp.active; rest != 0; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    uint64_t bits = readLane(warp, i.slots[1], i.options[FromBits], lane);
    uint64_t value = convertLane(i, bits);
    if (i.options[Flushes] && to == ScalarType::F32)
      value = bitsOf(flushDenormal(floatOf(value)));
    writeLane(warp, i.slots[0], i.options[ToBits], lane, value);
  }
}

//===----------------------------------------------------------------------===//
// The common ones
//===----------------------------------------------------------------------===//

float floatFromS32(int32_t a) { return float(a); }
float floatFromU32(uint32_t a) { return float(a); }
double doubleFromFloat(float a) { return a; }

/// d = {b, a}: the first source becomes the high half.
template <typename H>
uint32_t narrowPair(float high, float low) {
  return uint32_t(H::narrow(high)) << 16 | H::narrow(low);
}
template <typename H>
uint32_t narrowPairRelu(float high, float low) {
  auto relu = [](float a) { return a > 0 || a != a ? a : 0.0f; };
  return narrowPair<H>(relu(high), relu(low));
}
template <typename H>
uint32_t truncatePair(float high, float low) {
  auto cut = [](float a) {
    return roundTo(H::format, a, RoundingMode::TowardZero);
  };
  return cut(high) << 16 | cut(low);
}

/// A handler for plain conversions under .rn or none, or null.
Handler pickCommon(ScalarType to, ScalarType from) {
  using T = ScalarType;
  auto is = [&](T wantedTo, T wantedFrom) {
    return to == wantedTo && from == wantedFrom;
  };
  if (is(T::F32, T::S32))
    return map<floatFromS32, float, int32_t>;
  if (is(T::F32, T::U32))
    return map<floatFromU32, float, uint32_t>;
  if (is(T::F32, T::F16))
    return map<F16::widen, float, uint16_t>;
  if (is(T::F32, T::Bf16))
    return map<Bf16::widen, float, uint16_t>;
  if (is(T::F16, T::F32))
    return map<F16::narrow, uint16_t, float>;
  if (is(T::Bf16, T::F32))
    return map<Bf16::narrow, uint16_t, float>;
  if (is(T::F64, T::F32))
    return map<doubleFromFloat, double, float>;
  return nullptr;
}

Handler decodePair(Decoder &decoder, ScalarType to, unsigned rounding,
                   bool relu) {
  decoder.destination(0, 0, to);
  decoder.source(1, 1, ScalarType::F32);
  decoder.source(2, 2, ScalarType::F32);
  using U = uint32_t;
  bool isF16 = to == ScalarType::F16x2;
  if (rounding == unsigned(RoundingMode::TowardZero) && !relu)
    return isF16 ? map<truncatePair<F16>, U, float, float>
                 : map<truncatePair<Bf16>, U, float, float>;
  if (rounding != unsigned(RoundingMode::NearestEven))
    return decoder.unsupported();
  if (relu)
    return isF16 ? map<narrowPairRelu<F16>, U, float, float>
                 : map<narrowPairRelu<Bf16>, U, float, float>;
  return isF16 ? map<narrowPair<F16>, U, float, float>
               : map<narrowPair<Bf16>, U, float, float>;
}

Handler decodeCvt(Decoder &decoder) {
  Instruction &instruction = decoder.instruction();
  auto &options = instruction.options;
  unsigned rounding = decoder.acceptAny({"rn", "rz", "rm", "rp", "rna"});
  unsigned toInteger = decoder.acceptAny({"rni", "rzi", "rmi", "rpi"});
  options[Saturates] = decoder.accept("sat");
  options[Flushes] = decoder.accept("ftz");
  options[Relu] = decoder.accept("relu");
  ScalarType to = decoder.type();
  if (to == ScalarType::F16x2 || to == ScalarType::Bf16x2) {
    if (!decoder.accept("f32"))
      return decoder.unsupported();
    return decodePair(decoder, to, rounding, options[Relu]);
  }
  ScalarType from = decoder.type();
  options[ToType] = uint8_t(to);
  options[FromType] = uint8_t(from);
  options[Rounding] = toInteger < 4 ? toInteger : rounding < 5 ? rounding : 0;
  if (toInteger < 4)
    instruction.immediate = toIntegral;
  Operand &target = decoder.operand(0);
  instruction.slots[0] = target.slot;
  options[ToBits] = target.bits;
  if (target.kind != Operand::Kind::Register || target.bits < bitsOf(to))
    decoder.destination(0, 0, to);
  options[FromBits] = decoder.wideSource(1, decoder.operand(1), from);
  if (options[ToBits] < 16 || options[FromBits] < 16)
    return decoder.unsupported();
  if (!isFloat(to) && !isFloat(from))
    return pickIntegers(options[ToBits], options[FromBits]);
  bool isPlain = !options[Saturates] && !options[Flushes] && !options[Relu] &&
                 toInteger == 4 && (rounding == 0 || rounding == 5) &&
                 options[ToBits] == bitsOf(to) &&
                 options[FromBits] == bitsOf(from);
  Handler common = isPlain ? pickCommon(to, from) : nullptr;
  return common ? common : convert;
}

constexpr Entry entries[] = {{"cvt", decodeCvt}};

} // namespace

std::span<const Entry> exec::convertInstructions() { return entries; }
