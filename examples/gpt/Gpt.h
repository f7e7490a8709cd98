//===- Gpt.h - GPT training graphs of any size ------------------*- C++ -*-===//
//
// The pre-norm GPT-2 architecture, its initialisation and an AdamW training
// step, written as functions of one module.
//
// With B = batch, T = context, V = vocabulary, P = the parameters:
//
//   init(seed: i64[])                             writes P, moments, step
//   train_step(tokens, targets: i32[B, T])        reads and writes them all;
//       -> loss, grad_norm, learning_rate: f32[]
//   eval_loss(tokens, targets: i32[B, T])         reads P
//       -> loss: f32[]
//   logits(tokens: i32[1, T]) -> logits: f32[T, V]  reads P
//
// Parameters have the names and layouts of published GPT-2 checkpoints
// ("h.0.attn.c_attn.weight" is [width, 3 * width]); the moments of parameter p
// are "adam_m.p" and "adam_v.p".
//
//===----------------------------------------------------------------------===//

#ifndef EXAMPLES_GPT_GPT_H
#define EXAMPLES_GPT_GPT_H

#include "graph/Builder/ModuleBuilder.h"

#include <string>
#include <vector>

namespace gpt {

/// Sizes. `width` is a multiple of `heads`.
struct ModelOptions {
  int64_t layers = 4, heads = 4, width = 128;
  int64_t context = 128, batch = 16, vocabulary = 256;
  /// Of activations and matrix products; null means f32. Parameters, moments,
  /// normalisations' scales and the loss are f32 whatever this is.
  mlir::Type computeType;
};

/// AdamW as PyTorch defines it, with decoupled weight decay on tensors of rank
/// 2 and more, and gradients scaled to a global norm of at most `clipNorm`.
struct AdamWOptions {
  double learningRate = 1e-3, beta1 = 0.9, beta2 = 0.95, epsilon = 1e-8;
  double weightDecay = 0.1, clipNorm = 1.0;
  /// Step s of the first ones runs at (s + 1) / warmupSteps of the rate.
  int64_t warmupSteps = 20;
  /// Where positive, the rate then falls along half a cosine to
  /// `finalLearningRate` at this step, and stays there.
  int64_t cosineSteps = 0;
  double finalLearningRate = 0;
};

/// One trained tensor and how it starts: normal with this deviation, or, where
/// it is zero, filled with `fill`.
struct Parameter {
  std::string name;
  std::vector<int64_t> shape;
  double deviation = 0, fill = 0;
};

/// All parameters of a model in the order of its graph.
std::vector<Parameter> listParameters(const ModelOptions &options);

/// The mean cross entropy of predicting `targets`; both i32 [B, T]. `weights`
/// are in the order of `listParameters`.
graph::Tensor buildLoss(const ModelOptions &options,
                        llvm::ArrayRef<graph::Tensor> weights,
                        graph::Tensor tokens, graph::Tensor targets);

/// f32 [B * T, V]: the unnormalised log-probabilities of each next token.
graph::Tensor buildLogits(const ModelOptions &options,
                          llvm::ArrayRef<graph::Tensor> weights,
                          graph::Tensor tokens);

/// What one AdamW step makes of the parameters.
struct AdamWUpdate {
  llvm::SmallVector<graph::Tensor> weights, firstMoments, secondMoments;
  graph::Tensor gradientNorm, learningRate;
};

/// `step` is i64: how many steps came before.
AdamWUpdate buildAdamW(const AdamWOptions &options, graph::Tensor step,
                       llvm::ArrayRef<graph::Tensor> weights,
                       llvm::ArrayRef<graph::Tensor> gradients,
                       llvm::ArrayRef<graph::Tensor> firstMoments,
                       llvm::ArrayRef<graph::Tensor> secondMoments);

/// Adds `init`, `train_step`, `eval_loss` and `logits`.
void buildModule(graph::ModuleBuilder &module, const ModelOptions &model,
                 const AdamWOptions &optimizer);

} // namespace gpt

#endif // EXAMPLES_GPT_GPT_H
