//===- KernelCompiler.h - Kernels to machine code ---------------*- C++ -*-===//

#ifndef GRAPH_CODEGEN_CPU_KERNELCOMPILER_H
#define GRAPH_CODEGEN_CPU_KERNELCOMPILER_H

#include "graph/Codegen/CPU/TargetCPU.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/Timing.h"
#include <string>

namespace graph {

/// Compiles `kernels`, whose functions take one memref of static shape per
/// buffer and then an index, and returns an ELF shared object that exports
/// `void name(void *const *buffers, int64_t workgroup)` for each of them. It
/// needs no library but libm. The bytes depend on `kernels` and `cpu` alone.
/// `kernels` is unchanged. Emits errors on it. Runs lld in this process, which
/// resets the values of llvm::cl options: read them before.
///
/// Floating-point arithmetic is that of the IR: no contraction into fused
/// multiply-adds, no reassociation, denormals as the runtime sets the mode.
llvm::FailureOr<std::string> compileKernels(mlir::ModuleOp kernels,
                                            const TargetCPU &cpu,
                                            mlir::TimingScope &timing);

/// The optimised LLVM IR that compileKernels would turn into machine code, as
/// text.
llvm::FailureOr<std::string> printKernelsAsLLVM(mlir::ModuleOp kernels,
                                                const TargetCPU &cpu);

} // namespace graph

#endif // GRAPH_CODEGEN_CPU_KERNELCOMPILER_H
