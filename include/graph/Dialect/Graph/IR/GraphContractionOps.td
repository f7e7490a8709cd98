//===- GraphContractionOps.td - Reductions and contractions ---------------===//

#ifndef GRAPH_CONTRACTION_OPS_TD
#define GRAPH_CONTRACTION_OPS_TD

include "graph/Dialect/Graph/IR/GraphDialect.td"

def Graph_ReduceOp : Graph_Op<"reduce", [InferTypeOpAdaptor]> {
  let summary = "combines all elements along dimensions, which disappear";
  let description = [{
    bf16 and f16 accumulate in f32 and round once. An empty reduction is the
    neutral element: 0, 1, -inf or +inf (the type's bounds for integers). max
    and min give NaN if any element is NaN; on i1 they are `or` and `and`.

    ```mlir
    %y = graph.reduce sum, %x dims = [1] : tensor<3x4xf32> to tensor<3xf32>
    ```
  }];
  let arguments = (ins Graph_ReduceKindAttr:$kind, Graph_Tensor:$operand,
                       DenseI64ArrayAttr:$dims);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    `` $kind `,` $operand `dims` `=` $dims attr-dict
    `:` type($operand) `to` type($result)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Graph_DotOp : Graph_Op<"dot", [InferTypeOpAdaptor]> {
  let summary = "the general product of two tensors: batched, contracted";
  let description = [{
    Dimensions `lhs_batch[i]` and `rhs_batch[i]` run together and come first in
    the result, in this order; `lhs_contract[i]` and `rhs_contract[i]` run
    together and are summed over; then the remaining dimensions of lhs, then of
    rhs, each in their order. bf16 and f16 accumulate in f32 and round once.

    ```mlir
    %z = graph.dot %x, %y batch = [0] x [0] contract = [2] x [1]
        : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) to tensor<2x3x5xf32>
    ```
  }];
  let arguments = (ins Graph_NumberTensor:$lhs, Graph_NumberTensor:$rhs,
                       DenseI64ArrayAttr:$lhs_batch, DenseI64ArrayAttr:$rhs_batch,
                       DenseI64ArrayAttr:$lhs_contract,
                       DenseI64ArrayAttr:$rhs_contract);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `batch` `=` $lhs_batch `x` $rhs_batch
    `contract` `=` $lhs_contract `x` $rhs_contract attr-dict
    `:` `(` type($lhs) `,` type($rhs) `)` `to` type($result)
  }];
  let extraClassDeclaration = [{
    /// The dimensions of lhs (rhs) that are neither batch nor contracted.
    ::llvm::SmallVector<int64_t> getLhsFree();
    ::llvm::SmallVector<int64_t> getRhsFree();
  }];
  let hasCanonicalizer = 1;
}

#endif // GRAPH_CONTRACTION_OPS_TD
