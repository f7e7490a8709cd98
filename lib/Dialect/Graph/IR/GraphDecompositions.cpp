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

SmallVector<Value> ReluOp::decompose(ImplicitLocOpBuilder &b) {
  return {max(Tensor(b, getOperand()), 0)};
}

SmallVector<Value> SiluOp::decompose(ImplicitLocOpBuilder &b) {
  Tensor x = widen({b, getOperand()});
  return {cast(x * logistic(x), getType().getElementType())};
}

SmallVector<Value> GeluOp::decompose(ImplicitLocOpBuilder &b) {
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
  return {cast(0.5 * x * (1 + form()), getType().getElementType())};
}

//===----------------------------------------------------------------------===//
// Normalisations
//===----------------------------------------------------------------------===//

SmallVector<Value> SoftmaxOp::decompose(ImplicitLocOpBuilder &b) {
  Tensor x = widen({b, getOperand()});
  int64_t dim = getDim();
  Tensor e = exp(x - reduce(ReduceKind::max, x, {dim}, /*keepDims=*/true));
  return {
      cast(e / sum(e, {dim}, /*keepDims=*/true), getType().getElementType())};
}

SmallVector<Value> LogSoftmaxOp::decompose(ImplicitLocOpBuilder &b) {
  Tensor x = widen({b, getOperand()});
  int64_t dim = getDim();
  Tensor z = x - reduce(ReduceKind::max, x, {dim}, /*keepDims=*/true);
  return {cast(z - log(sum(exp(z), {dim}, /*keepDims=*/true)),
               getType().getElementType())};
}

SmallVector<Value> LayerNormOp::decompose(ImplicitLocOpBuilder &b) {
  Tensor x = widen({b, getOperand()});
  Tensor scale = cast({b, getScale()}, x.getElementType());
  Tensor bias = cast({b, getBias()}, x.getElementType());
  Tensor centered = x - mean(x, {-1}, /*keepDims=*/true);
  Tensor variance = mean(centered * centered, {-1}, /*keepDims=*/true);
  double epsilon = getEpsilon().convertToDouble();
  return {cast(centered * rsqrt(variance + epsilon) * scale + bias,
               getType().getElementType())};
}

//===----------------------------------------------------------------------===//
// Losses and attention
//===----------------------------------------------------------------------===//

SmallVector<Value> CrossEntropyOp::decompose(ImplicitLocOpBuilder &b) {
  Tensor x = widen({b, getLogits()});
  Tensor targets(b, getTargets());
  SmallVector<int64_t> column(targets.getShape());
  column.push_back(1);
  Tensor classes = iota(b, x.getType().clone(targets.getElementType()), -1);
  // A sum over a row with at most one term that is not zero: a reduction,
  // which fuses with the two of log_softmax, where a gather would not.
  Tensor isTarget =
      compare(ComparePredicate::eq, classes, reshape(targets, column));
  return {cast(sum(select(isTarget, -logSoftmax(x), 0), {-1}),
               getType().getElementType())};
}

/// Where query s may look at key t: t <= s + (T - S), of shape [S, T].
static Tensor causalMask(ImplicitLocOpBuilder &b, int64_t S, int64_t T) {
  bool isShort = S + T <= std::numeric_limits<int32_t>::max();
  auto type =
      RankedTensorType::get({S, T}, b.getIntegerType(isShort ? 32 : 64));
  return compare(ComparePredicate::le, iota(b, type, 1),
                 iota(b, type, 0) + static_cast<double>(T - S));
}

/// The dimensions of [..., S, T] before the last two.
static SmallVector<int64_t> batchDims(Tensor x) {
  return llvm::to_vector(llvm::seq<int64_t>(0, x.getRank() - 2));
}

/// The product over dimension `l` of lhs and `r` of rhs (negative: from the
/// end), batch by batch.
static Tensor batchDot(Tensor lhs, Tensor rhs, int64_t l, int64_t r) {
  int64_t rank = lhs.getRank();
  return dot(lhs, rhs,
             {batchDims(lhs), batchDims(rhs), {rank + l}, {rank + r}});
}

/// scale * query keyᵀ in the widened element type, -inf where not kept.
static Tensor attentionScores(AttentionOpInterface op,
                              ImplicitLocOpBuilder &b) {
  Tensor query(b, op.getQuery()), key(b, op.getKey());
  Tensor scores =
      op.getScale().convertToDouble() * widen(batchDot(query, key, -1, -1));
  if (op.getCausal())
    scores =
        select(causalMask(b, query.dim(-2), key.dim(-2)), scores, -kInfinity);
  if (Value mask = op.getMask())
    scores = select({b, mask}, scores, -kInfinity);
  return scores;
}

/// The maximum or log_sum_exp of a row of -inf is taken as finite, so that
/// exp(-inf - maximum) is 0 and not NaN.
static Tensor makeFinite(Tensor x) {
  return max(x, lowest(cast<FloatType>(x.getElementType())));
}

SmallVector<Value> AttentionOp::decompose(ImplicitLocOpBuilder &b) {
  Tensor scores = attentionScores(*this, b), value(b, getValue());
  Tensor highest =
      makeFinite(reduce(ReduceKind::max, scores, {-1}, /*keepDims=*/true));
  Tensor e = exp(scores - highest);
  // 0 for a query with no key left; otherwise there is a term exp(0).
  Tensor total = sum(e, {-1}, /*keepDims=*/true);
  Tensor weights = graph::cast(e / max(total, 1), value.getElementType());
  return {batchDot(weights, value, -1, -2),
          reshape(highest + log(total), getLogSumExp().getType().getShape())};
}

Tensor graph::attentionWeights(AttentionOpInterface op, Tensor logSumExp) {
  SmallVector<int64_t> column(logSumExp.getShape());
  column.push_back(1);
  Tensor scores = attentionScores(op, logSumExp.getBuilder());
  return exp(scores - makeFinite(reshape(logSumExp, column)));
}

AttentionCotangents graph::attentionCotangents(AttentionOpInterface op,
                                               Tensor weights, Tensor result,
                                               Tensor cotangent,
                                               Tensor logSumExpCotangent) {
  ImplicitLocOpBuilder &b = weights.getBuilder();
  Tensor query(b, op.getQuery()), key(b, op.getKey()), value(b, op.getValue());
  Type element = query.getElementType();
  auto perQuery = [&](Tensor x) {
    SmallVector<int64_t> column(query.getShape());
    column.back() = 1;
    return reshape(x, column);
  };

  // With O = P V: sum over t of P dP = sum over e of dO O, which is smaller.
  Tensor common = perQuery(sum(widen(cotangent) * widen(result), {-1}));
  if (logSumExpCotangent)
    common = common - perQuery(logSumExpCotangent);
  Tensor dweights = widen(batchDot(cotangent, value, -1, -1));
  Tensor dscores =
      op.getScale().convertToDouble() * (weights * (dweights - common));
  dscores = cast(dscores, element);
  return {batchDot(dscores, key, -1, -2), batchDot(dscores, query, -2, -2),
          batchDot(cast(weights, element), cotangent, -2, -2)};
}

SmallVector<Value> AttentionGradOp::decompose(ImplicitLocOpBuilder &b) {
  Tensor weights = attentionWeights(*this, {b, getLogSumExp()});
  AttentionCotangents d =
      attentionCotangents(*this, weights, {b, getResult()}, {b, getCotangent()},
                          /*logSumExpCotangent=*/{});
  return {d.query, d.key, d.value};
}
