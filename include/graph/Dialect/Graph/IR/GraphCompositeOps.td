//===- GraphCompositeOps.td - Operations with a decomposition -------------===//

#ifndef GRAPH_COMPOSITE_OPS_TD
#define GRAPH_COMPOSITE_OPS_TD

include "graph/Dialect/Graph/IR/GraphDialect.td"

class Graph_CompositeUnaryOp<string mnemonic>
    : Graph_CompositeOp<mnemonic, [SameOperandsAndResultType]> {
  let description = [{
    bf16 and f16 are computed in f32.

    ```mlir
    %y = graph.}] # mnemonic # [{ %x : tensor<4xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$operand);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def Graph_ReluOp : Graph_CompositeUnaryOp<"relu"> {
  let summary = "max(x, 0); NaN stays NaN";
}
def Graph_SiluOp : Graph_CompositeUnaryOp<"silu"> {
  let summary = "x * logistic(x)";
}
def Graph_GeluOp : Graph_CompositeUnaryOp<"gelu"> {
  let summary = "x times the normal distribution function of x";
  let description = [{
    `erf`:  x/2 (1 + erf(x / sqrt 2)).
    `tanh`: x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))).
    bf16 and f16 are computed in f32.

    ```mlir
    %y = graph.gelu tanh, %x : tensor<4xf32>
    ```
  }];
  let arguments = (ins Graph_GeluFormAttr:$form, Graph_FloatTensor:$operand);
  let assemblyFormat = "`` $form `,` $operand attr-dict `:` type($result)";
}

class Graph_SoftmaxBase<string mnemonic>
    : Graph_CompositeOp<mnemonic, [SameOperandsAndResultType]> {
  let description = [{
    bf16 and f16 are computed in f32. A row with +inf or NaN, or of -inf alone,
    gives NaN.

    ```mlir
    %y = graph.}] # mnemonic # [{ %x dim = 1 : tensor<3x4xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$operand, I64Attr:$dim);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$operand `dim` `=` $dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}
def Graph_SoftmaxOp : Graph_SoftmaxBase<"softmax"> {
  let summary = "exp(x - max x) / sum exp(x - max x) along one dimension";
}
def Graph_LogSoftmaxOp : Graph_SoftmaxBase<"log_softmax"> {
  let summary = "x - max x - log sum exp(x - max x) along one dimension";
}

def Graph_LayerNormOp : Graph_CompositeOp<"layer_norm", [
    AllTypesMatch<["operand", "result"]>, AllTypesMatch<["scale", "bias"]>]> {
  let summary = "normalisation of the last dimension, scaled and shifted";
  let description = [{
    `(x - mean) / sqrt(variance + epsilon) * scale + bias`, mean and (biased)
    variance over the last dimension; for bf16 and f16 computed in f32.

    ```mlir
    %y = graph.layer_norm %x, %scale, %bias epsilon = 1.0e-5 : tensor<3x4xf32>, tensor<4xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$operand, Graph_FloatTensor:$scale,
                       Graph_FloatTensor:$bias, F64Attr:$epsilon);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    $operand `,` $scale `,` $bias `epsilon` `=` $epsilon attr-dict
    `:` type($operand) `,` type($scale)
  }];
  let hasVerifier = 1;
}

def Graph_CrossEntropyOp : Graph_CompositeOp<"cross_entropy", [InferTypeOpAdaptor]> {
  let summary = "negative log likelihood of the target class, per example";
  let description = [{
    `result[i...] = logsumexp(logits[i..., :]) - logits[i..., targets[i...]]`.
    A target outside the classes contributes 0 and no gradient. The result has
    the logits' element type; bf16 and f16 are computed in f32.

    ```mlir
    %loss = graph.cross_entropy %logits, %targets
        : tensor<8x10xf32>, tensor<8xi64> to tensor<8xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$logits, Graph_IndexTensor:$targets);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    $logits `,` $targets attr-dict
    `:` type($logits) `,` type($targets) `to` type($result)
  }];
}

/// [..., S] for a query [..., S, D].
def Graph_LogSumExpMatchesQuery
    : TypesMatchWith<"log_sum_exp has the query's rows and is at least f32",
                     "query", "log_sum_exp",
                     "::graph::getLogSumExpType(::llvm::cast<::mlir::RankedTensorType>($_self))">;

def Graph_AttentionOp : Graph_CompositeOp<"attention", [
    AllElementTypesMatch<["query", "key", "value", "result"]>,
    Graph_LogSumExpMatchesQuery, InferTypeOpAdaptor, AttentionOpInterface]> {
  let summary = "softmax(scale * query keyᵀ, masked) value";
  let description = [{
    query [..., S, D], key [..., T, D], value [..., T, E], result [..., S, E];
    leading (batch, head) dimensions are equal. `mask` (i1, its shape the
    trailing dimensions of [..., S, T]) keeps where it is true; `causal` keeps
    key t for query s where t <= s + (T - S). A query with no key left gives
    zeros. The softmax of bf16 and f16 scores is computed in f32. Where a key
    or value that some query does not keep is infinite or NaN, it is unspecified
    whether that query's result is NaN: the weight 0 may be multiplied with it.

    `log_sum_exp` [..., S] (f32, f64 for f64) is log sum exp of a query's
    scores, -inf where no key is left: with it the derivative has the weights
    again, exp(score - log_sum_exp), without having kept them.

    ```mlir
    %y, %lse = graph.attention causal %q, %k, %v mask %m : tensor<3x5xi1> scale = 0.5
        : (tensor<2x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x6xf32>) to tensor<2x3x6xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$query, Graph_FloatTensor:$key,
                       Graph_FloatTensor:$value, Optional<Graph_BoolTensor>:$mask,
                       UnitAttr:$causal, F64Attr:$scale);
  let results = (outs Graph_FloatTensor:$result, Graph_FloatTensor:$log_sum_exp);
  let assemblyFormat = [{
    (`causal` $causal^)? $query `,` $key `,` $value
    (`mask` $mask^ `:` type($mask))? `scale` `=` $scale attr-dict
    `:` `(` type($query) `,` type($key) `,` type($value) `)` `to` type($result)
  }];
}

def Graph_AttentionGradOp : Graph_CompositeOp<"attention_grad", [
    AllElementTypesMatch<["query", "key", "value", "result"]>,
    AllTypesMatch<["result", "cotangent"]>, AllTypesMatch<["query", "dquery"]>,
    AllTypesMatch<["key", "dkey"]>, AllTypesMatch<["value", "dvalue"]>,
    Graph_LogSumExpMatchesQuery, AttentionOpInterface]> {
  let summary = "cotangents of query, key and value of an attention";
  let description = [{
    `result` and `log_sum_exp` are those of graph.attention with the same
    query, key, value and attributes; `cotangent` is that of `result`. With the
    weights P = exp(scale * query keyᵀ - log_sum_exp), 0 where not kept:

        dvalue = Pᵀ cotangent
        dP     = cotangent valueᵀ
        dS     = scale * P (dP - sum(cotangent * result, last dimension))
        dquery = dS key
        dkey   = dSᵀ query

    Nothing of shape [S, T] is an operand, and a kernel for it keeps none. The
    VJP of graph.attention makes it; its own derivative is that of its
    decomposition.

    ```mlir
    %dq, %dk, %dv = graph.attention_grad causal %q, %k, %v
        result %y log_sum_exp %lse cotangent %g mask %m : tensor<3x5xi1> scale = 0.5
        : (tensor<2x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x6xf32>) to tensor<2x3x6xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$query, Graph_FloatTensor:$key,
                       Graph_FloatTensor:$value, Graph_FloatTensor:$result,
                       Graph_FloatTensor:$log_sum_exp, Graph_FloatTensor:$cotangent,
                       Optional<Graph_BoolTensor>:$mask,
                       UnitAttr:$causal, F64Attr:$scale);
  let results = (outs Graph_FloatTensor:$dquery, Graph_FloatTensor:$dkey,
                      Graph_FloatTensor:$dvalue);
  let assemblyFormat = [{
    (`causal` $causal^)? $query `,` $key `,` $value
    `result` $result `log_sum_exp` $log_sum_exp `cotangent` $cotangent
    (`mask` $mask^ `:` type($mask))? `scale` `=` $scale attr-dict
    `:` `(` type($query) `,` type($key) `,` type($value) `)` `to` type($result)
  }];
  let hasVerifier = 1;
}

#endif // GRAPH_COMPOSITE_OPS_TD
