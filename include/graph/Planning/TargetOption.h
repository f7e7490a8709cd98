//===- TargetOption.h - The option `target` of passes -----------*- C++ -*-===//

#ifndef GRAPH_PLANNING_TARGETOPTION_H
#define GRAPH_PLANNING_TARGETOPTION_H

#include "graph/Planning/KernelTarget.h"

#include "mlir/IR/Operation.h"

namespace graph {

/// KernelTarget::parse(text), with its error emitted on `op`, on which the pass
/// runs.
llvm::FailureOr<KernelTarget> parseTargetOption(mlir::Operation *op,
                                                llvm::StringRef text);

} // namespace graph

#endif // GRAPH_PLANNING_TARGETOPTION_H
