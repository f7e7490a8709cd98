//===- TensorData.cpp - Random tensors and their comparison ---------------===//

#include "TensorData.h"

#include "graphrt/support/ElementVisit.h"

#include <cmath>
#include <limits>

using namespace graphrt;

namespace {

/// A hash of two numbers as a number in [0, 1).
double randomUnit(uint64_t seed, uint64_t index) {
  uint64_t x = (seed << 40) + index + 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

size_t countElements(const TensorInfo &info) {
  return info.bytes / byteSize(info.type);
}

} // namespace

Tensor graph::benchmark::makeRandom(const TensorInfo &info, uint64_t seed,
                                    int64_t indexBound) {
  Tensor tensor = Tensor::zeros(info.type, info.shape);
  double low = isFloat(info.type) ? -1 : 0;
  double width = isFloat(info.type) || info.type == ElementType::i1
                     ? 2
                     : static_cast<double>(indexBound);
  visitElementType(info.type, [&](auto zero) {
    using T = decltype(zero);
    auto *elements = static_cast<T *>(tensor.data());
    for (size_t i = 0, end = countElements(info); i < end; ++i)
      elements[i] = T(low + width * randomUnit(seed, i));
  });
  return tensor;
}

graph::benchmark::Difference
graph::benchmark::findWorst(const Tensor &found, const Tensor &expected) {
  TensorInfo info = expected.info();
  Difference worst;
  double largest = 0;
  visitElementType(info.type, [&](auto zero) {
    using T = decltype(zero);
    const auto *left = static_cast<const T *>(found.data());
    const auto *right = static_cast<const T *>(expected.data());
    double error = -1;
    for (size_t i = 0, end = countElements(info); i < end; ++i) {
      double a(left[i]), b(right[i]);
      double difference = std::abs(a - b);
      if (!std::isfinite(difference))
        difference = std::numeric_limits<double>::infinity();
      largest = std::fmax(largest, std::abs(b));
      if (difference > error) {
        error = difference;
        worst = {i, a, b, difference};
      }
    }
  });
  if (worst.error > 0)
    worst.error = std::isfinite(worst.error)
                      ? worst.error / largest
                      : std::numeric_limits<double>::infinity();
  return worst;
}

double graph::benchmark::getTolerance(ElementType type) {
  switch (type) {
  case ElementType::f64:
    return 1e-12;
  case ElementType::f32:
    return 2e-5;
  case ElementType::bf16:
    return 0x1p-6;
  case ElementType::f16:
    return 0x1p-9;
  default:
    return 0;
  }
}
