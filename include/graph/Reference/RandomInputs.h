//===- RandomInputs.h - Reproducible inputs ---------------------*- C++ -*-===//
//
// A random input depends on the seed, its name and its type alone, so adding
// an argument to a function does not change the others.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_REFERENCE_RANDOMINPUTS_H
#define GRAPH_REFERENCE_RANDOMINPUTS_H

#include "graph/Reference/ReferenceTensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace graph {

struct RandomInputOptions {
  uint64_t seed = 0;
  /// Integers are uniform in [intLow, intHigh), cut to what the type can hold.
  int64_t intLow = 0, intHigh = 8;
  /// Makes about one float in four a NaN, an infinity, a zero of either sign,
  /// a small integer or a half (where rounding and comparisons have ties), and
  /// about one integer in four a bound of its type, -1, 0 or 1.
  bool specialValues = false;
};

/// Floats are normal and rounded to their type, i1 is uniform.
ReferenceTensor getRandomInput(mlir::RankedTensorType type,
                               llvm::StringRef name,
                               const RandomInputOptions &options);

/// The name under which callers pass an argument: its `graph.name`, or argN.
std::string getArgumentName(mlir::func::FuncOp function, unsigned argument);
/// The name under which callers receive a result: its `graph.name`, or resultN.
std::string getResultName(mlir::func::FuncOp function, unsigned result);

/// One random input per argument of `function`.
llvm::SmallVector<ReferenceTensor>
getRandomInputs(mlir::func::FuncOp function, const RandomInputOptions &options);

} // namespace graph

#endif // GRAPH_REFERENCE_RANDOMINPUTS_H
