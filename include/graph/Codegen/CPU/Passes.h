//===- Passes.h - Lowering of kernels to LLVM for CPUs ----------*- C++ -*-===//

#ifndef GRAPH_CODEGEN_CPU_PASSES_H
#define GRAPH_CODEGEN_CPU_PASSES_H

#include "mlir/Pass/Pass.h"

namespace graph {

#define GEN_PASS_DECL
#include "graph/Codegen/CPU/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "graph/Codegen/CPU/Passes.h.inc"

/// From what the emitters write (func, scf, arith, math, vector, memref, cf) to
/// the llvm dialect with the runtime's entry points.
void buildCPUKernelPipeline(mlir::OpPassManager &pm);

} // namespace graph

#endif // GRAPH_CODEGEN_CPU_PASSES_H
