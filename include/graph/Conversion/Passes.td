//===- Passes.td - Conversions between dialects ---------------------------===//

#ifndef GRAPH_CONVERSION_PASSES_TD
#define GRAPH_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertGraphToExec : Pass<"convert-graph-to-exec", "::mlir::ModuleOp"> {
  let summary = "functions become lists of commands on buffers";
  let description = [{
    Afterwards the module holds only the exec dialect and the module of kernels.
    Every public function becomes an `exec.func`, in the order of its
    operations; private functions must have been inlined and are dropped.

    - `graph.fusion` becomes a kernel and an `exec.dispatch`. Fusions with equal
      bodies share one kernel. An operation outside of any fusion is treated as
      a fusion of itself.
    - `graph.dot`, alone or in a fusion formed by `--graph-prepare-dots`, becomes
      `exec.gemm`; for CUDA also with what follows it, where the vendor's library
      knows that as an epilogue.
    - `graph.reshape` is the same buffer.
    - Constants become `exec.constant`, equal ones once.
    - Results are copied to `exec.output` and `exec.state_ref` at the end; a
      result that is the old value of a state that another result overwrites is
      saved first.

    Before:
    ```mlir
    func.func @f(%x: tensor<4xf32> {graph.name = "x"})
        -> (tensor<4xf32> {graph.name = "y"}) {
      %0 = graph.fusion(%x) : (tensor<4xf32>) -> tensor<4xf32> {
      ^bb0(%a: tensor<4xf32>):
        %1 = graph.exp %a : tensor<4xf32>
        graph.yield %1 : tensor<4xf32>
      }
      return %0 : tensor<4xf32>
    }
    ```
    After:
    ```mlir
    exec.func @f(x: tensor<4xf32>) -> (y: tensor<4xf32>) {
      %0 = exec.input "x" : !exec.buffer<16>
      %1 = exec.output "y" : !exec.buffer<16>
      %2 = exec.alloc : !exec.buffer<16>
      exec.dispatch @kernels::@exp[1] ins(%0) outs(%2) in_place = [[0]] : ...
      exec.copy %2 to %1 : !exec.buffer<16>
    }
    ```
  }];
  let dependentDialects = ["::exec::ExecDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::NVVM::NVVMDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::vector::VectorDialect"];
  let options = [
    Option<"target", "target", "std::string", [{"cpu"}],
           "cpu, cpu:<vector bits>, or cuda:<chip>">
  ];
  let statistics = [
    Statistic<"numKernels", "num-kernels", "kernels emitted">,
    Statistic<"numSharedKernels", "num-shared-kernels",
              "fusions that use the kernel of an equal one">
  ];
}

#endif // GRAPH_CONVERSION_PASSES_TD
