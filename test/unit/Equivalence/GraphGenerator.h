//===- GraphGenerator.h - Random valid graphs -------------------*- C++ -*-===//

#ifndef GRAPH_TEST_UNIT_EQUIVALENCE_GRAPHGENERATOR_H
#define GRAPH_TEST_UNIT_EQUIVALENCE_GRAPHGENERATOR_H

#include "mlir/IR/BuiltinOps.h"

namespace graph {

struct GeneratorOptions {
  uint64_t seed = 0;
  unsigned minSteps = 5, maxSteps = 40;
  /// Only a scalar f32 or f64 result and nothing without a derivative: for
  /// gradient checks.
  bool isDifferentiable = false;
};

/// A module with one public function @main: operations of all kinds on shapes
/// from a few common sizes, so that broadcasts, reshapes, reductions, products
/// and composites follow each other. Values stay near 1. What decides between
/// different results (comparisons, indices, conversions to integers) depends
/// on arguments and integers alone, never on a rounded number.
mlir::OwningOpRef<mlir::ModuleOp>
generateGraph(mlir::MLIRContext &context, const GeneratorOptions &options);

} // namespace graph

#endif // GRAPH_TEST_UNIT_EQUIVALENCE_GRAPHGENERATOR_H
