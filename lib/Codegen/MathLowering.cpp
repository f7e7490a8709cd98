//===- MathLowering.cpp - Math operations as arithmetic -------------------===//

#include "graph/Codegen/MathLowering.h"
#include "WideMath.h"

#include "mlir/IR/PatternMatch.h"

#include <numbers>

using namespace mlir;
using namespace graph;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

//===----------------------------------------------------------------------===//
// Exponential and logarithm
//===----------------------------------------------------------------------===//

/// exp(x) = 2^n exp(r), |r| <= ln 2 / 2.
static Real emitExp(Real x) {
  // Beyond these bounds the result is 0 or infinite.
  x = x.clampBetween(-104, 89);
  auto [whole, n] = (x * std::numbers::log2e).roundToInteger();
  // ln 2 in two parts, the first with few enough bits that n times it is exact.
  Real r = fma(whole, x.constant(-0.693359375), x);
  r = fma(whole, x.constant(2.12194440e-4), r);
  Real p = r.polynomial({1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3,
                         4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1});
  Real y = fma(p, r * r, r) + 1;
  // Two factors: 2^n itself may be too large or too small for a number.
  Bits half = n.shiftRightSigned(1);
  return y * x.powerOfTwo(half) * x.powerOfTwo(n - half);
}

/// log(x) = e ln 2 + log(m), sqrt(1/2) <= m < sqrt(2).
static Real emitLog(Real x) {
  constexpr double kSmallestNormal = 0x1p-126;
  constexpr int64_t kSqrtHalf = 0x3f3504f3;
  Mask isDenormal = x < kSmallestNormal;
  Real scaled = select(isDenormal, x * 0x1p23, x);
  Bits bits = scaled.bits() - kSqrtHalf;
  Real e = bits.shiftRightSigned(23).toReal() +
           select(isDenormal, x.constant(-23), x.constant(0));
  Real f = ((bits & 0x7fffff) + kSqrtHalf).asReal() - 1;
  Real z = f * f;
  Real p = f.polynomial({7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1,
                         -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
                         2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1});
  Real y = p * f * z;
  y = fma(e, x.constant(-2.12194440e-4), y);
  y = fma(z, x.constant(-0.5), y);
  y = fma(e, x.constant(0.693359375), f + y);
  y = select(x == kInfinity, x, y);
  y = select(x == 0.0, x.constant(-kInfinity), y);
  return select(x.isAtLeast(0), y,
                x.constant(std::numeric_limits<double>::quiet_NaN()));
}

//===----------------------------------------------------------------------===//
// Hyperbolic tangent and error function
//===----------------------------------------------------------------------===//

/// Small arguments by an odd polynomial, others as 1 - 2 / (exp(2 |x|) + 1).
static Real emitTanh(Real x) {
  Real z = x * x;
  Real p = z.polynomial({-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2,
                         1.33314422036e-1, -3.33332819422e-1});
  Real small = fma(p * z, x, x);
  Real magnitude = x.abs();
  Real large =
      x.constant(1) - x.constant(2) / (emitExp(magnitude + magnitude) + 1);
  return select(magnitude < 0.625, small, large.withSignOf(x));
}

/// x + x p(x^2) for small arguments, 1 - exp(-|x| - |x| q(|x|)) for others; p
/// and q are minimax in the relative error of the result.
static Real emitErf(Real x) {
  constexpr double kBorder = 0.927734375;
  Real z = x * x;
  Real p = z.polynomial({-5.96761703e-4, 4.99119423e-3, -2.67681349e-2,
                         1.12819925e-1, -3.76125336e-1, 1.28379166e-1});
  Real small = fma(p, x, x);
  Real a = x.abs().clampBetween(0, 4);
  Real q = a.polynomial({1.72853470e-5, -3.83197126e-4, 3.88396438e-3,
                         -2.42546219e-2, 1.06777847e-1, 6.34846687e-1,
                         1.28717512e-1});
  Real large = x.constant(1) - emitExp(-fma(q, a, a));
  return select(x.abs() < kBorder, small, large.withSignOf(x));
}

//===----------------------------------------------------------------------===//
// Sine and cosine
//===----------------------------------------------------------------------===//

/// sin(x + quarter * pi/2): x is reduced to |r| <= pi/4 in f64.
static Real emitSine(Real x, int64_t quarter) {
  Real wide = x.toF64();
  auto [whole, n] = (wide * (2 * std::numbers::inv_pi)).roundToInteger();
  Real r = fma(whole, wide.constant(-0x1.921fb54442d18p+0), wide);
  r = fma(whole, wide.constant(-0x1.1a62633145c07p-54), r);
  r = r.toF32();
  Bits quadrant = n.toI32() + quarter;
  Real z = r * r;
  Real sine = fma(
      z.polynomial({-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1}) * z,
      r, r);
  Real cosine = fma(z.polynomial({2.443315711809948e-5, -1.388731625493765e-3,
                                  4.166664568298827e-2}),
                    z * z, fma(z, x.constant(-0.5), x.constant(1)));
  Real y = select((quadrant & 1) == 0, sine, cosine);
  return select((quadrant & 2) == 0, y, -y);
}

static Real emitSin(Real x) { return emitSine(x, 0); }
static Real emitCos(Real x) { return emitSine(x, 1); }

//===----------------------------------------------------------------------===//
// Power
//===----------------------------------------------------------------------===//

/// Computed in f64; sign and exceptional cases are C's.
static Real emitPow(Real x, Real y) {
  Real magnitude = x.isF64()
                       ? emitWidePowMagnitude(x, y)
                       : emitWidePowMagnitude(x.toF64(), y.toF64()).toF32();
  Mask isWhole = y.floor() == y;
  Mask isOdd = isWhole & ((y * 0.5).floor() != y * 0.5);
  Mask isSigned = x.bits() < 0;
  Real result = select(isSigned & isOdd, -magnitude, magnitude);
  // A finite negative number to a power that is no integer.
  Real nan = x.constant(std::numeric_limits<double>::quiet_NaN());
  Mask isFinite = x.abs() < kInfinity;
  Mask isBroken = (x < 0.0) & isFinite & (y.abs() < kInfinity) & !isWhole;
  result = select(isBroken | x.isNan() | y.isNan(), nan, result);
  return select((y == 0.0) | (x == 1.0), x.constant(1), result);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
/// One formula for f32, one for f64.
template <typename OpTy, Real (*narrow)(Real), Real (*wide)(Real)>
struct ExpandUnary : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Real x(b, op.getOperand());
    rewriter.replaceOp(op, (x.isF64() ? wide(x) : narrow(x)).getValue());
    return success();
  }
};

struct ExpandPow : OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::PowFOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Real result = emitPow(Real(b, op.getLhs()), Real(b, op.getRhs()));
    rewriter.replaceOp(op, result.getValue());
    return success();
  }
};
} // namespace

void graph::populateMathLoweringPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandUnary<math::ExpOp, emitExp, emitWideExp>,
               ExpandUnary<math::LogOp, emitLog, emitWideLog>,
               ExpandUnary<math::TanhOp, emitTanh, emitWideTanh>,
               ExpandUnary<math::ErfOp, emitErf, emitWideErf>,
               ExpandUnary<math::SinOp, emitSin, emitWideSin>,
               ExpandUnary<math::CosOp, emitCos, emitWideCos>, ExpandPow>(
      patterns.getContext());
}
