//===- RandomOps.cpp - Counter-based random tensors -----------------------===//

#include "graph/Reference/Ops.h"
#include "graph/Support/Philox.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace graph;

/// `sample(words, isDouble)` for every element.
template <typename Fn>
static ReferenceTensor sampleElements(const ReferenceTensor &key,
                                      int64_t stream, RankedTensorType type,
                                      Fn sample) {
  ReferenceTensor result(type);
  bool isDouble = type.getElementType().isF64();
  for (auto [i, element] : llvm::enumerate(result.floats()))
    element = sample(philox::generate(i, stream, key.ints()[0]), isDouble);
  return result;
}

/// `value` rounded toward zero to a value of `type`.
static double truncateToType(FloatType type, double value) {
  APFloat number(value);
  bool losesInfo;
  number.convert(type.getFloatSemantics(), APFloat::rmTowardZero, &losesInfo);
  return number.convertToDouble();
}

ReferenceTensor reference::randomUniform(const ReferenceTensor &key,
                                         int64_t stream,
                                         RankedTensorType type) {
  auto element = mlir::cast<FloatType>(type.getElementType());
  return sampleElements(
      key, stream, type, [&](const philox::Counter &w, bool isDouble) {
        if (isDouble)
          return std::ldexp(std::ldexp(w[0] >> 5, 26) + (w[1] >> 6), -53);
        return truncateToType(element, std::ldexp(w[0] >> 8, -24));
      });
}

ReferenceTensor reference::randomNormal(const ReferenceTensor &key,
                                        int64_t stream, RankedTensorType type) {
  auto element = mlir::cast<FloatType>(type.getElementType());
  return sampleElements(key, stream, type,
                        [&](const philox::Counter &w, bool isDouble) {
                          double u = std::ldexp((w[0] >> 8) + 1, -24);
                          double v = std::ldexp(w[1] >> 8, -24);
                          double value = std::sqrt(-2 * std::log(u)) *
                                         std::cos(2 * std::numbers::pi * v);
                          // Narrower types round the f32 value.
                          if (!isDouble)
                            value = static_cast<float>(value);
                          return roundToType(element, value);
                        });
}
