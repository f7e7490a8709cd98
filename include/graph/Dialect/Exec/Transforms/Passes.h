//===- Passes.h - Passes over the exec dialect ------------------*- C++ -*-===//

#ifndef GRAPH_DIALECT_EXEC_TRANSFORMS_PASSES_H
#define GRAPH_DIALECT_EXEC_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace exec {

#define GEN_PASS_DECL
#include "graph/Dialect/Exec/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "graph/Dialect/Exec/Transforms/Passes.h.inc"

} // namespace exec

#endif // GRAPH_DIALECT_EXEC_TRANSFORMS_PASSES_H
