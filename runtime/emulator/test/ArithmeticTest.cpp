//===- ArithmeticTest.cpp - Integer and bit instructions against C++ ------===//

#include "Machine.h"

#include <bit>
#include <limits>

using namespace graphrt::test;

namespace {

const std::vector<int32_t> words = {0,
                                    1,
                                    -1,
                                    2,
                                    -2,
                                    7,
                                    -7,
                                    31,
                                    0x8000,
                                    0x7fffffff,
                                    -99,
                                    123456789,
                                    std::numeric_limits<int32_t>::min()};
const std::vector<int64_t> longs = {0,
                                    1,
                                    -1,
                                    3,
                                    -3,
                                    0x100000000,
                                    0x7fffffffffffffff,
                                    -12345678901234,
                                    std::numeric_limits<int64_t>::min()};
const std::vector<int16_t> shorts = {0, 1, -1, 255, -256, 32767, -32768, 1234};

using U = uint32_t;

TEST(Integer, AddAndSubtractWrap) {
  checkBinary<int32_t>("add.s32", words,
                       [](U a, U b) { return int32_t(a + b); });
  checkBinary<int32_t>("sub.u32", words,
                       [](U a, U b) { return int32_t(a - b); });
  checkBinary<int64_t>("add.s64", longs,
                       [](uint64_t a, uint64_t b) { return int64_t(a + b); });
  checkBinary<int16_t>("sub.s16", shorts,
                       [](int a, int b) { return int16_t(a - b); });
  checkBinary<int32_t>("add.sat.s32", words, [](int64_t a, int64_t b) {
    return int32_t(std::clamp<int64_t>(a + b, INT32_MIN, INT32_MAX));
  });
}

TEST(Integer, Multiply) {
  checkBinary<int32_t>("mul.lo.s32", words,
                       [](U a, U b) { return int32_t(a * b); });
  checkBinary<int32_t>("mul.hi.s32", words, [](int64_t a, int64_t b) {
    return int32_t(a * b >> 32);
  });
  checkBinary<int32_t>("mul.hi.u32", words,
                       [](U a, U b) { return int32_t(uint64_t(a) * b >> 32); });
  checkBinary<int64_t>("mul.wide.s32", words,
                       [](int64_t a, int64_t b) { return a * b; });
  checkBinary<int64_t>("mul.wide.u32", words,
                       [](U a, U b) { return int64_t(uint64_t(a) * b); });
  checkBinary<int32_t>("mul.wide.u16", shorts, [](uint16_t a, uint16_t b) {
    return int32_t(U(a) * b);
  });
  checkBinary<int64_t>("mul.hi.u64", longs, [](uint64_t a, uint64_t b) {
    return int64_t((unsigned __int128)a * b >> 64);
  });
}

TEST(Integer, MultiplyAdd) {
  auto [a, b] = pairs(words);
  auto low = evaluate<int32_t>("mad.lo.s32 %d, %a, %b, 11;", a, b);
  auto wide = evaluate<int64_t>("mov.b64 %rd1, -5;\n"
                                "mad.wide.s32 %d, %a, %b, %rd1;",
                                a, b);
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(low[i], int32_t(U(a[i]) * U(b[i]) + 11));
    EXPECT_EQ(wide[i], int64_t(a[i]) * b[i] - 5);
  }
}

TEST(Integer, Divide) {
  checkBinary<int32_t>("div.s32", words, [](int64_t a, int64_t b) {
    return b == 0 ? -1 : int32_t(a / b);
  });
  checkBinary<int32_t>("rem.s32", words, [](int64_t a, int64_t b) {
    return int32_t(b == 0 ? a : a % b);
  });
  checkBinary<int32_t>("div.u32", words,
                       [](U a, U b) { return int32_t(b == 0 ? ~0u : a / b); });
  checkBinary<int64_t>("rem.u64", longs, [](uint64_t a, uint64_t b) {
    return int64_t(b == 0 ? a : a % b);
  });
}

TEST(Integer, MinMaxAbsNeg) {
  checkBinary<int32_t>("min.s32", words,
                       [](int32_t a, int32_t b) { return std::min(a, b); });
  checkBinary<int32_t>("max.u32", words,
                       [](U a, U b) { return int32_t(std::max(a, b)); });
  checkUnary<int32_t>("abs.s32", words,
                      [](int32_t a) { return a < 0 ? int32_t(-U(a)) : a; });
  checkUnary<int64_t>("neg.s64", longs,
                      [](int64_t a) { return int64_t(-uint64_t(a)); });
}

TEST(Integer, CarryChainsAdd128Bits) {
  std::vector<uint64_t> a = {~0ull, 1, ~0ull, 5}, b = {1, 2, ~0ull, ~0ull};
  auto high = evaluate<uint64_t>("add.cc.u64 %rd1, %a, %b;\n"
                                 "addc.u64 %d, %a, 0;",
                                 a, b);
  auto borrow = evaluate<uint64_t>("sub.cc.u64 %rd1, %a, %b;\n"
                                   "subc.u64 %d, %a, 0;",
                                   a, b);
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(high[i], a[i] + (a[i] + b[i] < a[i]));
    EXPECT_EQ(borrow[i], a[i] - (a[i] < b[i]));
  }
}

TEST(Bits, LogicAndShifts) {
  checkBinary<int32_t>("and.b32", words, [](U a, U b) { return a & b; });
  checkBinary<int64_t>("xor.b64", longs,
                       [](int64_t a, int64_t b) { return a ^ b; });
  checkUnary<int16_t>("not.b16", shorts, [](int16_t a) { return ~a; });
  checkBinary<int32_t>("shl.b32", words,
                       [](U a, U b) { return b > 31 ? 0 : a << b; });
  checkBinary<int32_t>("shr.u32", words,
                       [](U a, U b) { return b > 31 ? 0 : a >> b; });
  checkBinary<int32_t>("shr.s32", words,
                       [](int32_t a, U b) { return a >> std::min(b, 31u); });
  auto [a, b] = pairs(words);
  auto majority = evaluate<int32_t>("lop3.b32 %d, %a, %b, 85, 0xe8;", a, b);
  auto left = evaluate<int32_t>("shf.l.wrap.b32 %d, %a, %b, 37;", a, b);
  auto right = evaluate<int32_t>("shf.r.clamp.b32 %d, %a, %b, 40;", a, b);
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(majority[i], (a[i] & b[i]) | (a[i] & 85) | (b[i] & 85));
    EXPECT_EQ(U(left[i]), U(b[i]) << 5 | U(a[i]) >> 27);
    EXPECT_EQ(right[i], b[i]);
  }
}

TEST(Bits, CountAndFind) {
  checkUnary<int32_t>("popc.b32", words,
                      [](U a) { return int32_t(std::popcount(a)); });
  checkUnary<int32_t>("clz.b64", longs,
                      [](uint64_t a) { return std::countl_zero(a); });
  checkUnary<int32_t>("bfind.u32", words, [](U a) {
    return a == 0 ? -1 : 31 - std::countl_zero(a);
  });
  checkUnary<int32_t>("bfind.s32", words, [](int32_t a) {
    U bits = a < 0 ? ~a : a;
    return bits == 0 ? -1 : 31 - std::countl_zero(bits);
  });
  auto reversed = evaluate<int32_t>("brev.b32 %d, %a;", words);
  for (size_t i = 0; i < words.size(); ++i)
    EXPECT_EQ(U(reversed[i]) >> 31, U(words[i]) & 1);
}

TEST(Bits, Fields) {
  for (unsigned position : {0u, 3u, 30u, 32u, 40u})
    for (unsigned length : {0u, 1u, 8u, 31u, 32u, 40u}) {
      std::string field =
          std::to_string(position) + ", " + std::to_string(length) + ";";
      auto found = evaluate<int32_t>("bfe.u32 %d, %a, " + field, words);
      auto extended = evaluate<int32_t>("bfe.s32 %d, %a, " + field, words);
      auto inserted =
          evaluate<int32_t>("bfi.b32 %d, 0x5a5a5a5a, %a, " + field, words);
      for (size_t i = 0; i < words.size(); ++i) {
        U expected = 0, filled = words[i];
        int sign = length == 0
                       ? 0
                       : words[i] >> std::min(position + length - 1, 31u) & 1;
        U signExtended = sign ? ~0u : 0;
        for (unsigned bit = 0; bit < length; ++bit) {
          if (position + bit < 32) {
            U value = U(words[i]) >> (position + bit) & 1;
            if (bit < 32) {
              expected |= value << bit;
              signExtended = (signExtended & ~(1u << bit)) | value << bit;
            }
            U source = 0x5a5a5a5au >> bit & 1;
            filled = (filled & ~(1u << (position + bit))) |
                     source << (position + bit);
          }
        }
        EXPECT_EQ(U(found[i]), expected) << field << words[i];
        EXPECT_EQ(U(extended[i]), signExtended) << field << words[i];
        EXPECT_EQ(U(inserted[i]), filled) << field << words[i];
      }
    }
}

TEST(Bits, Permute) {
  std::vector<uint32_t> a = {0x83828180}, b = {0x07060504};
  EXPECT_EQ(evaluate<U>("prmt.b32 %d, %a, %b, 0x7531;", a, b)[0], 0x07058381u);
  EXPECT_EQ(evaluate<U>("prmt.b32 %d, %a, %b, 0xc8;", a, b)[0], 0x808000ffu);
}

} // namespace
