//===- Comparison.cpp - Whether two tensors say the same ------------------===//

#include "graph/Reference/Comparison.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mlir;
using namespace graph;

double graph::getUnitRoundoff(FloatType type) {
  return std::ldexp(1.0, -int(type.getFPMantissaWidth()));
}

static bool isClose(double found, double expected, double distance) {
  if (std::isnan(expected) || std::isnan(found))
    return std::isnan(expected) && std::isnan(found);
  // The difference of equal infinities is NaN.
  return found == expected || std::fabs(found - expected) <= distance;
}

std::optional<Difference> graph::findDifference(const ReferenceTensor &found,
                                                const ReferenceTensor &expected,
                                                double tolerance) {
  assert(found.getType() == expected.getType() && "nothing to compare");
  double scale = 0;
  if (expected.isFloat())
    for (double value : expected.floats())
      if (std::isfinite(value))
        scale = std::max(scale, std::fabs(value));
  auto compare = [&]<typename T>(T *) -> std::optional<Difference> {
    for (auto [i, f, e] :
         llvm::enumerate(found.elements<T>(), expected.elements<T>()))
      if (std::is_same_v<T, double> ? !isClose(f, e, tolerance * scale)
                                    : f != e)
        return Difference{int64_t(i), double(f), double(e)};
    return std::nullopt;
  };
  return dispatchByStorage(expected, compare);
}

std::string graph::formatPosition(ArrayRef<int64_t> shape, int64_t element) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(delinearize(element, computeStrides(shape)), os);
  os << ']';
  return text;
}
