//===- WideMath.cpp - Functions of f64 as arithmetic ----------------------===//

#include "WideMath.h"

#include <limits>
#include <numbers>

using namespace graph;
using llvm::SmallVector;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// ln 2; the first part has few enough bits that its product with an exponent
/// is exact.
static constexpr double kLn2High = 0x1.62e42fefa3800p-1;
static constexpr double kLn2Low = 0x1.ef35793c76730p-45;

namespace {
/// hi + lo.
struct Sum {
  Real hi, lo;
};
} // namespace

/// a + b exactly.
static Sum addExactly(Real a, Real b) {
  Real sum = a + b;
  Real second = sum - a;
  return {sum, (a - (sum - second)) + (b - second)};
}

/// a * b exactly.
static Sum multiplyExactly(Real a, Real b) {
  Real product = a * b;
  return {product, fma(a, b, -product)};
}

/// a * b.
static Sum multiply(Sum a, Sum b) {
  Sum product = multiplyExactly(a.hi, b.hi);
  return {product.hi, product.lo + fma(a.hi, b.lo, a.lo * b.hi)};
}

//===----------------------------------------------------------------------===//
// Exponential
//===----------------------------------------------------------------------===//

namespace {
/// exp(x) = 2^n (1 + minusOne).
struct ExpParts {
  Real minusOne, whole;
  Bits n;
};
} // namespace

static ExpParts emitExpParts(Sum x) {
  auto [whole, n] = (x.hi * std::numbers::log2e).roundToInteger();
  Real high = fma(whole, x.hi.constant(-kLn2High), x.hi);
  Sum r = addExactly(high, fma(whole, x.hi.constant(-kLn2Low), x.lo));
  // The series up to r^13; |r| <= ln 2 / 2.
  Real q =
      r.hi.polynomial({1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800,
                       1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
                       1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5});
  return {r.hi + fma(r.hi * r.hi, q, r.lo), whole, n};
}

/// exp(x) where `x.hi` may be anything; `x.lo` counts where the result is
/// finite and not 0.
static Real emitExpOfSum(Sum x) {
  Real hi = x.hi.clampBetween(-746, 710);
  Real lo = select(hi == x.hi, x.lo, hi.constant(0));
  ExpParts parts = emitExpParts({hi, lo});
  // Two factors: 2^n itself may be too large or too small for a number.
  Bits half = parts.n.shiftRightSigned(1);
  return (parts.minusOne + 1) * hi.powerOfTwo(half) *
         hi.powerOfTwo(parts.n - half);
}

Real graph::emitWideExp(Real x) { return emitExpOfSum({x, x.constant(0)}); }

//===----------------------------------------------------------------------===//
// Logarithm
//===----------------------------------------------------------------------===//

namespace {
/// x = 2^exponent (1 + f), sqrt(1/2) <= 1 + f < sqrt(2).
struct LogParts {
  Real exponent, f;
};
} // namespace

/// Of a positive finite number.
static LogParts splitForLog(Real x) {
  constexpr int64_t kSqrtHalf = 0x3fe6a09e667f3bcd;
  Mask isDenormal = x < 0x1p-1022;
  Real scaled = select(isDenormal, x * 0x1p54, x);
  Bits bits = scaled.bits() - kSqrtHalf;
  Real exponent = bits.shiftRightSigned(52).toReal() +
                  select(isDenormal, x.constant(-54), x.constant(0));
  return {exponent, ((bits & 0xfffffffffffff) + kSqrtHalf).asReal() - 1};
}

Real graph::emitWideLog(Real x) {
  // log(1 + f) = 2 artanh s, s = f / (2 + f), |s| < 0.172
  auto [e, f] = splitForLog(x);
  Real s = f / (f + 2);
  Real z = s * s;
  Real p =
      z.polynomial({2.0 / 23, 2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13,
                    2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3}) *
      z;
  // 2 s = f - s f, and s f = f^2 / 2 - s f^2 / 2: the largest terms are exact.
  Real half = f * f * 0.5;
  Real y = fma(e, x.constant(kLn2Low), s * (half + p));
  y = fma(e, x.constant(kLn2High), f - (half - y));
  y = select(x == kInfinity, x, y);
  y = select(x == 0.0, x.constant(-kInfinity), y);
  return select(x.isAtLeast(0), y, x.constant(kNaN));
}

/// The logarithm of a positive finite number, to about 2^-63 of itself.
static Sum emitLogAsSum(Real x) {
  auto [e, f] = splitForLog(x);
  Sum divisor = addExactly(x.constant(2), f);
  Real quotient = f / divisor.hi;
  Real rest = fma(-quotient, divisor.hi, f) - quotient * divisor.lo;
  Sum s = {quotient, rest / divisor.hi};
  Sum z = multiply(s, s);
  // 2 / 3 + 2 / 5 z + ...: only the first term needs more than a number holds.
  Real tail = z.hi.polynomial({2.0 / 23, 2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15,
                               2.0 / 13, 2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5}) *
              z.hi;
  Sum p = addExactly(x.constant(0x1.5555555555555p-1), tail);
  p.lo = p.lo + 0x1.5555555555555p-55;
  Sum t = multiply(z, p);
  Sum factor = addExactly(x.constant(2), t.hi);
  factor.lo = factor.lo + t.lo;
  Sum mantissa = multiply(s, factor);
  Sum y = addExactly(e * kLn2High, mantissa.hi);
  return addExactly(y.hi, y.lo + fma(e, x.constant(kLn2Low), mantissa.lo));
}

Real graph::emitWidePowMagnitude(Real x, Real y) {
  Real a = x.abs();
  Sum log = emitLogAsSum(a);
  log.hi = select(a == 0.0, a.constant(-kInfinity), log.hi);
  log.hi = select(a == kInfinity, a, log.hi);
  Sum product = multiplyExactly(log.hi, y);
  product.lo = fma(log.lo, y, product.lo);
  return select(a == 1.0, a.constant(1), emitExpOfSum(product));
}

//===----------------------------------------------------------------------===//
// Hyperbolic tangent and error function
//===----------------------------------------------------------------------===//

Real graph::emitWideTanh(Real x) {
  // t / (t + 2), t = exp(2 |x|) - 1; 1 from 22 on.
  Real doubled = (x.abs() * 2).clampBetween(0, 44);
  ExpParts parts = emitExpParts({doubled, x.constant(0)});
  Real scale = x.powerOfTwo(parts.n);
  Real t = fma(parts.minusOne, scale, scale - 1);
  return (t / (t + 2)).withSignOf(x);
}

/// Below 1 the power series; above, 1 - exp(-x^2) g((x - c) / (x + c)), where g
/// is a minimax polynomial of exp(x^2) erfc(x) on [1, 6] in that variable; 1
/// from 6 on.
Real graph::emitWideErf(Real x) {
  constexpr int kTerms = 22;
  SmallVector<double> series;
  double factorial = 1;
  for (int n = 0; n < kTerms; ++n) {
    series.push_back((n % 2 ? -2 : 2) * std::numbers::inv_sqrtpi /
                     (factorial * (2 * n + 1)));
    factorial *= n + 1;
  }
  Real a = x.abs().clampBetween(0, 6);
  Sum square = multiplyExactly(a, a);
  Real small = a * square.hi.polynomial(llvm::to_vector(llvm::reverse(series)));

  constexpr double kCenter = 0x1.3988e1409212ep+1; // sqrt(6)
  Real u = (a - kCenter) / (a + kCenter);
  Real g = u.polynomial(
      {-1.796045010922934e-06, -1.100381120215999e-06, 9.527082899054719e-06,
       1.3437594994306461e-05, -4.669800281800159e-05, -0.00010325576697563005,
       0.0002949764158791299, 0.0006855385996366975, -0.002857462291335844,
       -0.0022689267635532537, 0.03630813149958038, -0.1214514028401136,
       0.25166683742194385, -0.3768742538656741, 0.2146263390698206});
  Real decay = emitExpOfSum({-square.hi, -square.lo});
  Real large = x.constant(1) - decay * g;
  return select(a < 1, small, large).withSignOf(x);
}

//===----------------------------------------------------------------------===//
// Sine and cosine
//===----------------------------------------------------------------------===//

/// sin(x + quarter * pi/2).
static Real emitSine(Real x, int64_t quarter) {
  auto [whole, n] = (x * (2 * std::numbers::inv_pi)).roundToInteger();
  // x - n pi/2 with pi/2 in three parts; the first difference is exact.
  Real first = fma(whole, x.constant(-0x1.921fb54442d18p+0), x);
  Sum second = multiplyExactly(whole, x.constant(-0x1.1a62633145c07p-54));
  Sum r = addExactly(first, second.hi);
  r.lo = fma(whole, x.constant(0x1.f1976b7ed8fbcp-110), r.lo + second.lo);

  Real z = r.hi * r.hi;
  Real p = z.polynomial({1.0 / 355687428096000, -1.0 / 1307674368000,
                         1.0 / 6227020800, -1.0 / 39916800, 1.0 / 362880,
                         -1.0 / 5040, 1.0 / 120, -1.0 / 6});
  Real sine = r.hi + fma(z * r.hi, p, fma(z * -0.5, r.lo, r.lo));
  Real q =
      z.polynomial({1.0 / 20922789888000, -1.0 / 87178291200, 1.0 / 479001600,
                    -1.0 / 3628800, 1.0 / 40320, -1.0 / 720, 1.0 / 24});
  Real half = z * 0.5;
  Real main = x.constant(1) - half;
  Real rest = (x.constant(1) - main) - half;
  Real cosine = main + (rest + fma(z * z, q, -(r.hi * r.lo)));

  Bits quadrant = n + quarter;
  Real y = select((quadrant & 1) == 0, sine, cosine);
  return select((quadrant & 2) == 0, y, -y);
}

Real graph::emitWideSin(Real x) { return emitSine(x, 0); }
Real graph::emitWideCos(Real x) { return emitSine(x, 1); }
