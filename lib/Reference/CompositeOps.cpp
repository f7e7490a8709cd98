//===- CompositeOps.cpp - Composites by their formulas --------------------===//

#include "graph/Reference/Ops.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

#include <cmath>
#include <limits>
#include <numbers>

using namespace mlir;
using namespace graph;

template <typename Fn>
static ReferenceTensor mapFloats(const ReferenceTensor &x, Fn fn) {
  ReferenceTensor result(x.getType());
  llvm::transform(x.floats(), result.floats().begin(), fn);
  return result;
}

ReferenceTensor reference::relu(const ReferenceTensor &x) {
  return mapFloats(x, [](double v) { return v > 0 || v != v ? v : 0; });
}

ReferenceTensor reference::silu(const ReferenceTensor &x) {
  return mapFloats(x, [](double v) { return v * (1 / (1 + std::exp(-v))); });
}

ReferenceTensor reference::gelu(GeluForm form, const ReferenceTensor &x) {
  auto inner = [&](double v) {
    if (form == GeluForm::erf)
      return std::erf(v / std::numbers::sqrt2);
    double scale = std::sqrt(2 / std::numbers::pi);
    return std::tanh(scale * (v + 0.044715 * v * v * v));
  };
  return mapFloats(x, [&](double v) { return v / 2 * (1 + inner(v)); });
}

//===----------------------------------------------------------------------===//
// Normalisations of lines of elements
//===----------------------------------------------------------------------===//

/// Elements along one dimension, `stride` apart.
struct Line {
  MutableArrayRef<double> elements;
  int64_t offset, stride, size;

  double &operator[](int64_t i) const { return elements[offset + i * stride]; }
};

/// Calls `fn` with every line of `x` along `dim`; `fn` may change it.
static void forEachLine(ReferenceTensor &x, int64_t dim,
                        function_ref<void(Line)> fn) {
  ArrayRef<int64_t> shape = x.getShape();
  int64_t size = shape[dim], stride = computeProduct(shape.drop_front(dim + 1));
  int64_t outer = computeProduct(shape.take_front(dim));
  for (int64_t i = 0; i < outer; ++i)
    for (int64_t j = 0; j < stride; ++j)
      fn({x.floats(), i * size * stride + j, stride, size});
}

static double getMax(Line line) {
  double max = -std::numeric_limits<double>::infinity();
  for (int64_t i = 0; i < line.size; ++i)
    if (line[i] > max || line[i] != line[i])
      max = line[i];
  return max;
}

/// The sum of exp(x - max).
static double getSumOfExp(Line line, double max) {
  double sum = 0;
  for (int64_t i = 0; i < line.size; ++i)
    sum += std::exp(line[i] - max);
  return sum;
}

ReferenceTensor reference::softmax(const ReferenceTensor &x, int64_t dim) {
  ReferenceTensor result = x;
  forEachLine(result, dim, [](Line line) {
    double max = getMax(line), sum = getSumOfExp(line, max);
    for (int64_t i = 0; i < line.size; ++i)
      line[i] = std::exp(line[i] - max) / sum;
  });
  return result;
}

ReferenceTensor reference::logSoftmax(const ReferenceTensor &x, int64_t dim) {
  ReferenceTensor result = x;
  forEachLine(result, dim, [](Line line) {
    double max = getMax(line), logSum = std::log(getSumOfExp(line, max));
    for (int64_t i = 0; i < line.size; ++i)
      line[i] = line[i] - max - logSum;
  });
  return result;
}

ReferenceTensor reference::layerNorm(const ReferenceTensor &x,
                                     const ReferenceTensor &scale,
                                     const ReferenceTensor &bias,
                                     double epsilon) {
  ReferenceTensor result = x;
  forEachLine(result, x.getType().getRank() - 1, [&](Line line) {
    double mean = 0, variance = 0;
    for (int64_t i = 0; i < line.size; ++i)
      mean += line[i] / line.size;
    for (int64_t i = 0; i < line.size; ++i)
      variance += (line[i] - mean) * (line[i] - mean) / line.size;
    for (int64_t i = 0; i < line.size; ++i)
      line[i] =
          (line[i] - mean) / std::sqrt(variance + epsilon) * scale.floats()[i] +
          bias.floats()[i];
  });
  return result;
}

//===----------------------------------------------------------------------===//
// Losses and attention
//===----------------------------------------------------------------------===//

ReferenceTensor reference::crossEntropy(const ReferenceTensor &logits,
                                        const ReferenceTensor &targets) {
  ArrayRef<int64_t> shape = logits.getShape();
  ReferenceTensor logLikelihoods = logSoftmax(logits, shape.size() - 1);
  ReferenceTensor result(logits.getType().clone(shape.drop_back()));
  int64_t numClasses = shape.back();
  for (auto [i, target] : llvm::enumerate(targets.ints()))
    if (target >= 0 && target < numClasses)
      result.floats()[i] = -logLikelihoods.floats()[i * numClasses + target];
  return result;
}

namespace {
/// The scores of one query after the other.
class AttentionRows {
public:
  AttentionRows(const ReferenceTensor &query, const ReferenceTensor &key,
                const ReferenceTensor *mask, bool causal, double scale)
      : query(query), key(key), mask(mask), causal(causal), scale(scale) {
    ArrayRef<int64_t> shape = query.getShape();
    numRows = computeProduct(shape.drop_back());
    numQueries = shape[shape.size() - 2];
    headSize = shape.back();
    numKeys = key.getShape()[shape.size() - 2];
    scores.resize(numKeys);
  }

  /// The scores of query `row` of all batches; -inf where it does not look.
  MutableArrayRef<double> getScores(int64_t row) {
    int64_t s = row % numQueries;
    for (int64_t t = 0; t < numKeys; ++t) {
      // The mask repeats over the leading dimensions that it does not have.
      int64_t position = row * numKeys + t;
      bool isKept =
          (!mask || mask->ints()[position % mask->getNumElements()]) &&
          (!causal || t <= s + (numKeys - numQueries));
      double product = 0;
      for (int64_t d = 0; d < headSize; ++d)
        product += query.floats()[row * headSize + d] *
                   key.floats()[getKeyRow(row, t) * headSize + d];
      scores[t] =
          isKept ? scale * product : -std::numeric_limits<double>::infinity();
    }
    return scores;
  }

  /// The row of key and value, of all batches, that is key `t` of query `row`.
  int64_t getKeyRow(int64_t row, int64_t t) const {
    return row / numQueries * numKeys + t;
  }

  int64_t numRows, numQueries, numKeys, headSize;

private:
  const ReferenceTensor &query, &key, *mask;
  bool causal;
  double scale;
  SmallVector<double> scores;
};
} // namespace

/// exp(score - logSumExp), or exp(score) / exp(logSumExp); 0 for -inf always.
static double getWeight(double score, double logSumExp) {
  return std::isinf(score) && score < 0 && !std::isnan(logSumExp)
             ? 0
             : std::exp(score - logSumExp);
}

SmallVector<ReferenceTensor> reference::attention(const ReferenceTensor &query,
                                                  const ReferenceTensor &key,
                                                  const ReferenceTensor &value,
                                                  const ReferenceTensor *mask,
                                                  bool causal, double scale) {
  int64_t valueSize = value.getShape().back();
  SmallVector<int64_t> shape(query.getShape());
  shape.back() = valueSize;
  ReferenceTensor result(query.getType().clone(shape));
  ReferenceTensor logSumExps(getLogSumExpType(query.getType()));

  AttentionRows rows(query, key, mask, causal, scale);
  for (int64_t row = 0; row < rows.numRows; ++row) {
    MutableArrayRef<double> scores = rows.getScores(row);
    Line line{scores, 0, 1, rows.numKeys};
    double max = getMax(line);
    bool isEmpty = std::isinf(max) && max < 0;
    double logSumExp = isEmpty ? max : max + std::log(getSumOfExp(line, max));
    logSumExps.floats()[row] = logSumExp;
    for (int64_t t = 0; t < rows.numKeys; ++t)
      for (int64_t e = 0; e < valueSize; ++e)
        result.floats()[row * valueSize + e] +=
            getWeight(scores[t], logSumExp) *
            value.floats()[rows.getKeyRow(row, t) * valueSize + e];
  }
  return {std::move(result), std::move(logSumExps)};
}

static double dotRows(const ReferenceTensor &lhs, int64_t lhsRow,
                      const ReferenceTensor &rhs, int64_t rhsRow) {
  int64_t size = lhs.getShape().back();
  double product = 0;
  for (int64_t i = 0; i < size; ++i)
    product +=
        lhs.floats()[lhsRow * size + i] * rhs.floats()[rhsRow * size + i];
  return product;
}

/// Adds a row of `from`, times a factor, to one of `to`.
static void addRow(ReferenceTensor &to, int64_t toRow, double factor,
                   const ReferenceTensor &from, int64_t fromRow) {
  int64_t size = to.getShape().back();
  for (int64_t i = 0; i < size; ++i)
    to.floats()[toRow * size + i] += factor * from.floats()[fromRow * size + i];
}

SmallVector<ReferenceTensor> reference::attentionGrad(
    const ReferenceTensor &query, const ReferenceTensor &key,
    const ReferenceTensor &value, const ReferenceTensor &result,
    const ReferenceTensor &logSumExp, const ReferenceTensor &cotangent,
    const ReferenceTensor *mask, bool causal, double scale) {
  ReferenceTensor dquery(query.getType()), dkey(key.getType());
  ReferenceTensor dvalue(value.getType());
  AttentionRows rows(query, key, mask, causal, scale);
  for (int64_t row = 0; row < rows.numRows; ++row) {
    MutableArrayRef<double> scores = rows.getScores(row);
    double common = dotRows(cotangent, row, result, row);
    for (int64_t t = 0; t < rows.numKeys; ++t) {
      int64_t keyRow = rows.getKeyRow(row, t);
      double weight = getWeight(scores[t], logSumExp.floats()[row]);
      double dweight = dotRows(cotangent, row, value, keyRow);
      double dscore = scale * weight * (dweight - common);
      addRow(dquery, row, dscore, key, keyRow);
      addRow(dkey, keyRow, dscore, query, row);
      addRow(dvalue, keyRow, weight, cotangent, row);
    }
  }
  return {std::move(dquery), std::move(dkey), std::move(dvalue)};
}
