//===- Passes.h - The differentiation pass ----------------------*- C++ -*-===//

#ifndef GRAPH_AUTODIFF_PASSES_H
#define GRAPH_AUTODIFF_PASSES_H

#include "graph/Autodiff/Vjp.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace graph {

#define GEN_PASS_DECL
#include "graph/Autodiff/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "graph/Autodiff/Passes.h.inc"

} // namespace graph

#endif // GRAPH_AUTODIFF_PASSES_H
