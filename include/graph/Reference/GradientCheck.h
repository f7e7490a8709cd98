//===- GradientCheck.h - Derivatives against differences --------*- C++ -*-===//

#ifndef GRAPH_REFERENCE_GRADIENTCHECK_H
#define GRAPH_REFERENCE_GRADIENTCHECK_H

#include "graph/Reference/ReferenceTensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace graph {

/// Adds a private function beside `function` that returns its results and the
/// gradient of the first of them for the arguments `wrt`: one
/// `graph.value_and_grad`, to be expanded by `--graph-autodiff`.
mlir::func::FuncOp buildGradientFunction(mlir::func::FuncOp function,
                                         llvm::ArrayRef<int64_t> wrt);

struct GradientCheckOptions {
  /// Central differences over this distance, times the argument's magnitude
  /// where that is above 1.
  double step = 1e-5;
  /// Of a larger argument, only so many evenly spaced elements are checked.
  int64_t maxElements = 64;
};

/// How far the gradient of one argument is from the differences.
struct GradientError {
  /// The largest distance, relative to the largest magnitude in the gradient
  /// of this argument.
  double error = 0;
  /// Where it is, and the two numbers there.
  int64_t element = 0;
  double derivative = 0, difference = 0;
  int64_t numChecked = 0;
};

/// Compares `gradient`, an expanded gradient function of `function`, with
/// central differences of `function` at `arguments`, all in double precision
/// and without rounding in casts. One entry per argument in `wrt`.
llvm::FailureOr<llvm::SmallVector<GradientError>>
checkGradient(mlir::func::FuncOp function, mlir::func::FuncOp gradient,
              llvm::ArrayRef<int64_t> wrt,
              llvm::ArrayRef<ReferenceTensor> arguments,
              const GradientCheckOptions &options = {});

} // namespace graph

#endif // GRAPH_REFERENCE_GRADIENTCHECK_H
