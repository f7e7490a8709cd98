//===- Passes.td - Lowering of kernels to NVVM ----------------------------===//

#ifndef GRAPH_CODEGEN_CUDA_PASSES_TD
#define GRAPH_CODEGEN_CUDA_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerKernelsToNVVM
    : Pass<"lower-kernels-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "GPU kernels to the llvm and nvvm dialects";
  let description = [{
    After this pass a `gpu.module` holds only `llvm` and `nvvm` operations. One
    conversion does it all, so that no cast between the type systems is left.
    Memrefs in arguments become bare pointers, workgroup memory becomes globals
    in address space 3. Structured control flow must have been lowered to `cf`,
    transcendental functions to arithmetic (`--codegen-lower-math`): no function
    of a device library is called.
  }];
  let options = [
    Option<"indexBits", "index-bits", "unsigned", "64",
           "width of index arithmetic; 32 is for kernels all of whose positions "
           "are below 2^31">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect"];
}

#endif // GRAPH_CODEGEN_CUDA_PASSES_TD
