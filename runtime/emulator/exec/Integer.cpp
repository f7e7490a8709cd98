//===- Integer.cpp - Integer arithmetic -----------------------------------===//

#include "exec/InstructionSet.h"
#include "exec/Lanes.h"

#include <type_traits>

using namespace graphrt;
using namespace graphrt::exec;
using namespace graphrt::ptx;

namespace {

//===----------------------------------------------------------------------===//
// One lane
//===----------------------------------------------------------------------===//

/// Twice as wide, to hold products.
template <typename T>
struct Widened;
template <>
struct Widened<uint16_t> {
  using type = uint32_t;
};
template <>
struct Widened<int16_t> {
  using type = int32_t;
};
template <>
struct Widened<uint32_t> {
  using type = uint64_t;
};
template <>
struct Widened<int32_t> {
  using type = int64_t;
};
template <>
struct Widened<uint64_t> {
  using type = unsigned __int128;
};
template <>
struct Widened<int64_t> {
  using type = __int128;
};
template <typename T>
using Wide = typename Widened<T>::type;
template <typename T>
using Unsigned = std::make_unsigned_t<T>;

// Sums and products wrap: they are computed without sign, the narrow ones in 32
// bits.
template <typename T>
T add(T a, T b) {
  return uint64_t(a) + uint64_t(b);
}
template <typename T>
T sub(T a, T b) {
  return uint64_t(a) - uint64_t(b);
}
template <typename T>
T mulLow(T a, T b) {
  return uint64_t(a) * uint64_t(b);
}
template <typename T>
T mulHigh(T a, T b) {
  return Wide<T>(a) * Wide<T>(b) >> (sizeof(T) * 8);
}
template <typename T>
Wide<T> mulWide(T a, T b) {
  return Wide<T>(a) * Wide<T>(b);
}
template <typename T>
T madLow(T a, T b, T c) {
  return add(mulLow(a, b), c);
}
template <typename T>
T madHigh(T a, T b, T c) {
  return add(mulHigh(a, b), c);
}
template <typename T>
Wide<T> madWide(T a, T b, Wide<T> c) {
  return uint64_t(mulWide(a, b)) + uint64_t(c);
}

/// The low 24 bits, with their sign.
template <typename T>
T low24(T a) {
  return T(uint32_t(a) << 8) >> 8;
}
template <typename T>
T mul24(T a, T b) {
  return Wide<T>(low24(a)) * low24(b);
}
template <typename T>
T mad24(T a, T b, T c) {
  return add(mul24(a, b), c);
}

/// A division by zero gives all ones, and its remainder the dividend; the
/// overflow of signed division gives the dividend.
template <typename T>
T div(T a, T b) {
  if (b == 0)
    return T(-1);
  if (std::is_signed_v<T> && b == T(-1))
    return sub(T(0), a);
  return a / b;
}
template <typename T>
T rem(T a, T b) {
  if (b == 0)
    return a;
  if (std::is_signed_v<T> && b == T(-1))
    return 0;
  return a % b;
}

template <typename T>
T neg(T a) {
  return sub(T(0), a);
}
template <typename T>
T abs(T a) {
  return a < 0 ? neg(a) : a;
}
template <typename T>
T min(T a, T b) {
  return b < a ? b : a;
}
template <typename T>
T max(T a, T b) {
  return a < b ? b : a;
}
template <typename T>
T sad(T a, T b, T c) {
  return add(c, a < b ? sub(b, a) : sub(a, b));
}

int32_t addSaturating(int32_t a, int32_t b) {
  int64_t sum = int64_t(a) + b;
  return sum < INT32_MIN ? INT32_MIN : sum > INT32_MAX ? INT32_MAX : sum;
}
int32_t subSaturating(int32_t a, int32_t b) {
  int64_t sum = int64_t(a) - b;
  return sum < INT32_MIN ? INT32_MIN : sum > INT32_MAX ? INT32_MAX : sum;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

template <size_t, typename T>
using Repeat = T;

template <auto Op, typename T, size_t... I>
Handler mapSame(std::index_sequence<I...>) {
  return map<Op, T, Repeat<I, T>...>;
}

#define GRAPHRT_PICK_INTEGER(type, function, sources)                          \
  pickInteger(type, []<typename T>() -> Handler {                              \
    return mapSame<function<T>, T>(std::make_index_sequence<sources>());       \
  })

/// Decodes a function of `sources` operands, all of the result's type.
#define GRAPHRT_DECODE_INTEGER(function, sources)                              \
  [](Decoder &decoder, ScalarType type) -> Handler {                           \
    decodeOperands(decoder, sources, type);                                    \
    return GRAPHRT_PICK_INTEGER(type, function, sources);                      \
  }

/// Sums wrap, or saturate if they are of s32 and say so.
template <auto Saturating>
Handler decodeSum(Decoder &decoder, ScalarType type, TypedDecode wrapping) {
  if (type != ScalarType::S32 || !decoder.accept("sat"))
    return wrapping(decoder, type);
  decodeOperands(decoder, 2, type);
  return map<Saturating, int32_t, int32_t, int32_t>;
}
Handler decodeAdd(Decoder &decoder, ScalarType type) {
  return decodeSum<addSaturating>(decoder, type,
                                  GRAPHRT_DECODE_INTEGER(add, 2));
}
Handler decodeSub(Decoder &decoder, ScalarType type) {
  return decodeSum<subSaturating>(decoder, type,
                                  GRAPHRT_DECODE_INTEGER(sub, 2));
}

/// The type of a .wide result, or B8 where there is none.
ScalarType widen(ScalarType type) {
  switch (type) {
  case ScalarType::U16:
    return ScalarType::U32;
  case ScalarType::S16:
    return ScalarType::S32;
  case ScalarType::U32:
    return ScalarType::U64;
  case ScalarType::S32:
    return ScalarType::S64;
  default:
    return ScalarType::B8;
  }
}

/// Calls `pick` with the C++ type of a type that has a wider one.
template <typename Pick>
Handler pickWidening(ScalarType type, Pick pick) {
  return widen(type) == ScalarType::B8
             ? nullptr
             : pickInteger(type, [&]<typename T>() -> Handler {
                 if constexpr (sizeof(T) < 8)
                   return pick.template operator()<T>();
                 return nullptr;
               });
}

/// Products: mul has two factors, mad an addend of the result's type too.
enum class Part { Low, High, Wide };
Part takePart(Decoder &decoder) {
  if (decoder.accept("wide"))
    return Part::Wide;
  return decoder.acceptAny({"hi", "lo"}) == 0 ? Part::High : Part::Low;
}

Handler decodeMul(Decoder &decoder, ScalarType type) {
  Part part = takePart(decoder);
  decoder.destination(0, 0, part == Part::Wide ? widen(type) : type);
  decoder.source(1, 1, type);
  decoder.source(2, 2, type);
  if (part == Part::Wide)
    return pickWidening(type, []<typename T>() -> Handler {
      return map<mulWide<T>, Wide<T>, T, T>;
    });
  return part == Part::High ? GRAPHRT_PICK_INTEGER(type, mulHigh, 2)
                            : GRAPHRT_PICK_INTEGER(type, mulLow, 2);
}

Handler decodeMad(Decoder &decoder, ScalarType type) {
  Part part = takePart(decoder);
  ScalarType result = part == Part::Wide ? widen(type) : type;
  decoder.destination(0, 0, result);
  decoder.source(1, 1, type);
  decoder.source(2, 2, type);
  decoder.source(3, 3, result);
  if (part == Part::Wide)
    return pickWidening(type, []<typename T>() -> Handler {
      return map<madWide<T>, Wide<T>, T, T, Wide<T>>;
    });
  return part == Part::High ? GRAPHRT_PICK_INTEGER(type, madHigh, 3)
                            : GRAPHRT_PICK_INTEGER(type, madLow, 3);
}

/// Products of 24 bits, of which only .lo is known.
#define GRAPHRT_DECODE_24(function, sources)                                   \
  [](Decoder &decoder, ScalarType type) -> Handler {                           \
    decodeOperands(decoder, sources, type);                                    \
    if (!decoder.accept("lo"))                                                 \
      return nullptr;                                                          \
    return type == ScalarType::S32 ? mapSame<function<int32_t>, int32_t>(      \
                                         std::make_index_sequence<sources>())  \
                                   : mapSame<function<uint32_t>, uint32_t>(    \
                                         std::make_index_sequence<sources>()); \
  }

constexpr TypedEntry entries[] = {
    {"add", decodeAdd},
    {"sub", decodeSub},
    {"mul", decodeMul},
    {"mad", decodeMad},
    {"mul24", GRAPHRT_DECODE_24(mul24, 2)},
    {"mad24", GRAPHRT_DECODE_24(mad24, 3)},
    {"div", GRAPHRT_DECODE_INTEGER(div, 2)},
    {"rem", GRAPHRT_DECODE_INTEGER(rem, 2)},
    {"neg", GRAPHRT_DECODE_INTEGER(neg, 1)},
    {"abs", GRAPHRT_DECODE_INTEGER(abs, 1)},
    {"min", GRAPHRT_DECODE_INTEGER(min, 2)},
    {"max", GRAPHRT_DECODE_INTEGER(max, 2)},
    {"sad", GRAPHRT_DECODE_INTEGER(sad, 3)},
};

} // namespace

std::span<const TypedEntry> exec::integerInstructions() { return entries; }
