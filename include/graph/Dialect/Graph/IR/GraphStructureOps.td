//===- GraphStructureOps.td - Differentiation and fusion regions ----------===//

#ifndef GRAPH_STRUCTURE_OPS_TD
#define GRAPH_STRUCTURE_OPS_TD

include "graph/Dialect/Graph/IR/GraphDialect.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"

def Graph_ValueAndGradOp : Op<Graph_Dialect, "value_and_grad", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a function's results and the gradient of the first of them";
  let description = [{
    Calls `callee` and returns its results, followed by the derivative of its
    first result (a scalar of floating-point type) with respect to the operands
    numbered in `wrt`, in this order. Written by people; `--graph-autodiff`
    expands it. May be nested: the callee may contain `value_and_grad`. No
    operand is named twice in `wrt`.

    ```mlir
    %loss, %dw = graph.value_and_grad @loss(%w, %x) wrt = [0]
        : (tensor<3xf32>, tensor<8x3xf32>) -> (tensor<f32>, tensor<3xf32>)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Graph_Tensor>:$operands,
                       DenseI64ArrayAttr:$wrt);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let assemblyFormat = [{
    $callee `(` $operands `)` `wrt` `=` $wrt attr-dict
    `:` functional-type($operands, $results)
  }];
}

def Graph_FusionOp : Op<Graph_Dialect, "fusion", [
    Pure, IsolatedFromAbove, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "operations that one kernel computes";
  let description = [{
    Formed by `--graph-fuse`, consumed by `--convert-graph-to-exec`. The block
    arguments are the operands.

    ```mlir
    %r = graph.fusion(%x) : (tensor<8xf32>) -> tensor<8xf32> {
    ^bb0(%a: tensor<8xf32>):
      %0 = graph.exp %a : tensor<8xf32>
      graph.yield %0 : tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$operands);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $operands `)` `:` functional-type($operands, $results)
    attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// What leaves the region, one per result.
    ::mlir::OperandRange getYielded();
  }];
}

def Graph_YieldOp : Op<Graph_Dialect, "yield", [
    Pure, Terminator, ReturnLike, HasParent<"FusionOp">]> {
  let summary = "the results of a fusion";
  let description = [{Ends the region of `graph.fusion`.}];
  let arguments = (ins Variadic<Graph_Tensor>:$operands);
  let assemblyFormat = "($operands^ `:` type($operands))? attr-dict";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

#endif // GRAPH_STRUCTURE_OPS_TD
