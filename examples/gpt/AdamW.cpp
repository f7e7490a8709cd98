//===- AdamW.cpp - The optimizer as a graph -------------------------------===//
//
// Loshchilov and Hutter, "Decoupled weight decay regularization". With t the
// number of this step, counted from 1, and g the clipped gradient:
//
//   m = beta1 m + (1 - beta1) g           m^ = m / (1 - beta1^t)
//   v = beta2 v + (1 - beta2) g^2         v^ = v / (1 - beta2^t)
//   w = w - rate * (decay w + m^ / (sqrt(v^) + epsilon))
//
//===----------------------------------------------------------------------===//

#include "Gpt.h"

#include <numbers>

using namespace graph;
using namespace gpt;
using llvm::ArrayRef;

static Tensor scheduleRate(const AdamWOptions &options, Tensor step) {
  Tensor rate = step.full(options.learningRate);
  if (options.cosineSteps > options.warmupSteps) {
    double length = options.cosineSteps - options.warmupSteps;
    Tensor progress = min(max((step - options.warmupSteps) / length, 0.), 1.);
    Tensor falling = (cos(progress * std::numbers::pi) + 1) * 0.5;
    rate = options.finalLearningRate +
           falling * (options.learningRate - options.finalLearningRate);
  }
  if (options.warmupSteps > 0)
    rate = rate * min((step + 1) / double(options.warmupSteps), 1.);
  return rate;
}

/// sqrt of the sum of all squares, in f32.
static Tensor globalNorm(ArrayRef<Tensor> tensors) {
  Tensor total;
  for (Tensor x : tensors) {
    Tensor squares = sum(x * x);
    total = total ? total + squares : squares;
  }
  return sqrt(total);
}

AdamWUpdate gpt::buildAdamW(const AdamWOptions &options, Tensor step,
                            ArrayRef<Tensor> weights,
                            ArrayRef<Tensor> gradients,
                            ArrayRef<Tensor> firstMoments,
                            ArrayRef<Tensor> secondMoments) {
  mlir::Type f32 = weights.front().getElementType();
  mlir::Type f64 = step.getBuilder().getF64Type();
  // Scalars in f64: 1 - beta^t loses half its digits in f32 while t is small.
  Tensor done = cast(step, f64);
  Tensor rate = scheduleRate(options, done);
  Tensor number = done + 1;
  Tensor correction1 = 1 - pow(number.full(options.beta1), number);
  Tensor correction2 = 1 - pow(number.full(options.beta2), number);
  Tensor stepSize = cast(rate / correction1, f32);
  Tensor rootScale = cast(rsqrt(correction2), f32);
  Tensor decay = cast(1 - rate * options.weightDecay, f32);

  AdamWUpdate update;
  update.gradientNorm = globalNorm(gradients);
  update.learningRate = cast(rate, f32);
  // The small number is PyTorch's, so that the losses can be compared.
  Tensor clip = min(options.clipNorm / (update.gradientNorm + 1e-6), 1.);

  for (auto [w, gradient, m, v] :
       llvm::zip_equal(weights, gradients, firstMoments, secondMoments)) {
    Tensor g = gradient * clip;
    Tensor newM = m * options.beta1 + g * (1 - options.beta1);
    Tensor newV = v * options.beta2 + g * g * (1 - options.beta2);
    Tensor direction = newM / (sqrt(newV) * rootScale + options.epsilon);
    bool decays = w.getRank() >= 2 && options.weightDecay != 0;
    Tensor shrunk = decays ? w * decay : w;
    update.weights.push_back(shrunk - stepSize * direction);
    update.firstMoments.push_back(newM);
    update.secondMoments.push_back(newV);
  }
  return update;
}
