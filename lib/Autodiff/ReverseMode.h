//===- ReverseMode.h - The derivative of straight-line code -----*- C++ -*-===//

#ifndef GRAPH_LIB_AUTODIFF_REVERSEMODE_H
#define GRAPH_LIB_AUTODIFF_REVERSEMODE_H

#include "graph/Autodiff/Vjp.h"

namespace graph {

/// Appends to `block`, before its terminator, the derivative of `loss` (a
/// floating-point scalar defined in `block`) with respect to each of `wrt`
/// (arguments of `block`, of floating-point type) and returns one tensor for
/// each, of its type. An operation on the path without a rule is an error at
/// that operation; `request` is where a note says who asked.
llvm::FailureOr<llvm::SmallVector<mlir::Value>>
appendGradient(mlir::Block &block, mlir::Value loss,
               llvm::ArrayRef<mlir::Value> wrt, const VjpTable &rules,
               Subgradient subgradient, mlir::Location request);

} // namespace graph

#endif // GRAPH_LIB_AUTODIFF_REVERSEMODE_H
