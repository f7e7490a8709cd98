//===- Sampler.h - Draws the next token from logits -------------*- C++ -*-===//

#ifndef EXAMPLES_EMBED_SAMPLER_H
#define EXAMPLES_EMBED_SAMPLER_H

#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace embed {

struct SamplerOptions {
  /// Divides the logits; 0 takes the most likely token always.
  double temperature = 0.8;
  /// Only this many of the most likely tokens can be drawn; 0 means all.
  unsigned topK = 0;
  uint64_t seed = 0;
};

/// Draws from softmax(logits / temperature). The same options and logits give
/// the same tokens on every machine.
class Sampler {
public:
  explicit Sampler(const SamplerOptions &options)
      : options(options), random(options.seed) {}

  /// `logits` must not be empty.
  int32_t draw(std::span<const float> logits);

private:
  SamplerOptions options;
  std::mt19937_64 random;
  std::vector<int32_t> order;
  std::vector<double> weights;
};

} // namespace embed

#endif // EXAMPLES_EMBED_SAMPLER_H
