//===- Passes.td - Passes over the graph dialect --------------------------===//

#ifndef GRAPH_TRANSFORMS_PASSES_TD
#define GRAPH_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def GraphDecompose : Pass<"graph-decompose", "::mlir::func::FuncOp"> {
  let summary = "open composite operations into primitives";
  let description = [{
    After this pass no operation with `DecomposableOpInterface` remains, except
    those whose names are listed in `keep` and, with `keep-kernels`, those that
    one kernel computes: attention and its derivative, for heads of at most 256
    elements of f32, bf16 or f16.
  }];
  let options = [
    ListOption<"keep", "keep", "std::string", "operation names to leave whole">,
    Option<"keepKernels", "keep-kernels", "bool", "false",
           "leave operations whole that one kernel computes">
  ];
}

def GraphMixedPrecision : Pass<"graph-mixed-precision", "::mlir::ModuleOp"> {
  let summary = "compute dots and attention in bf16 or f16, keep states in f32";
  let description = [{
    Rewrites the functions that compute a model: those reached from
    `graph.value_and_grad` and, where no derivative is taken, every public
    function that does more than initialise states. Dots and attention of f32
    take operands cast to `type`; operations that are exact enough in any type
    follow their operands; all others (reductions, norms, softmax, losses, exp)
    compute in the type they were written in. MixedPrecisionPolicy.h is the
    table. Functions keep their types, so parameters and, through the VJP of the
    casts, their gradients stay f32. Run it before `--graph-autodiff` and after
    `--inline`: what a call returns is f32. f64, integers, i1 and values that
    were written in bf16 or f16 are left as they are.

    ```mlir
    func.func private @loss(%w: tensor<4x2xf32>, %x: tensor<8x4xf32>) -> tensor<f32> {
      %0 = graph.dot %x, %w batch = [] x [] contract = [1] x [0] : ...
      %1 = graph.relu %0 : tensor<8x2xf32>
      %2 = graph.reduce sum, %1 dims = [0, 1] : tensor<8x2xf32> to tensor<f32>
      return %2 : tensor<f32>
    }
    ```
    becomes, with `type=bf16`,
    ```mlir
    func.func private @loss(%w: tensor<4x2xf32>, %x: tensor<8x4xf32>) -> tensor<f32> {
      %wl = graph.cast %w : tensor<4x2xf32> to tensor<4x2xbf16>
      %xl = graph.cast %x : tensor<8x4xf32> to tensor<8x4xbf16>
      %0 = graph.dot %xl, %wl batch = [] x [] contract = [1] x [0] : ...
      %1 = graph.relu %0 : tensor<8x2xbf16>
      %r = graph.cast %1 : tensor<8x2xbf16> to tensor<8x2xf32>
      %2 = graph.reduce sum, %r dims = [0, 1] : tensor<8x2xf32> to tensor<f32>
      return %2 : tensor<f32>
    }
    ```

    `type=f16` also scales the loss, because gradients may be too small for f16.
    The states `loss_scale` (f32) and `good_steps` (i32) are added to every
    training step, a public function that writes states and has
    `graph.value_and_grad` in it, and to the functions that initialise its
    states. The loss is multiplied by the scale before the derivative and the
    gradients are divided by it after. Where a gradient is not finite, every
    state keeps its value and the scale is halved; after `growth-interval` good
    steps in a row it is doubled.
  }];
  let options = [
    Option<"type", "type", "::graph::LowPrecision",
           "::graph::LowPrecision::bf16", "what dots and attention compute in",
           [{::llvm::cl::values(
              clEnumValN(::graph::LowPrecision::bf16, "bf16", "bfloat16"),
              clEnumValN(::graph::LowPrecision::f16, "f16",
                         "IEEE half precision, with loss scaling"))}]>,
    Option<"initialScale", "initial-scale", "double", "65536",
           "the loss scale at first, a power of two (f16)">,
    Option<"growthInterval", "growth-interval", "int32_t", "2000",
           "good steps after which the loss scale is doubled (f16)">
  ];
  let statistics = [
    Statistic<"numNarrowed", "narrowed", "operations computed in low precision">
  ];
  let dependentDialects = ["::graph::GraphDialect"];
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

def GraphPrepareAttention : Pass<"graph-prepare-attention", "::mlir::func::FuncOp"> {
  let summary = "make every attention one kernel that reads through views";
  let description = [{
    After this pass every `graph.attention` and `graph.attention_grad` for which
    there is a kernel is alone in a `graph.fusion` with the transposes, slices,
    broadcasts and reshapes above its operands and below its results, as far as
    they leave the elements of a head together: heads are read from and written
    to a tensor of all of them, without copies.

    ```mlir
    %qt = graph.transpose %q perm = [0, 2, 1, 3] : tensor<2x16x4x8xf32> to tensor<2x4x16x8xf32>
    %y, %lse = graph.attention causal %qt, %k, %v scale = 0.5 : ...
    ```
    becomes
    ```mlir
    %y = graph.fusion(%q, %k, %v) : ... {
    ^bb0(%a: tensor<2x16x4x8xf32>, %b: tensor<2x4x16x8xf32>, %c: tensor<2x4x16x8xf32>):
      %qt = graph.transpose %a perm = [0, 2, 1, 3] : tensor<2x16x4x8xf32> to tensor<2x4x16x8xf32>
      %y, %lse = graph.attention causal %qt, %b, %c scale = 0.5 : ...
      graph.yield %y : tensor<2x4x16x8xf32>
    }
    ```
  }];
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

def GraphOpenIntegerDots
    : Pass<"graph-open-integer-dots", "::mlir::func::FuncOp"> {
  let summary = "integer dots as sums of products";
  let description = [{
    After this pass every `graph.dot` is of a floating-point type: for targets
    that have no matrix product of integers.

    ```mlir
    %z = graph.dot %x, %y batch = [] x [] contract = [1] x [0] : (tensor<3x4xi32>, tensor<4x5xi32>) to tensor<3x5xi32>
    ```
    becomes
    ```mlir
    %0 = graph.broadcast %x dims = [0, 2] : tensor<3x4xi32> to tensor<3x5x4xi32>
    %1 = graph.transpose %y perm = [1, 0] : tensor<4x5xi32> to tensor<5x4xi32>
    %2 = graph.broadcast %1 dims = [1, 2] : tensor<5x4xi32> to tensor<3x5x4xi32>
    %3 = graph.mul %0, %2 : tensor<3x5x4xi32>
    %z = graph.reduce sum, %3 dims = [2] : tensor<3x5x4xi32> to tensor<3x5xi32>
    ```
  }];
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
