//===- Bits.cpp - Logic, shifts and bit fields ----------------------------===//

#include "exec/InstructionSet.h"
#include "exec/Lanes.h"

#include <algorithm>
#include <bit>

using namespace graphrt;
using namespace graphrt::exec;
using namespace graphrt::ptx;

namespace {

template <typename T>
constexpr unsigned width = sizeof(T) * 8;

//===----------------------------------------------------------------------===//
// Logic
//===----------------------------------------------------------------------===//

template <typename T>
T bitAnd(T a, T b) {
  return a & b;
}
template <typename T>
T bitOr(T a, T b) {
  return a | b;
}
template <typename T>
T bitXor(T a, T b) {
  return a ^ b;
}
template <typename T>
T bitNot(T a) {
  return ~a;
}
template <typename T>
T isZero(T a) {
  return a == 0;
}

/// Predicates are whole masks: the function applies to all lanes at once.
template <auto Op>
void mapPredicates(Warp &warp, const Instruction &i) {
  warp.setPredicate(i.slots[0],
                    Op(warp.predicate(i.slots[1]), warp.predicate(i.slots[2])));
}
void notPredicate(Warp &warp, const Instruction &i) {
  warp.setPredicate(i.slots[0], ~warp.predicate(i.slots[1]));
}

#define GRAPHRT_DECODE_LOGIC(name, function)                                   \
  Handler name(Decoder &decoder) {                                             \
    ScalarType type = decoder.type();                                          \
    decodeOperands(decoder, 2, type);                                          \
    if (type == ScalarType::Pred)                                              \
      return mapPredicates<function<LaneMask>>;                                \
    return orUnsupported(decoder,                                              \
                         pickBits(bitsOf(type), []<typename T>() -> Handler {  \
                           return map<function<T>, T, T, T>;                   \
                         }));                                                  \
  }
GRAPHRT_DECODE_LOGIC(decodeAnd, bitAnd)
GRAPHRT_DECODE_LOGIC(decodeOr, bitOr)
GRAPHRT_DECODE_LOGIC(decodeXor, bitXor)
#undef GRAPHRT_DECODE_LOGIC

Handler decodeNot(Decoder &decoder) {
  ScalarType type = decoder.type();
  decodeOperands(decoder, 1, type);
  if (type == ScalarType::Pred)
    return notPredicate;
  return orUnsupported(decoder,
                       pickBits(bitsOf(type), []<typename T>() -> Handler {
                         return map<bitNot<T>, T, T>;
                       }));
}

Handler decodeCnot(Decoder &decoder) {
  ScalarType type = decoder.type();
  decodeOperands(decoder, 1, type);
  return orUnsupported(decoder,
                       pickBits(bitsOf(type), []<typename T>() -> Handler {
                         return map<isZero<T>, T, T>;
                       }));
}

/// Bit i of the result is the table's bit a:b:c.
void lookUp(Warp &warp, const Instruction &i) {
  uint32_t *result = warp.lanes<uint32_t>(i.slots[0]);
  const uint32_t *a = warp.lanes<uint32_t>(i.slots[1]);
  const uint32_t *b = warp.lanes<uint32_t>(i.slots[2]);
  const uint32_t *c = warp.lanes<uint32_t>(i.slots[3]);
  unsigned table = i.immediate;
  forEachLane(warp.active, [=](unsigned lane) {
    uint32_t bits = 0;
    for (unsigned row = 0; row < 8; ++row)
      if (table >> row & 1)
        bits |= (row & 4 ? a[lane] : ~a[lane]) &
                (row & 2 ? b[lane] : ~b[lane]) & (row & 1 ? c[lane] : ~c[lane]);
    result[lane] = bits;
  });
}

Handler decodeLop3(Decoder &decoder) {
  decodeOperands(decoder, 3, decoder.type());
  decoder.instruction().immediate = decoder.integer(4);
  return lookUp;
}

//===----------------------------------------------------------------------===//
// Shifts: amounts beyond the width shift everything out
//===----------------------------------------------------------------------===//

template <typename T>
T shiftLeft(T a, uint32_t amount) {
  return amount >= width<T> ? 0 : a << amount;
}
template <typename T>
T shiftRight(T a, uint32_t amount) {
  return a >> std::min(amount, width<T> - 1) >> (amount >= width<T>);
}

Handler decodeShift(Decoder &decoder) {
  ScalarType type = decoder.type();
  decoder.destination(0, 0, type);
  decoder.source(1, 1, type);
  decoder.source(2, 2, ScalarType::U32);
  bool left = decoder.mnemonic() == "shl";
  return orUnsupported(decoder, pickInteger(type, [&]<typename T>() -> Handler {
                         return left ? map<shiftLeft<T>, T, T, uint32_t>
                                     : map<shiftRight<T>, T, T, uint32_t>;
                       }));
}

uint32_t funnelLeft(uint32_t low, uint32_t high, uint32_t amount) {
  return (uint64_t(high) << 32 | low) << amount >> 32;
}
uint32_t funnelRight(uint32_t low, uint32_t high, uint32_t amount) {
  return (uint64_t(high) << 32 | low) >> amount;
}
template <auto Shift>
uint32_t clamped(uint32_t low, uint32_t high, uint32_t amount) {
  return Shift(low, high, std::min(amount, 32u));
}
template <auto Shift>
uint32_t wrapped(uint32_t low, uint32_t high, uint32_t amount) {
  return Shift(low, high, amount % 32);
}

Handler decodeFunnelShift(Decoder &decoder) {
  bool left = decoder.accept("l");
  if (!left && !decoder.accept("r"))
    return decoder.unsupported();
  bool wraps = decoder.accept("wrap");
  if (!wraps && !decoder.accept("clamp"))
    return decoder.unsupported();
  decodeOperands(decoder, 3, decoder.type());
  using U = uint32_t;
  if (left)
    return wraps ? map<wrapped<funnelLeft>, U, U, U, U>
                 : map<clamped<funnelLeft>, U, U, U, U>;
  return wraps ? map<wrapped<funnelRight>, U, U, U, U>
               : map<clamped<funnelRight>, U, U, U, U>;
}

//===----------------------------------------------------------------------===//
// Counting and finding
//===----------------------------------------------------------------------===//

template <typename T>
uint32_t countOnes(T a) {
  return std::popcount(a);
}
template <typename T>
uint32_t countLeadingZeros(T a) {
  return std::countl_zero(a);
}
template <typename T>
T reverse(T a) {
  T result = 0;
  for (unsigned bit = 0; bit < width<T>; ++bit)
    result |= (a >> bit & 1) << (width<T> - 1 - bit);
  return result;
}
/// The highest bit that differs from the sign, or all ones.
template <typename T>
uint32_t findHighest(T a) {
  std::make_unsigned_t<T> bits = a < 0 ? ~a : a;
  return bits == 0 ? ~0u : width<T> - 1 - std::countl_zero(bits);
}
template <typename T>
uint32_t findShift(T a) {
  uint32_t found = findHighest(a);
  return found == ~0u ? found : width<T> - 1 - found;
}

#define GRAPHRT_DECODE_COUNT(name, function)                                   \
  Handler name(Decoder &decoder) {                                             \
    ScalarType type = decoder.type();                                          \
    decoder.destination(0, 0, ScalarType::U32);                                \
    decoder.source(1, 1, type);                                                \
    return bitsOf(type) == 64 ? map<function<uint64_t>, uint32_t, uint64_t>    \
                              : map<function<uint32_t>, uint32_t, uint32_t>;   \
  }
GRAPHRT_DECODE_COUNT(decodePopc, countOnes)
GRAPHRT_DECODE_COUNT(decodeClz, countLeadingZeros)
#undef GRAPHRT_DECODE_COUNT

Handler decodeBrev(Decoder &decoder) {
  ScalarType type = decoder.type();
  decodeOperands(decoder, 1, type);
  return bitsOf(type) == 64 ? map<reverse<uint64_t>, uint64_t, uint64_t>
                            : map<reverse<uint32_t>, uint32_t, uint32_t>;
}

Handler decodeBfind(Decoder &decoder) {
  bool asShift = decoder.accept("shiftamt");
  ScalarType type = decoder.type();
  decoder.destination(0, 0, ScalarType::U32);
  decoder.source(1, 1, type);
  return orUnsupported(decoder, pickInteger(type, [&]<typename T>() -> Handler {
                         return asShift ? map<findShift<T>, uint32_t, T>
                                        : map<findHighest<T>, uint32_t, T>;
                       }));
}

//===----------------------------------------------------------------------===//
// Bit fields and bytes
//===----------------------------------------------------------------------===//

/// `length` bits from `position`; beyond the top come zeros or the sign.
template <typename T>
T extract(T a, uint32_t position, uint32_t length) {
  position &= 255;
  length &= 255;
  if (length == 0)
    return 0;
  unsigned top = std::min(position + length, width<T>) - 1;
  T sign = std::is_signed_v<T> && (a >> top & 1) ? T(-1) : T(0);
  if (position >= width<T>)
    return sign;
  if (length >= width<T>)
    return shiftRight(a, position);
  using U = std::make_unsigned_t<T>;
  U mask = (U(1) << length) - 1;
  U field = U(a) >> position & mask;
  if (top + 1 < position + length)
    mask = (U(1) << (top + 1 - position)) - 1;
  return sign ? T(field | ~mask) : T(field);
}

template <typename T>
T insert(T a, T b, uint32_t position, uint32_t length) {
  position &= 255;
  length &= 255;
  if (position >= width<T> || length == 0)
    return b;
  T mask = length >= width<T> ? ~T(0) : (T(1) << length) - 1;
  return (b & ~(mask << position)) | (a & mask) << position;
}

Handler decodeBfe(Decoder &decoder) {
  ScalarType type = decoder.type();
  decoder.destination(0, 0, type);
  decoder.source(1, 1, type);
  decoder.source(2, 2, ScalarType::U32);
  decoder.source(3, 3, ScalarType::U32);
  return orUnsupported(decoder, pickInteger(type, []<typename T>() -> Handler {
                         return map<extract<T>, T, T, uint32_t, uint32_t>;
                       }));
}

Handler decodeBfi(Decoder &decoder) {
  ScalarType type = decoder.type();
  decoder.destination(0, 0, type);
  decoder.source(1, 1, type);
  decoder.source(2, 2, type);
  decoder.source(3, 3, ScalarType::U32);
  decoder.source(4, 4, ScalarType::U32);
  if (bitsOf(type) == 64)
    return map<insert<uint64_t>, uint64_t, uint64_t, uint64_t, uint32_t,
               uint32_t>;
  return map<insert<uint32_t>, uint32_t, uint32_t, uint32_t, uint32_t,
             uint32_t>;
}

/// Four bytes of the eight in b:a; bit 3 of a selector spreads the sign.
uint32_t permute(uint32_t a, uint32_t b, uint32_t selectors) {
  uint64_t bytes = uint64_t(b) << 32 | a;
  uint32_t result = 0;
  for (unsigned index = 0; index < 4; ++index) {
    unsigned selector = selectors >> (4 * index) & 15;
    uint8_t byte = bytes >> (8 * (selector & 7));
    if (selector & 8)
      byte = byte & 0x80 ? 0xff : 0;
    result |= uint32_t(byte) << (8 * index);
  }
  return result;
}

/// The modes choose selectors from the low two bits of c.
template <unsigned Mode>
uint32_t permuteMode(uint32_t a, uint32_t b, uint32_t c) {
  constexpr uint16_t selectors[6][4] = {
      {0x3210, 0x4321, 0x5432, 0x6543}, // f4e
      {0x5670, 0x6701, 0x7012, 0x0123}, // b4e
      {0x0000, 0x1111, 0x2222, 0x3333}, // rc8
      {0x3210, 0x3211, 0x3222, 0x3333}, // ecl
      {0x0000, 0x1110, 0x2210, 0x3210}, // ecr
      {0x1010, 0x3232, 0x1010, 0x3232}, // rc16
  };
  return permute(a, b, selectors[Mode][c & 3]);
}

Handler decodePrmt(Decoder &decoder) {
  unsigned mode =
      decoder.acceptAny({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  decodeOperands(decoder, 3, decoder.type());
  using U = uint32_t;
  constexpr Handler handlers[] = {
      map<permuteMode<0>, U, U, U, U>, map<permuteMode<1>, U, U, U, U>,
      map<permuteMode<2>, U, U, U, U>, map<permuteMode<3>, U, U, U, U>,
      map<permuteMode<4>, U, U, U, U>, map<permuteMode<5>, U, U, U, U>,
      map<permute, U, U, U, U>};
  return handlers[mode];
}

uint32_t maskOf(uint32_t position, uint32_t length, bool wraps) {
  if (wraps) {
    position %= 32;
    length %= 32;
  }
  return insert<uint32_t>(~0u, 0, std::min(position, 255u),
                          std::min(length, 255u));
}
uint32_t clampedMask(uint32_t position, uint32_t length) {
  return maskOf(position, length, false);
}
uint32_t wrappedMask(uint32_t position, uint32_t length) {
  return maskOf(position, length, true);
}

Handler decodeBmsk(Decoder &decoder) {
  bool wraps = decoder.accept("wrap");
  decoder.accept("clamp");
  decodeOperands(decoder, 2, decoder.type());
  using U = uint32_t;
  return wraps ? map<wrappedMask, U, U, U> : map<clampedMask, U, U, U>;
}

constexpr Entry entries[] = {
    {"and", decodeAnd},   {"or", decodeOr},     {"xor", decodeXor},
    {"not", decodeNot},   {"cnot", decodeCnot}, {"lop3", decodeLop3},
    {"shl", decodeShift}, {"shr", decodeShift}, {"shf", decodeFunnelShift},
    {"popc", decodePopc}, {"clz", decodeClz},   {"brev", decodeBrev},
    {"bfe", decodeBfe},   {"bfi", decodeBfi},   {"bfind", decodeBfind},
    {"prmt", decodePrmt}, {"bmsk", decodeBmsk},
};

} // namespace

std::span<const Entry> exec::bitInstructions() { return entries; }
