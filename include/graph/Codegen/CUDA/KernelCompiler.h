//===- KernelCompiler.h - Kernels to PTX ------------------------*- C++ -*-===//

#ifndef GRAPH_CODEGEN_CUDA_KERNELCOMPILER_H
#define GRAPH_CODEGEN_CUDA_KERNELCOMPILER_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Support/Timing.h"
#include <string>

namespace graph {

/// Compiles the gpu.func kernels of `kernels` and returns one PTX module for
/// `chip` (one of getCUDAChips()) with an entry point of the same name for each
/// of them. Needs neither a CUDA toolkit nor a device, and the text depends on
/// the arguments alone. `kernels` is unchanged. Emits errors on it.
///
/// Floating-point arithmetic is that of the IR: no contraction into fused
/// multiply-adds, denormals are kept.
llvm::FailureOr<std::string> compileKernelsToPTX(mlir::gpu::GPUModuleOp kernels,
                                                 llvm::StringRef chip,
                                                 mlir::TimingScope &timing);

/// The optimised LLVM IR that compileKernelsToPTX would turn into PTX, as text.
llvm::FailureOr<std::string>
printKernelsAsNVPTXLLVM(mlir::gpu::GPUModuleOp kernels, llvm::StringRef chip);

} // namespace graph

#endif // GRAPH_CODEGEN_CUDA_KERNELCOMPILER_H
