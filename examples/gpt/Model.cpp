//===- Model.cpp - The GPT-2 architecture ---------------------------------===//

#include "Gpt.h"

#include <cmath>

using namespace graph;
using namespace gpt;
using llvm::ArrayRef;

std::vector<Parameter> gpt::listParameters(const ModelOptions &options) {
  int64_t width = options.width;
  constexpr double deviation = 0.02;
  // Two projections per layer add to the residual stream, whose variance would
  // otherwise grow with depth.
  double residual = deviation / std::sqrt(2.0 * options.layers);

  std::vector<Parameter> list;
  auto matrix = [&](std::string name, int64_t rows, int64_t columns,
                    double deviation) {
    list.push_back({std::move(name), {rows, columns}, deviation});
  };
  auto vector = [&](std::string name, int64_t size, double fill) {
    list.push_back({std::move(name), {size}, /*deviation=*/0, fill});
  };
  auto norm = [&](const std::string &name) {
    vector(name + ".weight", width, 1);
    vector(name + ".bias", width, 0);
  };
  auto linear = [&](const std::string &name, int64_t in, int64_t out,
                    double deviation) {
    matrix(name + ".weight", in, out, deviation);
    vector(name + ".bias", out, 0);
  };

  matrix("wte.weight", options.vocabulary, width, deviation);
  matrix("wpe.weight", options.context, width, deviation);
  for (int64_t layer = 0; layer < options.layers; ++layer) {
    std::string prefix = "h." + std::to_string(layer) + ".";
    norm(prefix + "ln_1");
    linear(prefix + "attn.c_attn", width, 3 * width, deviation);
    linear(prefix + "attn.c_proj", width, width, residual);
    norm(prefix + "ln_2");
    linear(prefix + "mlp.c_fc", width, 4 * width, deviation);
    linear(prefix + "mlp.c_proj", 4 * width, width, residual);
  }
  norm("ln_f");
  return list;
}

namespace {
/// Hands out the weights in the order of `listParameters` while the graph is
/// written in the same order.
class Weights {
public:
  explicit Weights(ArrayRef<Tensor> all) : rest(all) {}
  Tensor next() {
    Tensor weight = rest.front();
    rest = rest.drop_front();
    return weight;
  }

private:
  ArrayRef<Tensor> rest;
};
} // namespace

static Tensor norm(Tensor x, Weights &weights) {
  Tensor scale = weights.next(), bias = weights.next();
  return layerNorm(x, scale, bias);
}

static Tensor linear(Tensor x, Weights &weights) {
  Tensor weight = cast(weights.next(), x.getElementType());
  Tensor bias = cast(weights.next(), x.getElementType());
  return matmul(x, weight) + bias;
}

/// [B * T, width] to the same: every head attends to its past.
static Tensor selfAttention(const ModelOptions &options, Tensor x,
                            int64_t batch, Weights &weights) {
  int64_t heads = options.heads, size = options.width / heads;
  int64_t context = options.context;
  Tensor qkv = reshape(linear(x, weights), {batch, context, 3, heads, size});
  auto part = [&](int64_t i) {
    Tensor rows =
        reshape(sliceDim(qkv, 2, i, i + 1), {batch, context, heads, size});
    return swapDims(rows, 1, 2);
  };
  Tensor mixed = attention(part(0), part(1), part(2), {.causal = true});
  return linear(reshape(swapDims(mixed, 1, 2), x.getShape()), weights);
}

static Tensor perceptron(Tensor x, Weights &weights) {
  Tensor hidden = gelu(linear(x, weights), GeluForm::tanh);
  return linear(hidden, weights);
}

Tensor gpt::buildLogits(const ModelOptions &options, ArrayRef<Tensor> weights,
                        Tensor tokens) {
  Weights rest(weights);
  Tensor tokenTable = rest.next(), positions = rest.next();
  int64_t batch = tokens.dim(0), context = tokens.dim(1);
  mlir::Type f32 = tokenTable.getElementType();
  mlir::Type type = options.computeType ? options.computeType : f32;

  Tensor x = cast(gather(tokenTable, tokens) + positions, type);
  x = reshape(x, {batch * context, options.width});
  for (int64_t layer = 0; layer < options.layers; ++layer) {
    x = x + selfAttention(options, norm(x, rest), batch, rest);
    x = x + perceptron(norm(x, rest), rest);
  }
  x = norm(x, rest);
  // The head is the token embedding: one table with two gradients.
  Tensor head = cast(tokenTable, type);
  return cast(dot(x, head, {.lhsContract = {1}, .rhsContract = {1}}), f32);
}

Tensor gpt::buildLoss(const ModelOptions &options, ArrayRef<Tensor> weights,
                      Tensor tokens, Tensor targets) {
  Tensor logits = buildLogits(options, weights, tokens);
  return mean(crossEntropy(logits, reshape(targets, {-1})));
}
