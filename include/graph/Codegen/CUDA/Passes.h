//===- Passes.h - Lowering of kernels to NVVM -------------------*- C++ -*-===//

#ifndef GRAPH_CODEGEN_CUDA_PASSES_H
#define GRAPH_CODEGEN_CUDA_PASSES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/Pass.h"

namespace graph {

#define GEN_PASS_DECL
#include "graph/Codegen/CUDA/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "graph/Codegen/CUDA/Passes.h.inc"

/// From what the emitters write into a gpu.module to the llvm and nvvm
/// dialects. `pm` is that of a module.
void buildCUDAKernelPipeline(mlir::OpPassManager &pm, unsigned indexBits);

} // namespace graph

#endif // GRAPH_CODEGEN_CUDA_PASSES_H
