//===- Compare.cpp - Comparisons and selections ---------------------------===//

#include "exec/InstructionSet.h"
#include "exec/Lanes.h"
#include "exec/Rounding.h"

#include <cmath>

using namespace graphrt;
using namespace graphrt::exec;
using namespace graphrt::ptx;

namespace {

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

enum class Comparison : uint8_t {
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  // Unsigned.
  Lo,
  Ls,
  Hi,
  Hs,
  // True also if an operand is NaN.
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num,
  Nan,
  Unknown,
};

template <typename T>
[[gnu::always_inline]] inline bool compare(Comparison comparison, T a, T b) {
  bool unordered = a != a || b != b;
  switch (comparison) {
  case Comparison::Eq:
    return a == b;
  case Comparison::Ne:
    return a != b && !unordered;
  case Comparison::Lt:
  case Comparison::Lo:
    return a < b;
  case Comparison::Le:
  case Comparison::Ls:
    return a <= b;
  case Comparison::Gt:
  case Comparison::Hi:
    return a > b;
  case Comparison::Ge:
  case Comparison::Hs:
    return a >= b;
  case Comparison::Equ:
    return a == b || unordered;
  case Comparison::Neu:
    return a != b;
  case Comparison::Ltu:
    return !(a >= b);
  case Comparison::Leu:
    return !(a > b);
  case Comparison::Gtu:
    return !(a <= b);
  case Comparison::Geu:
    return !(a < b);
  case Comparison::Num:
    return !unordered;
  case Comparison::Nan:
    return unordered;
  case Comparison::Unknown:
    break;
  }
  return false;
}

/// How a lane's value is read: T itself, or a 16-bit float as f32.
template <typename T>
struct Read {
  using Stored = T;
  static T value(T stored) { return stored; }
};
template <>
struct Read<F16> {
  using Stored = uint16_t;
  static float value(uint16_t stored) { return F16::widen(stored); }
};
template <>
struct Read<Bf16> {
  using Stored = uint16_t;
  static float value(uint16_t stored) { return Bf16::widen(stored); }
};
/// f32 with denormal values read as zero.
struct Flushed {};
template <>
struct Read<Flushed> {
  using Stored = float;
  static float value(float stored) { return flushDenormal(stored); }
};

/// Inlined so that a constant comparison makes a loop without branches.
template <typename T>
[[gnu::always_inline]] inline LaneMask
compareLanes(Comparison comparison, Warp &warp, const Instruction &i) {
  const auto *a = warp.lanes<typename Read<T>::Stored>(i.slots[1]);
  const auto *b = warp.lanes<typename Read<T>::Stored>(i.slots[2]);
  LaneMask result = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    auto left = Read<T>::value(a[lane]), right = Read<T>::value(b[lane]);
    result |= LaneMask(compare(comparison, left, right)) << lane;
  }
  return result;
}

/// The handler of a comparison; unsigned ones have names of their own.
template <template <Comparison, typename> class Use, typename T, bool IsFloat>
Handler pickComparison(Comparison comparison) {
#define GRAPHRT_CASE(name, used)                                               \
  case Comparison::name:                                                       \
    return Use<Comparison::used, T>::handler;
  switch (comparison) {
    GRAPHRT_CASE(Eq, Eq)
    GRAPHRT_CASE(Ne, Ne)
    GRAPHRT_CASE(Lt, Lt)
    GRAPHRT_CASE(Le, Le)
    GRAPHRT_CASE(Gt, Gt)
    GRAPHRT_CASE(Ge, Ge)
  default:
    break;
  }
  if constexpr (IsFloat) {
    switch (comparison) {
      GRAPHRT_CASE(Equ, Equ)
      GRAPHRT_CASE(Neu, Neu)
      GRAPHRT_CASE(Ltu, Ltu)
      GRAPHRT_CASE(Leu, Leu)
      GRAPHRT_CASE(Gtu, Gtu)
      GRAPHRT_CASE(Geu, Geu)
      GRAPHRT_CASE(Num, Num)
      GRAPHRT_CASE(Nan, Nan)
    default:
      break;
    }
  } else {
    switch (comparison) {
      GRAPHRT_CASE(Lo, Lt)
      GRAPHRT_CASE(Ls, Le)
      GRAPHRT_CASE(Hi, Gt)
      GRAPHRT_CASE(Hs, Ge)
    default:
      break;
    }
  }
#undef GRAPHRT_CASE
  return nullptr;
}

template <template <Comparison, typename> class Use>
Handler pickCompared(ScalarType type, Comparison comparison, bool ftz) {
  switch (type) {
  case ScalarType::F32:
    return ftz ? pickComparison<Use, Flushed, true>(comparison)
               : pickComparison<Use, float, true>(comparison);
  case ScalarType::F64:
    return pickComparison<Use, double, true>(comparison);
  case ScalarType::F16:
    return pickComparison<Use, F16, true>(comparison);
  case ScalarType::Bf16:
    return pickComparison<Use, Bf16, true>(comparison);
  default:
    return pickInteger(type, [&]<typename T>() -> Handler {
      return pickComparison<Use, T, false>(comparison);
    });
  }
}

Comparison takeComparison(Decoder &decoder) {
  return Comparison(decoder.acceptAny({"eq", "ne", "lt", "le", "gt", "ge", "lo",
                                       "ls", "hi", "hs", "equ", "neu", "ltu",
                                       "leu", "gtu", "geu", "num", "nan"}));
}

//===----------------------------------------------------------------------===//
// setp: slots are p, a, b, c, q; options[0] combines with c, options[1]
// complements it
//===----------------------------------------------------------------------===//

LaneMask combine(Warp &warp, const Instruction &i, LaneMask value) {
  if (i.options[0] == 3)
    return value;
  LaneMask other = warp.predicate(i.slots[3]);
  if (i.options[1])
    other = ~other;
  return i.options[0] == 0   ? value & other
         : i.options[0] == 1 ? value | other
                             : value ^ other;
}

template <Comparison C, typename T>
struct SetPredicate {
  static void handler(Warp &warp, const Instruction &i) {
    LaneMask result = compareLanes<T>(C, warp, i);
    LaneMask value = combine(warp, i, result);
    if (i.slots[4] != noSlot) {
      LaneMask opposite = combine(warp, i, ~result);
      warp.setPredicate(i.slots[4], opposite);
    }
    warp.setPredicate(i.slots[0], value);
  }
};

/// Two 16-bit floats: p is for the low halves, q for the high ones.
template <Comparison C, typename T>
struct SetPackedPredicates {
  static void handler(Warp &warp, const Instruction &i) {
    const uint32_t *a = warp.lanes<uint32_t>(i.slots[1]);
    const uint32_t *b = warp.lanes<uint32_t>(i.slots[2]);
    LaneMask low = 0, high = 0;
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      auto isTrue = [&](unsigned shift) {
        return LaneMask(compare(C, Read<T>::value(uint16_t(a[lane] >> shift)),
                                Read<T>::value(uint16_t(b[lane] >> shift))));
      };
      low |= isTrue(0) << lane;
      high |= isTrue(16) << lane;
    }
    low = combine(warp, i, low);
    high = combine(warp, i, high);
    warp.setPredicate(i.slots[0], low);
    if (i.slots[4] != noSlot)
      warp.setPredicate(i.slots[4], high);
  }
};

Handler pickPacked(ScalarType type, Comparison comparison) {
  return type == ScalarType::F16x2
             ? pickComparison<SetPackedPredicates, F16, true>(comparison)
             : pickComparison<SetPackedPredicates, Bf16, true>(comparison);
}

/// Takes .and, .or or .xor and the predicate at `position`.
void takeCombination(Decoder &decoder, unsigned position) {
  Instruction &instruction = decoder.instruction();
  unsigned combination = decoder.acceptAny({"and", "or", "xor"});
  instruction.options[0] = combination;
  if (combination == 3)
    return;
  decoder.predicate(3, position);
  instruction.options[1] = decoder.operand(position).isNegated;
}

Handler decodeSetp(Decoder &decoder) {
  Comparison comparison = takeComparison(decoder);
  takeCombination(decoder, 3);
  bool ftz = decoder.accept("ftz");
  ScalarType type = decoder.type();
  std::vector<Operand> results = decoder.elements(0);
  Instruction &instruction = decoder.instruction();
  instruction.slots[0] = decoder.destinationSlot(results[0], ScalarType::Pred);
  if (results.size() == 2)
    instruction.slots[4] =
        decoder.destinationSlot(results[1], ScalarType::Pred);
  decoder.source(1, 1, type);
  decoder.source(2, 2, type);
  bool isPacked = type == ScalarType::F16x2 || type == ScalarType::Bf16x2;
  return orUnsupported(
      decoder, isPacked ? pickPacked(type, comparison)
                        : pickCompared<SetPredicate>(type, comparison, ftz));
}

//===----------------------------------------------------------------------===//
// set, selp, slct
//===----------------------------------------------------------------------===//

/// set: immediate holds what true means, options[2] the comparison. Few kernels
/// have it, so that one handler for all comparisons does.
template <typename T>
void setValue(Warp &warp, const Instruction &i) {
  LaneMask value =
      combine(warp, i, compareLanes<T>(Comparison(i.options[2]), warp, i));
  uint32_t *result = warp.lanes<uint32_t>(i.slots[0]);
  uint32_t whenTrue = i.immediate;
  forEachLane(warp.active, [=](unsigned lane) {
    result[lane] = value >> lane & 1 ? whenTrue : 0;
  });
}
template <Comparison, typename T>
struct SetValue {
  static constexpr Handler handler = setValue<T>;
};

Handler decodeSet(Decoder &decoder) {
  Comparison comparison = takeComparison(decoder);
  takeCombination(decoder, 3);
  bool ftz = decoder.accept("ftz");
  ScalarType result = decoder.type(), type = decoder.type();
  if (bitsOf(result) != 32)
    return decoder.unsupported();
  decoder.destination(0, 0, result);
  decoder.source(1, 1, type);
  decoder.source(2, 2, type);
  decoder.instruction().options[2] = uint8_t(comparison);
  decoder.instruction().immediate =
      result == ScalarType::F32 ? 0x3f800000 : 0xffffffff;
  return orUnsupported(decoder, pickCompared<SetValue>(type, comparison, ftz));
}

template <typename T>
void select(Warp &warp, const Instruction &i) {
  T *result = warp.lanes<T>(i.slots[0]);
  const T *a = warp.lanes<T>(i.slots[1]), *b = warp.lanes<T>(i.slots[2]);
  LaneMask choice = warp.predicate(i.slots[3]);
  forEachLane(warp.active, [=](unsigned lane) {
    result[lane] = choice >> lane & 1 ? a[lane] : b[lane];
  });
}

Handler decodeSelp(Decoder &decoder) {
  ScalarType type = decoder.type();
  decodeOperands(decoder, 2, type);
  decoder.predicate(3, 3);
  return orUnsupported(
      decoder, pickBits(bitsOf(type),
                        []<typename T>() -> Handler { return select<T>; }));
}

template <typename T, typename C>
T selectBySign(T a, T b, C c) {
  return c >= 0 ? a : b;
}

Handler decodeSlct(Decoder &decoder) {
  decoder.accept("ftz");
  ScalarType type = decoder.type(), condition = decoder.type();
  decodeOperands(decoder, 2, type);
  decoder.source(3, 3, condition);
  bool isFloat = condition == ScalarType::F32;
  return orUnsupported(
      decoder, pickBits(bitsOf(type), [&]<typename T>() -> Handler {
        return isFloat ? map<selectBySign<T, float>, T, T, T, float>
                       : map<selectBySign<T, int32_t>, T, T, T, int32_t>;
      }));
}

constexpr Entry entries[] = {
    {"setp", decodeSetp},
    {"set", decodeSet},
    {"selp", decodeSelp},
    {"slct", decodeSlct},
};

} // namespace

std::span<const Entry> exec::compareInstructions() { return entries; }
