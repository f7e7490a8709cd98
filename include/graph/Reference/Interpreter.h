//===- Interpreter.h - Evaluation of functions in double --------*- C++ -*-===//
//
// The oracle of the compiler: evaluates a function of the graph dialect in
// double precision, straight from the definitions of its operations. Slow and
// simple.
//
// Understood: every operation of the dialect except `graph.value_and_grad`
// (expand it first), `graph.fusion` regions, and `func.call`.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_REFERENCE_INTERPRETER_H
#define GRAPH_REFERENCE_INTERPRETER_H

#include "graph/Reference/ReferenceTensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace graph {

struct EvaluateOptions {
  /// Whether `graph.cast` to a narrower floating-point type rounds. Finite
  /// differences need a function that is smooth at their step.
  bool roundCasts = true;
  /// A tensor with more elements is an error.
  int64_t maxElements = int64_t(1) << 28;
  /// Sees the operands and the results of every operation before anyone uses
  /// the results, and may change them: to round, to perturb, to print them.
  llvm::function_ref<void(mlir::Operation *,
                          llvm::ArrayRef<const ReferenceTensor *>,
                          llvm::MutableArrayRef<ReferenceTensor>)>
      onResults = {};
};

/// The results of `function` for `arguments`, which must have its types.
/// Emits an error at the operation that cannot be evaluated.
llvm::FailureOr<llvm::SmallVector<ReferenceTensor>>
evaluate(mlir::func::FuncOp function, llvm::ArrayRef<ReferenceTensor> arguments,
         const EvaluateOptions &options = {});

/// The results of one operation that has no region and is not a constant.
llvm::SmallVector<ReferenceTensor>
evaluateOperation(mlir::Operation *op,
                  llvm::ArrayRef<const ReferenceTensor *> operands,
                  const EvaluateOptions &options = {});

/// Whether `evaluate` understands every operation that `function` reaches.
bool isEvaluable(mlir::func::FuncOp function);

} // namespace graph

#endif // GRAPH_REFERENCE_INTERPRETER_H
