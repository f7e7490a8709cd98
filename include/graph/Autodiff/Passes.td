//===- Passes.td - The differentiation pass -------------------------------===//

#ifndef GRAPH_AUTODIFF_PASSES_TD
#define GRAPH_AUTODIFF_PASSES_TD

include "mlir/Pass/PassBase.td"

def GraphAutodiff : Pass<"graph-autodiff", "::mlir::ModuleOp"> {
  let summary = "expand value_and_grad by reverse-mode differentiation";
  let description = [{
    After this pass no `graph.value_and_grad` remains. Each one becomes the body
    of its callee, calls inside it inlined, followed by the derivative in the
    same graph: one joint graph, whose forward values the derivative uses
    without computing them again. Functions that are no longer called stay for
    `--symbol-dce`.

    ```mlir
    func.func private @loss(%w: tensor<3xf32>) -> tensor<f32> {
      %0 = graph.exp %w : tensor<3xf32>
      %1 = graph.reduce sum, %0 dims = [0] : tensor<3xf32> to tensor<f32>
      return %1 : tensor<f32>
    }
    %loss, %dw = graph.value_and_grad @loss(%w) wrt = [0]
        : (tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>)
    ```

    becomes

    ```mlir
    %exp = graph.exp %w : tensor<3xf32>
    %loss = graph.reduce sum, %exp dims = [0] : tensor<3xf32> to tensor<f32>
    %one = graph.constant dense<1.0> : tensor<f32>
    %g = graph.broadcast %one dims = [] : tensor<f32> to tensor<3xf32>
    %dw = graph.mul %g, %exp : tensor<3xf32>
    ```

    A callee is expanded before its callers: nested use gives derivatives of
    higher order. Only operations on a path from an operand in `wrt` to the
    first result are differentiated; they need a rule (`Vjp.h`). Integers and
    i1 carry no derivative. An operand in `wrt` without influence on the result
    has the gradient zero; no other zeros are made.

    Operations are visited from last to first. The cotangent of a value is the
    sum, in this order, of what its users contribute: those of one user in the
    order of its operands, added from the left.
  }];
  let options = [
    Option<"subgradient", "subgradient", "::graph::Subgradient",
           "::graph::Subgradient::torch",
           "the derivative where there are several",
           [{::llvm::cl::values(
              clEnumValN(::graph::Subgradient::torch, "torch",
                         "as PyTorch chooses"),
              clEnumValN(::graph::Subgradient::jax, "jax",
                         "as JAX chooses"))}]>
  ];
  let statistics = [
    Statistic<"numExpanded", "num-expanded", "value_and_grad expanded">
  ];
  let dependentDialects = ["::graph::GraphDialect"];
}

#endif // GRAPH_AUTODIFF_PASSES_TD
