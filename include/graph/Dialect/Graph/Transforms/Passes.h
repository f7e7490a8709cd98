//===- Passes.h - Passes over the graph dialect -----------------*- C++ -*-===//

#ifndef GRAPH_DIALECT_GRAPH_TRANSFORMS_PASSES_H
#define GRAPH_DIALECT_GRAPH_TRANSFORMS_PASSES_H

#include "graph/Dialect/Graph/Transforms/LowPrecision.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace graph {

#define GEN_PASS_DECL
#include "graph/Dialect/Graph/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "graph/Dialect/Graph/Transforms/Passes.h.inc"

} // namespace graph

#endif // GRAPH_DIALECT_GRAPH_TRANSFORMS_PASSES_H
