//===- Passes.td - Passes that emit and lower kernels ---------------------===//

#ifndef GRAPH_CODEGEN_PASSES_TD
#define GRAPH_CODEGEN_PASSES_TD

include "mlir/Pass/PassBase.td"

def GraphEmitKernels : Pass<"graph-emit-kernels", "::mlir::ModuleOp"> {
  let summary = "emit a kernel function for every fusion";
  let description = [{
    Adds a module `@kernels` (for CUDA a `gpu.module`) with one function
    `@kernel_<i>` per `graph.fusion`, in program order; its attribute
    `workgroups` is the number of workgroups that compute the fusion. The
    fusions themselves stay.
  }];
  let options = [
    Option<"target", "target", "std::string", [{"cpu"}],
           "cpu, cpu:<vector bits>, or cuda:<chip>">
  ];
  let dependentDialects = ["::exec::ExecDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::NVVM::NVVMDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def CodegenLowerMath : Pass<"codegen-lower-math"> {
  let summary = "expand math operations of kernels into arithmetic";
  let description = [{
    After this pass the transcendental operations of `math` are polynomials in
    arithmetic operations, on all targets the same.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // GRAPH_CODEGEN_PASSES_TD
