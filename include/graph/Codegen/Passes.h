//===- Passes.h - Passes that emit and lower kernels ------------*- C++ -*-===//

#ifndef GRAPH_CODEGEN_PASSES_H
#define GRAPH_CODEGEN_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace graph {

#define GEN_PASS_DECL
#include "graph/Codegen/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "graph/Codegen/Passes.h.inc"

} // namespace graph

#endif // GRAPH_CODEGEN_PASSES_H
