//===- Composite.cpp - VJPs of the composite operations -------------------===//
//
// Each is stable where the derivative of the decomposition would not be. What
// it needs of the forward pass beyond operands and result is written as the
// decomposition writes it, so that --cse merges the two.
//
//===----------------------------------------------------------------------===//

#include "graph/Autodiff/Vjp.h"
#include "graph/Dialect/Graph/IR/Decompositions.h"

#include <numbers>

using namespace mlir;
using namespace graph;
using enum ComparePredicate;

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

static Tensor siluVjp(Vjp<SiluOp> &v) {
  Tensor x = v.x(), s = logistic(x);
  return v.g * (s * (1 + x * (1 - s)));
}

/// d/dx of x/2 (1 + erf(x / sqrt 2)).
static Tensor geluErf(Tensor x) {
  Tensor cumulative = 0.5 * (1 + erf(x * (1 / std::numbers::sqrt2)));
  double scale = std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  return cumulative + x * (scale * exp(-0.5 * (x * x)));
}

/// d/dx of x/2 (1 + tanh u), u = c (x + 0.044715 x^3).
static Tensor geluTanh(Tensor x) {
  double c = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
  Tensor t = tanh(c * (x + 0.044715 * (x * x * x)));
  Tensor du = c * (1 + 3 * 0.044715 * (x * x));
  return 0.5 * (1 + t) + 0.5 * x * ((1 - t * t) * du);
}

static Tensor geluVjp(Vjp<GeluOp> &v) {
  switch (v.op.getForm()) {
  case GeluForm::erf:
    return v.g * geluErf(v.x());
  case GeluForm::tanh:
    return v.g * geluTanh(v.x());
  }
  llvm_unreachable("unknown form of gelu");
}

//===----------------------------------------------------------------------===//
// Normalisations
//===----------------------------------------------------------------------===//

static Tensor softmaxVjp(Vjp<SoftmaxOp> &v) {
  int64_t dim = v.op.getDim();
  return v.y() * (v.g - sum(v.g * v.y(), {dim}, /*keepDims=*/true));
}

static Tensor logSoftmaxVjp(Vjp<LogSoftmaxOp> &v) {
  int64_t dim = v.op.getDim();
  return v.g - exp(v.y()) * sum(v.g, {dim}, /*keepDims=*/true);
}

/// With n = (x - mean) r, r = rsqrt(variance + epsilon), y = n scale + bias.
static void layerNormVjp(Vjp<LayerNormOp> &v) {
  Tensor x = v.x(0), scale = v.x(1);
  auto rows = llvm::to_vector(llvm::seq<int64_t>(0, x.getRank() - 1));
  if (v.needs(0) || v.needs(1)) {
    Tensor centered = x - mean(x, {-1}, /*keepDims=*/true);
    Tensor variance = mean(centered * centered, {-1}, /*keepDims=*/true);
    Tensor r = rsqrt(variance + v.op.getEpsilon().convertToDouble());
    Tensor n = centered * r;
    if (v.needs(0)) {
      Tensor gn = v.g * scale;
      v.add(0, r * (gn - mean(gn, {-1}, /*keepDims=*/true) -
                    n * mean(gn * n, {-1}, /*keepDims=*/true)));
    }
    if (v.needs(1))
      v.add(1, sum(v.g * n, rows));
  }
  if (v.needs(2))
    v.add(2, sum(v.g, rows));
}

//===----------------------------------------------------------------------===//
// Losses and attention
//===----------------------------------------------------------------------===//

/// softmax - onehot; nothing for a target that is no class.
static Tensor crossEntropyVjp(Vjp<CrossEntropyOp> &v) {
  Tensor x = v.x(0), targets = v.x(1);
  SmallVector<int64_t> column(targets.getShape());
  column.push_back(1);
  Tensor target = reshape(targets, column), g = reshape(v.g, column);
  Tensor classes =
      iota(x.getBuilder(), x.getType().clone(targets.getElementType()), -1);
  Tensor p = exp(logSoftmax(x));
  Tensor perClass = select(compare(eq, classes, target), p - 1, p);
  Tensor isClass = min(compare(ge, target, 0),
                       compare(lt, target, static_cast<double>(x.dim(-1))));
  return select(isClass, perClass * g, 0);
}

/// One operation, as long as the loss does not depend on log_sum_exp itself.
static void attentionVjp(Vjp<AttentionOp> &v) {
  AttentionOp op = v.op;
  Tensor logSumExpCotangent = v.cotangent(1);
  ImplicitLocOpBuilder &b = (v.g ? v.g : logSumExpCotangent).getBuilder();
  Tensor logSumExp(b, op.getLogSumExp());
  AttentionCotangents d;
  if (logSumExpCotangent) {
    Tensor g = v.g ? v.g : full(b, v.y().getType(), 0);
    d = attentionCotangents(op, attentionWeights(op, logSumExp), v.y(), g,
                            logSumExpCotangent);
  } else {
    auto grad = AttentionGradOp::create(
        b, op.getQuery(), op.getKey(), op.getValue(), op.getResult(), logSumExp,
        v.g, op.getMask(), op.getCausalAttr(), op.getScaleAttr());
    d = {{b, grad.getDquery()}, {b, grad.getDkey()}, {b, grad.getDvalue()}};
  }
  const Tensor cotangents[] = {d.query, d.key, d.value};
  for (auto [operand, cotangent] : llvm::enumerate(cotangents))
    if (v.needs(operand))
      v.add(operand, cotangent);
}

void graph::populateCompositeVjps(VjpTable &rules) {
  rules.add<ReluOp>(
      [](auto &v) { return select(compare(le, v.x(), 0), v.g.full(0), v.g); });
  rules.addInF32<SiluOp>(siluVjp);
  rules.addInF32<GeluOp>(geluVjp);
  rules.addInF32<SoftmaxOp>(softmaxVjp);
  rules.addInF32<LogSoftmaxOp>(logSoftmaxVjp);
  rules.addInF32<LayerNormOp>(layerNormVjp);
  rules.addInF32<CrossEntropyOp>(crossEntropyVjp, notDifferentiable);
  rules.add<AttentionOp>(attentionVjp);
}
