//===- Passes.h - Conversions between dialects ------------------*- C++ -*-===//

#ifndef GRAPH_CONVERSION_PASSES_H
#define GRAPH_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace graph {

#define GEN_PASS_DECL
#include "graph/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "graph/Conversion/Passes.h.inc"

} // namespace graph

#endif // GRAPH_CONVERSION_PASSES_H
