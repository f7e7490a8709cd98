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

/// One row of attention: `weights` of the keys that are kept, normalised.
static void normalizeKept(MutableArrayRef<double> weights,
                          ArrayRef<bool> isKept) {
  double max = -std::numeric_limits<double>::infinity(), sum = 0;
  for (auto [weight, kept] : llvm::zip_equal(weights, isKept))
    if (kept && (weight > max || weight != weight))
      max = weight;
  // No key is left, or all have the score of one that is dropped.
  bool isEmpty = max == -std::numeric_limits<double>::infinity();
  for (auto [weight, kept] : llvm::zip_equal(weights, isKept))
    sum += weight = kept && !isEmpty ? std::exp(weight - max) : 0;
  for (auto [weight, kept] : llvm::zip_equal(weights, isKept))
    weight = kept && !isEmpty ? weight / sum : 0;
}

ReferenceTensor reference::attention(const ReferenceTensor &query,
                                     const ReferenceTensor &key,
                                     const ReferenceTensor &value,
                                     const ReferenceTensor *mask, bool causal,
                                     double scale) {
  ArrayRef<int64_t> shape = query.getShape();
  int64_t numQueries = shape[shape.size() - 2], headSize = shape.back();
  int64_t numKeys = key.getShape()[shape.size() - 2];
  int64_t valueSize = value.getShape().back();
  SmallVector<int64_t> resultShape(shape.drop_back());
  resultShape.push_back(valueSize);
  ReferenceTensor result(query.getType().clone(resultShape));

  SmallVector<double> weights(numKeys);
  SmallVector<bool> isKept(numKeys);
  for (int64_t row = 0, e = computeProduct(shape.drop_back()); row < e; ++row) {
    int64_t batch = row / numQueries, s = row % numQueries;
    for (int64_t t = 0; t < numKeys; ++t) {
      // The mask repeats over the leading dimensions that it does not have.
      int64_t position = row * numKeys + t;
      isKept[t] = (!mask || mask->ints()[position % mask->getNumElements()]) &&
                  (!causal || t <= s + (numKeys - numQueries));
      double product = 0;
      for (int64_t d = 0; d < headSize; ++d)
        product += query.floats()[row * headSize + d] *
                   key.floats()[(batch * numKeys + t) * headSize + d];
      weights[t] = scale * product;
    }
    normalizeKept(weights, isKept);
    for (int64_t t = 0; t < numKeys; ++t)
      for (int64_t d = 0; isKept[t] && d < valueSize; ++d)
        result.floats()[row * valueSize + d] +=
            weights[t] * value.floats()[(batch * numKeys + t) * valueSize + d];
  }
  return result;
}
