//===- GraphDecompositions.cpp - Composites in primitives -----------------===//
//
// One formula per composite operation. bf16 and f16 are computed in f32 and
// rounded once at the end.
//
//===----------------------------------------------------------------------===//

#include "graph/Dialect/Graph/IR/Decompositions.h"

#include <limits>
#include <numbers>

using namespace mlir;
using namespace graph;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

Tensor graph::widen(Tensor x) {
  Type type = x.getElementType();
  if (!isa<FloatType>(type) || type.getIntOrFloatBitWidth() >= 32)
    return x;
  return cast(x, x.getBuilder().getF32Type());
}

/// The finite number that is closest to -inf.
static double lowest(FloatType type) {
  return llvm::APFloat::getLargest(type.getFloatSemantics(), /*Negative=*/true)
      .convertToDouble();
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

Value ReluOp::decompose(ImplicitLocOpBuilder &b) {
  return max(Tensor(b, getOperand()), 0);
}

Value SiluOp::decompose(ImplicitLocOpBuilder &b) {
  Tensor x = widen({b, getOperand()});
  return cast(x * logistic(x), getType().getElementType());
}

Value GeluOp::decompose(ImplicitLocOpBuilder &b) {
  Tensor x = widen({b, getOperand()});
  auto form = [&]() -> Tensor {
    switch (getForm()) {
    case GeluForm::erf:
      return erf(x * (1 / std::numbers::sqrt2));
    case GeluForm::tanh:
      return tanh(std::numbers::sqrt2 * std::numbers::inv_sqrtpi *
                  (x + 0.044715 * (x * x * x)));
    }
    llvm_unreachable("unknown form of gelu");
  };
  return cast(0.5 * x * (1 + form()), getType().getElementType());
}

//===----------------------------------------------------------------------===//
// Normalisations
//===----------------------------------------------------------------------===//

Value SoftmaxOp::decompose(ImplicitLocOpBuilder &b) {
  Tensor x = widen({b, getOperand()});
  int64_t dim = getDim();
  Tensor e = exp(x - reduce(ReduceKind::max, x, {dim}, /*keepDims=*/true));
  return cast(e / sum(e, {dim}, /*keepDims=*/true), getType().getElementType());
}

Value LogSoftmaxOp::decompose(ImplicitLocOpBuilder &b) {
  Tensor x = widen({b, getOperand()});
  int64_t dim = getDim();
  Tensor z = x - reduce(ReduceKind::max, x, {dim}, /*keepDims=*/true);
  return cast(z - log(sum(exp(z), {dim}, /*keepDims=*/true)),
              getType().getElementType());
}

Value LayerNormOp::decompose(ImplicitLocOpBuilder &b) {
  Tensor x = widen({b, getOperand()});
  Tensor scale = cast({b, getScale()}, x.getElementType());
  Tensor bias = cast({b, getBias()}, x.getElementType());
  Tensor centered = x - mean(x, {-1}, /*keepDims=*/true);
  Tensor variance = mean(centered * centered, {-1}, /*keepDims=*/true);
  double epsilon = getEpsilon().convertToDouble();
  return cast(centered * rsqrt(variance + epsilon) * scale + bias,
              getType().getElementType());
}

//===----------------------------------------------------------------------===//
// Losses and attention
//===----------------------------------------------------------------------===//

Value CrossEntropyOp::decompose(ImplicitLocOpBuilder &b) {
  Tensor x = widen({b, getLogits()});
  Tensor targets(b, getTargets());
  SmallVector<int64_t> column(targets.getShape());
  column.push_back(1);
  Tensor classes = iota(b, x.getType().clone(targets.getElementType()), -1);
  // A sum over a row with at most one term that is not zero: a reduction,
  // which fuses with the two of log_softmax, where a gather would not.
  Tensor isTarget =
      compare(ComparePredicate::eq, classes, reshape(targets, column));
  return cast(sum(select(isTarget, -logSoftmax(x), 0), {-1}),
              getType().getElementType());
}

/// Where query s may look at key t: t <= s + (T - S), of shape [S, T].
static Tensor causalMask(ImplicitLocOpBuilder &b, int64_t S, int64_t T) {
  bool isShort = S + T <= std::numeric_limits<int32_t>::max();
  auto type =
      RankedTensorType::get({S, T}, b.getIntegerType(isShort ? 32 : 64));
  return compare(ComparePredicate::le, iota(b, type, 1),
                 iota(b, type, 0) + static_cast<double>(T - S));
}

Tensor graph::attentionWeights(AttentionOp op, ImplicitLocOpBuilder &b) {
  Tensor query(b, op.getQuery()), key(b, op.getKey());
  int64_t rank = query.getRank(), s = rank - 2, t = rank - 2, d = rank - 1;
  auto batch = llvm::to_vector(llvm::seq<int64_t>(0, rank - 2));
  Tensor scores = op.getScale().convertToDouble() *
                  widen(dot(query, key, {batch, batch, {d}, {d}}));
  if (op.getCausal())
    scores =
        select(causalMask(b, query.dim(s), key.dim(t)), scores, -kInfinity);
  if (Value mask = op.getMask())
    scores = select({b, mask}, scores, -kInfinity);
  // Softmax, but a row of -inf gives zeros: its maximum is taken as finite,
  // and its sum as 1. Any other row has a term exp(0), its sum is at least 1.
  double floor = lowest(llvm::cast<FloatType>(scores.getElementType()));
  Tensor highest = reduce(ReduceKind::max, scores, {-1}, /*keepDims=*/true);
  Tensor e = exp(scores - max(highest, floor));
  return e / max(sum(e, {-1}, /*keepDims=*/true), 1);
}

Value AttentionOp::decompose(ImplicitLocOpBuilder &b) {
  Tensor weights = attentionWeights(*this, b), value(b, getValue());
  int64_t rank = value.getRank(), row = rank - 2, column = rank - 1;
  auto batch = llvm::to_vector(llvm::seq<int64_t>(0, rank - 2));
  return dot(graph::cast(weights, value.getElementType()), value,
             {batch, batch, {column}, {row}});
}
