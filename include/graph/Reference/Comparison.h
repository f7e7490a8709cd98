//===- Comparison.h - Whether two tensors say the same ----------*- C++ -*-===//

#ifndef GRAPH_REFERENCE_COMPARISON_H
#define GRAPH_REFERENCE_COMPARISON_H

#include "graph/Reference/ReferenceTensor.h"

#include <optional>

namespace graph {

/// Half the distance between 1 and the next larger number of `type`.
double getUnitRoundoff(mlir::FloatType type);

/// One element where two tensors differ.
struct Difference {
  int64_t element;
  /// Integers as doubles.
  double found, expected;
};

/// The first element of `found` that is further from `expected` than
/// `tolerance` times the largest finite magnitude in `expected`. Integers must
/// be equal, NaN matches NaN, an infinity the infinity of its sign. The types
/// must be equal.
std::optional<Difference> findDifference(const ReferenceTensor &found,
                                         const ReferenceTensor &expected,
                                         double tolerance);

/// The position of an element, such as "[1, 0, 2]".
std::string formatPosition(llvm::ArrayRef<int64_t> shape, int64_t element);

} // namespace graph

#endif // GRAPH_REFERENCE_COMPARISON_H
