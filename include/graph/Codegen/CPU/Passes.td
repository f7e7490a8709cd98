//===- Passes.td - Lowering of kernels to LLVM for CPUs -------------------===//

#ifndef GRAPH_CODEGEN_CPU_PASSES_TD
#define GRAPH_CODEGEN_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def AddKernelEntryPoints : Pass<"add-kernel-entry-points", "::mlir::ModuleOp"> {
  let summary = "give kernels the signature that the runtime calls";
  let description = [{
    Every function `@k(ptr, ..., ptr, i64)` becomes internal, and a function
    `@k(ptr, i64)` that loads the pointers from an array calls it. Afterwards
    these are the only functions with external linkage.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // GRAPH_CODEGEN_CPU_PASSES_TD
