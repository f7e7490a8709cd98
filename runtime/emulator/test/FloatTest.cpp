//===- FloatTest.cpp - Floating-point instructions against C++ ------------===//

#include "Machine.h"

#include "graphrt/support/Float16.h"

#include <cfenv>
#include <cmath>
#include <limits>

using namespace graphrt;
using namespace graphrt::test;

namespace {

using Limits = std::numeric_limits<float>;

const std::vector<float> floats = {0.0f,
                                   -0.0f,
                                   1.0f,
                                   -1.5f,
                                   3.14159265f,
                                   1e-40f,
                                   -1e-45f,
                                   1e38f,
                                   -3e38f,
                                   Limits::infinity(),
                                   -Limits::infinity(),
                                   Limits::quiet_NaN(),
                                   16777217.0f,
                                   Limits::min(),
                                   Limits::max()};
const std::vector<double> doubles = {
    0.0, -0.0, 1.0, -2.5, 1e300, 5e-324, HUGE_VAL, std::nan(""), 0.1};

/// f16 and bf16 values: zeros, one, denormal, largest, infinity, NaN.
const std::vector<uint16_t> halves = {0,      0x8000, 0x3c00, 0xbc01,
                                      0x0001, 0x83ff, 0x7bff, 0x7c00,
                                      0xfc00, 0x7e00, 0x4248, 0x3555};
const std::vector<uint16_t> brains = {0,      0x8000, 0x3f80, 0xbf81,
                                      0x0001, 0x807f, 0x7f7f, 0x7f80,
                                      0xff80, 0x7fc0, 0x4049, 0x3eab};

template <int Mode, typename F>
auto under(F function) {
  return [=](float a, float b) {
    std::fesetround(Mode);
    volatile float x = a, y = b;
    volatile float result = function(x, y);
    std::fesetround(FE_TONEAREST);
    return float(result);
  };
}

TEST(Float, ArithmeticRoundsToNearest) {
  auto add = [](float a, float b) { return a + b; };
  auto mul = [](float a, float b) { return a * b; };
  auto div = [](float a, float b) { return a / b; };
  checkBinary<float>("add.f32", floats, add);
  checkBinary<float>("sub.rn.f32", floats,
                     [](float a, float b) { return a - b; });
  checkBinary<float>("mul.f32", floats, mul);
  checkBinary<float>("div.rn.f32", floats, div);
  checkBinary<double>("add.f64", doubles,
                      [](double a, double b) { return a + b; });
  checkBinary<double>("div.rn.f64", doubles,
                      [](double a, double b) { return a / b; });
}

TEST(Float, DirectedRounding) {
  auto add = [](float a, float b) { return a + b; };
  auto mul = [](float a, float b) { return a * b; };
  checkBinary<float>("add.rz.f32", floats, under<FE_TOWARDZERO>(add));
  checkBinary<float>("add.rm.f32", floats, under<FE_DOWNWARD>(add));
  checkBinary<float>("mul.rp.f32", floats, under<FE_UPWARD>(mul));
}

TEST(Float, FusedMultiplyAdd) {
  auto [a, b] = pairs(floats);
  auto found = evaluate<float>("fma.rn.f32 %d, %a, %b, 0fBF800000;", a, b);
  for (size_t i = 0; i < a.size(); ++i)
    expectSame(found[i], std::fma(a[i], b[i], -1.0f), i);
}

TEST(Float, FlushAndSaturate) {
  auto flush = [](float a) {
    return std::fpclassify(a) == FP_SUBNORMAL ? std::copysign(0.0f, a) : a;
  };
  checkBinary<float>("mul.ftz.f32", floats, [&](float a, float b) {
    return flush(flush(a) * flush(b));
  });
  checkBinary<float>("add.sat.f32", floats, [](float a, float b) {
    float sum = a + b;
    return sum > 0 ? std::min(sum, 1.0f) : 0.0f;
  });
}

TEST(Float, MinMax) {
  auto smaller = [](float a, float b) {
    if (a == b)
      return std::signbit(a) ? a : b;
    return std::fmin(a, b);
  };
  checkBinary<float>("min.f32", floats, smaller);
  checkBinary<float>("max.NaN.f32", floats, [](float a, float b) {
    if (a != a || b != b)
      return Limits::quiet_NaN();
    if (a == b)
      return std::signbit(a) ? b : a;
    return std::fmax(a, b);
  });
}

TEST(Float, Unary) {
  checkUnary<float>("sqrt.rn.f32", floats,
                    [](float a) { return std::sqrt(a); });
  checkUnary<float>("rcp.rn.f32", floats, [](float a) { return 1.0f / a; });
  checkUnary<float>("abs.f32", floats, [](float a) { return std::fabs(a); });
  checkUnary<float>("neg.f32", floats, [](float a) { return -a; });
  checkBinary<float>("copysign.f32", floats,
                     [](float a, float b) { return std::copysign(b, a); });
}

TEST(Float, Approximations) {
  std::vector<float> a = {0.5f, 1.0f, 2.25f, 7.0f, 0.1f};
  auto check = [&](const std::string &opcode, double (*function)(double)) {
    auto found = evaluate<float>(opcode + " %d, %a;", a);
    for (size_t i = 0; i < a.size(); ++i)
      EXPECT_NEAR(found[i], function(a[i]),
                  1e-6 * std::fabs(function(a[i])) + 1e-7)
          << opcode;
  };
  check("ex2.approx.ftz.f32", std::exp2);
  check("lg2.approx.f32", std::log2);
  check("sin.approx.f32", std::sin);
  check("cos.approx.f32", std::cos);
  check("tanh.approx.f32", std::tanh);
  check("rsqrt.approx.f32", [](double x) { return 1 / std::sqrt(x); });
}

TEST(Float, TestProperties) {
  auto found = evaluate<uint32_t>("testp.subnormal.f32 %y1, %a;\n"
                                  "selp.u32 %d, 1, 0, %y1;",
                                  floats);
  for (size_t i = 0; i < floats.size(); ++i)
    EXPECT_EQ(found[i], uint32_t(std::fpclassify(floats[i]) == FP_SUBNORMAL));
}

template <uint16_t (*Narrow)(float), typename F>
void checkHalf(const std::string &opcode, const std::vector<uint16_t> &values,
               float (*widen)(uint16_t), F function) {
  SCOPED_TRACE(opcode);
  auto [a, b] = pairs(values);
  auto found = evaluate<uint16_t>(opcode + " %d, %a, %b;", a, b);
  for (size_t i = 0; i < a.size(); ++i) {
    float expected = function(widen(a[i]), widen(b[i]));
    if (expected != expected)
      EXPECT_EQ(found[i], 0x7fff);
    else
      EXPECT_EQ(found[i], Narrow(expected)) << a[i] << " " << b[i];
  }
}

TEST(Half, Arithmetic) {
  auto add = [](float a, float b) { return a + b; };
  auto mul = [](float a, float b) { return a * b; };
  checkHalf<f16FromFloat>("add.f16", halves, floatFromF16, add);
  checkHalf<f16FromFloat>("mul.rn.f16", halves, floatFromF16, mul);
  checkHalf<bf16FromFloat>("add.bf16", brains, floatFromBf16, add);
  checkHalf<bf16FromFloat>("mul.bf16", brains, floatFromBf16, mul);
}

TEST(Half, FmaRoundsOnce) {
  // The product 1.0078125 * 1.5 lies half way between two bf16 values; the
  // addend, which no f32 or f64 sum holds, decides.
  std::vector<uint16_t> a = {0x3f81, 0x3f81}, b = {0x3fc0, 0x3fc0},
                        c = {0x0080, 0x8080};
  auto found = evaluate<uint16_t>("fma.rn.bf16 %d, %a, %b, %c;", a, b, c);
  EXPECT_EQ(floatFromBf16(found[0]), 1.515625f);
  EXPECT_EQ(floatFromBf16(found[1]), 1.5078125f);
}

TEST(Half, Pairs) {
  std::vector<uint32_t> a = {0x3c004000}, b = {0x40003c00};
  EXPECT_EQ(evaluate<uint32_t>("add.f16x2 %d, %a, %b;", a, b)[0], 0x42004200u);
  EXPECT_EQ(evaluate<uint32_t>("max.f16x2 %d, %a, %b;", a, b)[0], 0x40004000u);
  std::vector<uint32_t> p = {0x3f804000}, q = {0x40003f80};
  EXPECT_EQ(evaluate<uint32_t>("fma.rn.bf16x2 %d, %a, %b, %a;", p, q)[0],
            0x40404080u);
}

TEST(Compare, OrderedAndUnordered) {
  auto [a, b] = pairs(floats);
  auto check = [&](const std::string &name, auto function) {
    SCOPED_TRACE(name);
    auto found = evaluate<uint32_t>("setp." + name +
                                        ".f32 %y1, %a, %b;\n"
                                        "selp.u32 %d, 1, 0, %y1;",
                                    a, b);
    for (size_t i = 0; i < a.size(); ++i)
      EXPECT_EQ(found[i], uint32_t(function(a[i], b[i])))
          << a[i] << " " << b[i];
  };
  auto unordered = [](float x, float y) { return x != x || y != y; };
  check("eq", [](float x, float y) { return x == y; });
  check("ne", [&](float x, float y) { return x != y && !unordered(x, y); });
  check("lt", [](float x, float y) { return x < y; });
  check("ge", [](float x, float y) { return x >= y; });
  check("equ", [&](float x, float y) { return x == y || unordered(x, y); });
  check("neu", [](float x, float y) { return x != y; });
  check("ltu", [](float x, float y) { return !(x >= y); });
  check("gtu", [](float x, float y) { return !(x <= y); });
  check("num", [&](float x, float y) { return !unordered(x, y); });
  check("nan", unordered);
}

TEST(Compare, CombinesWithAPredicate) {
  std::vector<int32_t> values = {-2, -1, 0, 1, 2};
  auto [a, b] = pairs(values);
  auto found =
      evaluate<uint32_t>("setp.gt.s32 %y0, %a, 0;\n"
                         "setp.lt.and.s32 %y1|%y2, %a, %b, !%y0;\n"
                         "selp.u32 %x1, 1, 0, %y1;\nselp.u32 %x2, 2, 0, %y2;\n"
                         "or.b32 %d, %x1, %x2;",
                         a, b);
  for (size_t i = 0; i < a.size(); ++i) {
    bool less = a[i] < b[i], other = !(a[i] > 0);
    EXPECT_EQ(found[i], (less && other ? 1u : 0u) | (!less && other ? 2u : 0u));
  }
}

TEST(Compare, PairsSetTwoPredicates) {
  // 1 and NaN against 2 and 1, then the other way round.
  std::vector<uint32_t> a = {0x7e003c00, 0x3c004000},
                        b = {0x3c004000, 0x7e003c00};
  auto check = [&](const char *name, std::vector<uint32_t> expected) {
    EXPECT_EQ(evaluate<uint32_t>("setp." + std::string(name) +
                                     ".f16x2 %y1|%y2, %a, %b;\n"
                                     "selp.u32 %x1, 1, 0, %y1;\n"
                                     "selp.u32 %x2, 2, 0, %y2;\n"
                                     "or.b32 %d, %x1, %x2;",
                                 a, b),
              expected)
        << name;
  };
  check("lt", {1, 0});
  check("gt", {0, 1});
  check("nan", {2, 2});
}

TEST(Compare, UnsignedSetAndSlct) {
  std::vector<int32_t> values = {-1, 0, 1};
  checkBinary<uint32_t>("set.hi.u32.u32", values, [](uint32_t a, uint32_t b) {
    return a > b ? ~0u : 0u;
  });
  auto [a, b] = pairs(values);
  auto found = evaluate<int32_t>("slct.b32.s32 %d, %a, 9, %b;", a, b);
  for (size_t i = 0; i < a.size(); ++i)
    EXPECT_EQ(found[i], b[i] >= 0 ? a[i] : 9);
}

} // namespace
