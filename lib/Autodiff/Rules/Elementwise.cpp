//===- Elementwise.cpp - VJPs of the elementwise operations ---------------===//

#include "graph/Autodiff/Vjp.h"

#include <numbers>

using namespace mlir;
using namespace graph;
using enum ComparePredicate;

/// d|x|/dx: at 0, PyTorch has 0 and JAX has 1.
static Tensor absVjp(Vjp<AbsOp> &v) {
  if (v.subgradient == Subgradient::jax)
    return select(compare(ge, v.x(), 0), v.g, -v.g);
  return select(compare(gt, v.x(), 0), v.g,
                select(compare(lt, v.x(), 0), -v.g, 0));
}

/// The cotangent of operand `i` of max (`loser` is lt) or min (gt): an operand
/// that loses has none, a tie is split in halves, with a NaN both have all.
template <typename OpT>
static Tensor extremumVjp(Vjp<OpT> &v, unsigned i, ComparePredicate loser) {
  Tensor mine = v.x(i), other = v.x(1 - i);
  Tensor unlessLost = select(compare(eq, v.x(0), v.x(1)), 0.5 * v.g, v.g);
  return select(compare(loser, mine, other), v.g.full(0), unlessLost);
}

/// x^e at x = 0, e = 0 is the constant 1 to PyTorch; JAX has 0 * 0^-1 there.
static Tensor powBaseVjp(Vjp<PowOp> &v) {
  Tensor x = v.x(0), e = v.x(1);
  if (v.subgradient == Subgradient::torch)
    x = select(min(compare(eq, x, 0), compare(eq, e, 0)), x.full(1), x);
  return v.g * (e * pow(x, e - 1));
}

/// 0^e = 0 for every e > 0: no logarithm of 0 there.
static Tensor powExponentVjp(Vjp<PowOp> &v) {
  Tensor x = v.x(0), e = v.x(1);
  Tensor isConstant = min(compare(eq, x, 0), compare(ge, e, 0));
  return v.g * (v.y() * log(select(isConstant, x.full(1), x)));
}

void graph::populateElementwiseVjps(VjpTable &rules) {
  // Unary.
  rules.add<NegOp>([](auto &v) { return -v.g; });
  rules.add<AbsOp>(absVjp);
  rules.add<ExpOp>([](auto &v) { return v.g * v.y(); });
  rules.add<LogOp>([](auto &v) { return v.g / v.x(); });
  rules.addInF32<SqrtOp>([](auto &v) { return v.g / (2 * v.y()); });
  rules.addInF32<RsqrtOp>(
      [](auto &v) { return v.g * (-0.5 * (v.y() * v.y() * v.y())); });
  rules.addInF32<TanhOp>([](auto &v) { return v.g * (1 - v.y() * v.y()); });
  rules.addInF32<ErfOp>([](auto &v) {
    return v.g * (2 * std::numbers::inv_sqrtpi * exp(-(v.x() * v.x())));
  });
  rules.addInF32<LogisticOp>(
      [](auto &v) { return v.g * (v.y() * (1 - v.y())); });
  rules.addInF32<SinOp>([](auto &v) { return v.g * cos(v.x()); });
  rules.addInF32<CosOp>([](auto &v) { return -v.g * sin(v.x()); });

  // Binary.
  rules.add<AddOp>([](auto &v) { return v.g; }, [](auto &v) { return v.g; });
  rules.add<SubOp>([](auto &v) { return v.g; }, [](auto &v) { return -v.g; });
  rules.add<MulOp>([](auto &v) { return v.g * v.x(1); },
                   [](auto &v) { return v.g * v.x(0); });
  rules.addInF32<DivOp>([](auto &v) { return v.g / v.x(1); },
                        [](auto &v) { return -v.g * (v.y() / v.x(1)); });
  rules.add<MaxOp>([](auto &v) { return extremumVjp(v, 0, lt); },
                   [](auto &v) { return extremumVjp(v, 1, lt); });
  rules.add<MinOp>([](auto &v) { return extremumVjp(v, 0, gt); },
                   [](auto &v) { return extremumVjp(v, 1, gt); });
  rules.addInF32<PowOp>(powBaseVjp, powExponentVjp);

  // Selection and conversion.
  rules.add<SelectOp>(
      notDifferentiable, [](auto &v) { return select(v.x(0), v.g, 0); },
      [](auto &v) { return select(v.x(0), v.g.full(0), v.g); });
  // `add` rounds to the operand's type.
  rules.add<CastOp>([](auto &v) { return v.g; });
}
