//===- Philox.h - The counter-based random number generator -----*- C++ -*-===//
//
// Philox 4x32 with 10 rounds, from Salmon, Moraes, Dror and Shaw, "Parallel
// Random Numbers: As Easy as 1, 2, 3" (SC 2011). A bijection of the 128-bit
// counter for every 64-bit key: no state, so every element of a random tensor
// can be computed on its own, on any device and as often as needed.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_SUPPORT_PHILOX_H
#define GRAPH_SUPPORT_PHILOX_H

#include <array>
#include <cstdint>

namespace graph::philox {

/// The multipliers of the two halves of the counter, and what is added to the
/// two words of the key after every round.
inline constexpr std::array<uint32_t, 2> kMultipliers = {0xD2511F53u,
                                                         0xCD9E8D57u};
inline constexpr std::array<uint32_t, 2> kKeyIncrements = {0x9E3779B9u,
                                                           0xBB67AE85u};
inline constexpr unsigned kNumRounds = 10;

using Counter = std::array<uint32_t, 4>;
using Key = std::array<uint32_t, 2>;

/// The four random words of `counter` under `key`.
constexpr Counter generate(Counter counter, Key key) {
  for (unsigned round = 0; round < kNumRounds; ++round) {
    uint64_t product0 = uint64_t(kMultipliers[0]) * counter[0];
    uint64_t product1 = uint64_t(kMultipliers[1]) * counter[2];
    counter = {
        uint32_t(product1 >> 32) ^ counter[1] ^ key[0], uint32_t(product1),
        uint32_t(product0 >> 32) ^ counter[3] ^ key[1], uint32_t(product0)};
    key[0] += kKeyIncrements[0];
    key[1] += kKeyIncrements[1];
  }
  return counter;
}

/// The words of one element of a random tensor: see graph.random_uniform.
constexpr Counter generate(uint64_t element, uint64_t stream, uint64_t key) {
  return generate({uint32_t(element), uint32_t(element >> 32), uint32_t(stream),
                   uint32_t(stream >> 32)},
                  {uint32_t(key), uint32_t(key >> 32)});
}

} // namespace graph::philox

#endif // GRAPH_SUPPORT_PHILOX_H
