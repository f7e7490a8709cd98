//===- CounterRandom.h - Random numbers by position -------------*- C++ -*-===//

#ifndef GRAPHRT_TOOLS_GRAPHRUN_COUNTERRANDOM_H
#define GRAPHRT_TOOLS_GRAPHRUN_COUNTERRANDOM_H

#include <cstdint>

namespace graphrt::run {

/// A bijective mixer of 64 bits (the finalizer of SplitMix64).
constexpr uint64_t mix(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

/// 64 random bits that depend on the key and the position alone, so that any
/// part of a stream can be drawn again without its beginning.
constexpr uint64_t randomBits(uint64_t seed, uint64_t stream, uint64_t i,
                              uint64_t j) {
  constexpr uint64_t golden = 0x9e3779b97f4a7c15;
  uint64_t x = mix(seed + golden);
  x = mix(x + stream + golden);
  x = mix(x + i + golden);
  return mix(x + j + golden);
}

/// Uniform in [0, 1).
constexpr double randomUnit(uint64_t seed, uint64_t stream, uint64_t i,
                            uint64_t j) {
  return (randomBits(seed, stream, i, j) >> 11) * 0x1p-53;
}

} // namespace graphrt::run

#endif // GRAPHRT_TOOLS_GRAPHRUN_COUNTERRANDOM_H
