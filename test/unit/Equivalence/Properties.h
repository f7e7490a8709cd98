//===- Properties.h - What must hold for every graph ------------*- C++ -*-===//

#ifndef GRAPH_TEST_UNIT_EQUIVALENCE_PROPERTIES_H
#define GRAPH_TEST_UNIT_EQUIVALENCE_PROPERTIES_H

#include "MeasuredTolerance.h"

#include "mlir/IR/BuiltinOps.h"
#include <functional>

namespace graph {

/// Says what is wrong with a module, or nothing. The module is not changed.
using Property = std::function<std::optional<std::string>(mlir::ModuleOp,
                                                          ComparisonCounts &)>;

/// Every public function gives the same results before and after the passes
/// that lead to fused graphs.
std::optional<std::string> checkFusedGraph(mlir::ModuleOp module,
                                           ComparisonCounts &counts);

/// Every public function gives the same results compiled and interpreted.
std::optional<std::string> checkCompiled(mlir::ModuleOp module,
                                         ComparisonCounts &counts);
/// The same with NaN, infinities, zeros and ties among the inputs.
std::optional<std::string> checkCompiledSpecial(mlir::ModuleOp module,
                                                ComparisonCounts &counts);

/// Without roundings, mixed precision changes no public function; with them,
/// what it makes of a module gives the same results compiled and interpreted.
std::optional<std::string> checkMixedPrecision(mlir::ModuleOp module,
                                               ComparisonCounts &counts);

/// The two for CUDA kernels on the emulated device.
std::optional<std::string> checkEmulated(mlir::ModuleOp module,
                                         ComparisonCounts &counts);
std::optional<std::string> checkEmulatedSpecial(mlir::ModuleOp module,
                                                ComparisonCounts &counts);

/// The gradient of the only result of @main is what differences say.
std::optional<std::string> checkGradients(mlir::ModuleOp module,
                                          ComparisonCounts &counts);

/// Drops results and replaces operations by arguments as long as `property`
/// is violated. Returns the smallest module found.
mlir::OwningOpRef<mlir::ModuleOp> minimize(mlir::ModuleOp module,
                                           const Property &property);

} // namespace graph

#endif // GRAPH_TEST_UNIT_EQUIVALENCE_PROPERTIES_H
