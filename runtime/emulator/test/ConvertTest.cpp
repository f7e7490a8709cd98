//===- ConvertTest.cpp - cvt and mov against C++ --------------------------===//

#include "Machine.h"

#include "graphrt/support/Float16.h"

#include <cfenv>
#include <cmath>
#include <limits>

using namespace graphrt;
using namespace graphrt::test;

namespace {

const std::vector<float> floats = {
    0.0f,  -0.0f,  0.5f,     1.5f,     2.5f,     -0.5f,      -1.5f,
    1e10f, -1e10f, 1e20f,    -1e20f,   1e-40f,   HUGE_VALF,  -HUGE_VALF,
    NAN,   255.5f, 65519.9f, 65520.0f, 3.14159f, 1.00390625f};
const std::vector<int32_t> words = {
    0, 1, -1, 127, 128, -129, 0x7fffffff, 255, 256, INT32_MIN, 16777217};

TEST(Convert, BetweenIntegers) {
  checkUnary<int64_t>("cvt.s64.s32", words, [](int64_t a) { return a; });
  checkUnary<int64_t>("cvt.u64.u32", words,
                      [](uint32_t a) { return int64_t(a); });
  checkUnary<int32_t>("cvt.s32.s8", words, [](int8_t a) { return int32_t(a); });
  checkUnary<int32_t>("cvt.u32.u16", words,
                      [](uint16_t a) { return int32_t(a); });
  checkUnary<int16_t>("cvt.u16.u32", words,
                      [](uint32_t a) { return int16_t(a); });
  checkUnary<int32_t>("cvt.sat.s8.s32", words,
                      [](int32_t a) { return std::clamp(a, -128, 127); });
  checkUnary<int32_t>("cvt.sat.u8.s32", words,
                      [](int32_t a) { return std::clamp(a, 0, 255); });
}

TEST(Convert, IntegerToFloat) {
  checkUnary<float>("cvt.rn.f32.s32", words,
                    [](int32_t a) { return float(a); });
  checkUnary<float>("cvt.rn.f32.u32", words,
                    [](uint32_t a) { return float(a); });
  checkUnary<float>("cvt.rz.f32.s32", words, [](int32_t a) {
    std::fesetround(FE_TOWARDZERO);
    volatile int32_t source = a;
    volatile float result = float(source);
    std::fesetround(FE_TONEAREST);
    return float(result);
  });
  std::vector<int64_t> longs = {0,         -1,        (1ll << 53) + 1,
                                INT64_MAX, INT64_MIN, 0x4000004000000001};
  checkUnary<float>("cvt.rn.f32.s64", longs,
                    [](int64_t a) { return float(a); });
  checkUnary<double>("cvt.rn.f64.u64", longs,
                     [](uint64_t a) { return double(a); });
  checkUnary<uint16_t>("cvt.rn.f16.s32", words,
                       [](int32_t a) { return f16FromFloat(float(a)); });
}

template <typename T>
T integerOf(double value) {
  if (value != value)
    return 0;
  if (value >= std::ldexp(1.0, std::numeric_limits<T>::digits))
    return std::numeric_limits<T>::max();
  if (value < double(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  return T(value);
}

TEST(Convert, FloatToIntegerClamps) {
  checkUnary<int32_t>("cvt.rzi.s32.f32", floats, [](float a) {
    return integerOf<int32_t>(std::trunc(a));
  });
  checkUnary<int32_t>("cvt.rni.s32.f32", floats, [](float a) {
    return integerOf<int32_t>(std::nearbyint(a));
  });
  checkUnary<uint32_t>("cvt.rmi.u32.f32", floats, [](float a) {
    return integerOf<uint32_t>(std::floor(a));
  });
  checkUnary<int64_t>("cvt.rpi.s64.f32", floats,
                      [](float a) { return integerOf<int64_t>(std::ceil(a)); });
  checkUnary<int32_t>("cvt.rzi.s8.f32", floats, [](float a) {
    return int32_t(integerOf<int8_t>(std::trunc(a)));
  });
}

TEST(Convert, BetweenFloats) {
  checkUnary<float>("cvt.rmi.f32.f32", floats,
                    [](float a) { return std::floor(a); });
  checkUnary<float>("cvt.rni.f32.f32", floats,
                    [](float a) { return std::nearbyint(a); });
  checkUnary<float>("cvt.sat.f32.f32", floats,
                    [](float a) { return a > 0 ? std::min(a, 1.0f) : 0.0f; });
  checkUnary<double>("cvt.f64.f32", floats, [](float a) { return double(a); });
  std::vector<double> doubles = {0.1, 1e300, -1e-50, 1 + 0x1p-24, -0.0};
  checkUnary<float>("cvt.rn.f32.f64", doubles,
                    [](double a) { return float(a); });
}

TEST(Convert, ToAndFromHalf) {
  auto canonical = [](float a, uint16_t bits) {
    return a != a ? 0x7fff : bits;
  };
  checkUnary<uint16_t>("cvt.rn.bf16.f32", floats, [&](float a) {
    return uint16_t(canonical(a, bf16FromFloat(a)));
  });
  checkUnary<uint16_t>("cvt.rn.f16.f32", floats, [&](float a) {
    return uint16_t(canonical(a, f16FromFloat(a)));
  });
  checkUnary<uint16_t>("cvt.rz.bf16.f32", floats, [&](float a) {
    return uint16_t(canonical(a, bitsOf(a) >> 16));
  });
  std::vector<uint16_t> halves = {0, 0x8000, 1, 0x3c00, 0x7c00, 0x7bff};
  checkUnary<float>("cvt.f32.f16", halves, floatFromF16);
  checkUnary<float>("cvt.f32.bf16", halves, floatFromBf16);
  checkUnary<int32_t>("cvt.rzi.s32.f16", halves, [](uint16_t a) {
    return integerOf<int32_t>(floatFromF16(a));
  });
}

TEST(Convert, RoundsHalfByEachMode) {
  // Between 1 and the next f16, and below the smallest denormal.
  std::vector<float> a = {1 + 0x1p-12f, -1 - 0x1p-12f, 0x1p-26f, -0x1p-26f};
  EXPECT_EQ(evaluate<uint16_t>("cvt.rz.f16.f32 %d, %a;", a),
            (std::vector<uint16_t>{0x3c00, 0xbc00, 0, 0x8000}));
  EXPECT_EQ(evaluate<uint16_t>("cvt.rp.f16.f32 %d, %a;", a),
            (std::vector<uint16_t>{0x3c01, 0xbc00, 1, 0x8000}));
  EXPECT_EQ(evaluate<uint16_t>("cvt.rm.f16.f32 %d, %a;", a),
            (std::vector<uint16_t>{0x3c00, 0xbc01, 0, 0x8001}));
}

TEST(Convert, PairsPutTheFirstSourceHigh) {
  std::vector<float> a = {1.0f, -2.0f}, b = {3.0f, -HUGE_VALF};
  EXPECT_EQ(evaluate<uint32_t>("cvt.rn.bf16x2.f32 %d, %a, %b;", a, b),
            (std::vector<uint32_t>{0x3f804040, 0xc000ff80}));
  EXPECT_EQ(evaluate<uint32_t>("cvt.rn.relu.f16x2.f32 %d, %a, %b;", a, b),
            (std::vector<uint32_t>{0x3c004200, 0}));
}

TEST(Convert, Tf32RoundsTiesAway) {
  std::vector<float> a = {1 + 0x1p-11f, 1 + 0x1p-12f, -1 - 0x1p-11f};
  EXPECT_EQ(evaluate<float>("cvt.rna.tf32.f32 %d, %a;", a),
            (std::vector<float>{1 + 0x1p-10f, 1, -1 - 0x1p-10f}));
}

TEST(Move, PacksAndUnpacks) {
  std::vector<uint32_t> a = {0x11223344}, b = {0x55667788};
  EXPECT_EQ(evaluate<uint64_t>("mov.b64 %d, {%a, %b};", a, b)[0],
            0x5566778811223344u);
  EXPECT_EQ(evaluate<uint32_t>("mov.b32 {%h1, %h2}, %a;\n"
                               "mov.b32 %d, {%h2, %h1};",
                               a)[0],
            0x33441122u);
  EXPECT_EQ(evaluate<uint32_t>("mov.b64 %rd1, {%a, %b};\n"
                               "mov.b64 {_, %d}, %rd1;",
                               a, b)[0],
            b[0]);
}

} // namespace
