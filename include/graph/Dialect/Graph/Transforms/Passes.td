//===- Passes.td - Passes over the graph dialect --------------------------===//

#ifndef GRAPH_TRANSFORMS_PASSES_TD
#define GRAPH_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def GraphDecompose : Pass<"graph-decompose", "::mlir::func::FuncOp"> {
  let summary = "open composite operations into primitives";
  let description = [{
    After this pass no operation with `DecomposableOpInterface` remains, except
    those whose names are listed in `keep`.
  }];
  let options = [
    ListOption<"keep", "keep", "std::string", "operation names to leave whole">
  ];
}

def GraphPrepareDots : Pass<"graph-prepare-dots", "::mlir::func::FuncOp"> {
  let summary = "make every dot a batch of strided matrix products";
  let description = [{
    After this pass every dot reads and writes memory through views that
    `getGemmForm` (GemmForm.h) turns into strides: no operand is moved to suit
    the product unless no strides can express it. A dot that reads or writes
    through transposes, slices, broadcasts or reshapes is put into a
    `graph.fusion` together with them; any other dot stays as it is. Empty dots
    become zeros.

    ```mlir
    %t = graph.transpose %x perm = [1, 0] : tensor<8x4xf32> to tensor<4x8xf32>
    %r = graph.dot %t, %w batch = [] x [] contract = [1] x [0] : ...
    ```
    becomes
    ```mlir
    %r = graph.fusion(%x, %w) : ... {
    ^bb0(%a: tensor<8x4xf32>, %b: tensor<8x5xf32>):
      %t = graph.transpose %a perm = [1, 0] : tensor<8x4xf32> to tensor<4x8xf32>
      %d = graph.dot %t, %b batch = [] x [] contract = [1] x [0] : ...
      graph.yield %d : tensor<4x5xf32>
    }
    ```
  }];
  let statistics = [
    Statistic<"numCopies", "copies", "operands copied into another layout">
  ];
}

def GraphSplitReductions : Pass<"graph-split-reductions", "::mlir::func::FuncOp"> {
  let summary = "reduce large tensors to few elements in two stages";
  let description = [{
    Cuts a dimension of every reduction that has work for several threads but
    not as many independent rows or columns. Reductions of many rows stay as
    they are. bf16 and f16 are reduced in f32 in both stages and rounded once.

    ```mlir
    %r = graph.reduce sum, %x dims = [0] : tensor<2048x128xf32> to tensor<128xf32>
    ```
    becomes
    ```mlir
    %0 = graph.reshape %x : tensor<2048x128xf32> to tensor<8x256x128xf32>
    %1 = graph.reduce sum, %0 dims = [1] : tensor<8x256x128xf32> to tensor<8x128xf32>
    %r = graph.reduce sum, %1 dims = [0] : tensor<8x128xf32> to tensor<128xf32>
    ```
  }];
  let statistics = [
    Statistic<"numSplit", "split", "reductions cut into two stages">
  ];
}

def GraphWidenScatters : Pass<"graph-widen-scatters", "::mlir::func::FuncOp"> {
  let summary = "accumulate bf16 and f16 scatter_add in f32";
  let description = [{
    After this pass no `graph.scatter_add` is of a narrow floating-point type.
    Sums are rounded once, as those of reductions and dots are.

    ```mlir
    %r = graph.scatter_add fill %t[%i], %u : tensor<9x4xbf16>[tensor<7xi32>], tensor<7x4xbf16> to tensor<9x4xbf16>
    ```
    becomes
    ```mlir
    %0 = graph.cast %t : tensor<9x4xbf16> to tensor<9x4xf32>
    %1 = graph.cast %u : tensor<7x4xbf16> to tensor<7x4xf32>
    %2 = graph.scatter_add fill %0[%i], %1 : tensor<9x4xf32>[tensor<7xi32>], tensor<7x4xf32> to tensor<9x4xf32>
    %r = graph.cast %2 : tensor<9x4xf32> to tensor<9x4xbf16>
    ```
  }];
}

def GraphFuse : Pass<"graph-fuse", "::mlir::func::FuncOp"> {
  let summary = "form kernels";
  let description = [{
    Puts operations that one kernel computes into a `graph.fusion`, by the cost
    model of CostModel.h and the kernel plans of KernelPlan.h. After this pass
    only fusions, dots, reshapes (another shape of the same memory), constants
    and composites that were kept whole remain.

    Splat constants, broadcasts, slices and other operations that are cheaper to
    compute than to read are repeated in every fusion that needs them.

    ```mlir
    %0 = graph.exp %x : tensor<8x128xf32>
    %1 = graph.reduce sum, %0 dims = [1] : tensor<8x128xf32> to tensor<8xf32>
    ```
    becomes
    ```mlir
    %r = graph.fusion(%x) : (tensor<8x128xf32>) -> tensor<8xf32> {
    ^bb0(%a: tensor<8x128xf32>):
      %0 = graph.exp %a : tensor<8x128xf32>
      %1 = graph.reduce sum, %0 dims = [1] : tensor<8x128xf32> to tensor<8xf32>
      graph.yield %1 : tensor<8xf32>
    }
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", [{"cpu"}],
           "whose kernels are planned: cpu, cpu:<vector bits>, or cuda:<chip>">,
    Option<"explain", "explain", "bool", "false",
           "print as remarks why operations were not fused with their operands">
  ];
  let statistics = [
    Statistic<"numFusions", "fusions", "fusions in the function">
  ];
}

def GraphVerifyStates : Pass<"graph-verify-states", "::mlir::ModuleOp"> {
  let summary = "check that a state has one type in all functions";
  let description = [{
    Fails where two arguments or results with `graph.state` and one
    `graph.name` differ in type, with a note at the first function that has it.
    Changes nothing.
  }];
}

#endif // GRAPH_TRANSFORMS_PASSES_TD
