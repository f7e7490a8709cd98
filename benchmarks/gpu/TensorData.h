//===- TensorData.h - Random tensors and their comparison -------*- C++ -*-===//

#ifndef GRAPH_BENCHMARKS_GPU_TENSORDATA_H
#define GRAPH_BENCHMARKS_GPU_TENSORDATA_H

#include "graphrt/graphrt.hpp"

namespace graph::benchmark {

/// Floats are uniform in [-1, 1), integers in [0, indexBound), i1 is 0 or 1.
/// The same seed gives the same elements.
graphrt::Tensor makeRandom(const graphrt::TensorInfo &info, uint64_t seed,
                           int64_t indexBound);

/// The element in which two tensors differ most.
struct Difference {
  size_t element = 0;
  double found = 0, expected = 0;
  /// |found - expected| by the largest |expected| of the tensor. Infinite where
  /// either is not finite.
  double error = 0;
};

/// `found` and `expected` have the same type and shape.
Difference findWorst(const graphrt::Tensor &found,
                     const graphrt::Tensor &expected);

/// The error that another order of sums and a rounding more or less can cause:
/// two units in the last place of the largest element for 16-bit floats, none
/// for integers.
double getTolerance(graphrt::ElementType type);

} // namespace graph::benchmark

#endif // GRAPH_BENCHMARKS_GPU_TENSORDATA_H
