//===- Evaluators.h - From operation names to their meaning -----*- C++ -*-===//

#ifndef GRAPH_LIB_REFERENCE_EVALUATORS_H
#define GRAPH_LIB_REFERENCE_EVALUATORS_H

#include "graph/Reference/Interpreter.h"

#include "llvm/ADT/StringMap.h"
#include <functional>

namespace graph {

using Operands = llvm::ArrayRef<const ReferenceTensor *>;

/// The results of an operation without a region.
using Evaluator = std::function<llvm::SmallVector<ReferenceTensor>(
    mlir::Operation *, Operands, const EvaluateOptions &)>;

/// The evaluator of every such operation, by operation name.
const llvm::StringMap<Evaluator> &getEvaluators();

} // namespace graph

#endif // GRAPH_LIB_REFERENCE_EVALUATORS_H
