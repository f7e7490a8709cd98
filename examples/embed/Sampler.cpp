//===- Sampler.cpp - Draws the next token from logits ---------------------===//

#include "Sampler.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace embed;

int32_t Sampler::draw(std::span<const float> logits) {
  bool greedy = options.temperature <= 0;
  size_t count = greedy ? 1
                 : options.topK == 0
                     ? logits.size()
                     : std::min<size_t>(options.topK, logits.size());
  order.resize(logits.size());
  std::iota(order.begin(), order.end(), 0);
  // Equal logits in the order of their tokens, so that the result is defined.
  std::partial_sort(order.begin(), order.begin() + count, order.end(),
                    [&](int32_t a, int32_t b) {
                      return logits[a] != logits[b] ? logits[a] > logits[b]
                                                    : a < b;
                    });
  if (greedy)
    return order[0];

  weights.resize(count);
  double total = 0;
  for (size_t i = 0; i < count; ++i) {
    double excess = double(logits[order[i]]) - double(logits[order[0]]);
    weights[i] = std::exp(excess / options.temperature);
    total += weights[i];
  }
  // The standard library's distributions differ between implementations.
  double threshold = double(random() >> 11) * 0x1p-53 * total;
  for (size_t i = 0; i < count; ++i) {
    threshold -= weights[i];
    if (threshold < 0)
      return order[i];
  }
  return order[count - 1];
}
