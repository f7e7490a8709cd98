//===- GraphElementwiseOps.td - One element in, one element out -----------===//

#ifndef GRAPH_ELEMENTWISE_OPS_TD
#define GRAPH_ELEMENTWISE_OPS_TD

include "graph/Dialect/Graph/IR/GraphDialect.td"

//===----------------------------------------------------------------------===//
// Unary
//===----------------------------------------------------------------------===//

def Graph_NegOp : Graph_UnaryOp<"neg", Graph_NumberTensor> {
  let summary = "-x; integers wrap";
}
def Graph_AbsOp : Graph_UnaryOp<"abs", Graph_NumberTensor> {
  let summary = "absolute value; the smallest integer stays itself";
}
class Graph_TranscendentalOp<string mnemonic, string text>
    : Graph_UnaryOp<mnemonic, Graph_FloatTensor> {
  let summary = text;
  let flops = 10;
}
def Graph_ExpOp : Graph_TranscendentalOp<"exp", "e to the power x">;
def Graph_LogOp : Graph_TranscendentalOp<"log", "natural logarithm; NaN below zero, -inf at zero">;
def Graph_SqrtOp : Graph_TranscendentalOp<"sqrt", "square root; NaN below zero">;
def Graph_RsqrtOp : Graph_TranscendentalOp<"rsqrt", "1 / sqrt(x); inf at zero">;
def Graph_TanhOp : Graph_TranscendentalOp<"tanh", "hyperbolic tangent">;
def Graph_ErfOp : Graph_TranscendentalOp<"erf", "the error function">;
def Graph_LogisticOp : Graph_TranscendentalOp<"logistic", "1 / (1 + exp(-x))">;
def Graph_SinOp : Graph_TranscendentalOp<"sin", "sine of x in radians">;
def Graph_CosOp : Graph_TranscendentalOp<"cos", "cosine of x in radians">;

//===----------------------------------------------------------------------===//
// Binary
//===----------------------------------------------------------------------===//

def Graph_AddOp : Graph_BinaryOp<"add", Graph_NumberTensor, [Commutative]> {
  let summary = "x + y; integers wrap";
}
def Graph_SubOp : Graph_BinaryOp<"sub", Graph_NumberTensor> {
  let summary = "x - y; integers wrap";
}
def Graph_MulOp : Graph_BinaryOp<"mul", Graph_NumberTensor, [Commutative]> {
  let summary = "x * y; integers wrap";
}
def Graph_DivOp : Graph_BinaryOp<"div", Graph_NumberTensor> {
  let summary = "x / y";
  let description = [{
    Floating point as in IEEE 754. Integers round toward zero; x / 0 is -1 and
    the smallest integer divided by -1 is itself.

    ```mlir
    %z = graph.div %x, %y : tensor<4xi32>
    ```
  }];
  let flops = 4;
}
def Graph_MaxOp : Graph_BinaryOp<"max", Graph_Tensor, [Commutative]> {
  let summary = "the larger of x and y; NaN if either is NaN; `or` on i1";
}
def Graph_MinOp : Graph_BinaryOp<"min", Graph_Tensor, [Commutative]> {
  let summary = "the smaller of x and y; NaN if either is NaN; `and` on i1";
}
def Graph_PowOp : Graph_BinaryOp<"pow", Graph_FloatTensor> {
  let summary = "x to the power y, as C's pow";
  let flops = 30;
}

//===----------------------------------------------------------------------===//
// Predicates, selection, conversion
//===----------------------------------------------------------------------===//

def Graph_CompareOp : Graph_ElementwiseOp<"compare", [SameTypeOperands]> {
  let summary = "whether x <predicate> y; with NaN only `ne` holds";
  let description = [{
    Integers are signed; of i1, false is below true.

    ```mlir
    %p = graph.compare lt, %x, %y : tensor<4xf32> to tensor<4xi1>
    ```
  }];
  let arguments = (ins Graph_ComparePredicateAttr:$predicate,
                       Graph_Tensor:$lhs, Graph_Tensor:$rhs);
  let results = (outs Graph_BoolTensor:$result);
  let assemblyFormat = "`` $predicate `,` $lhs `,` $rhs attr-dict `:` type($lhs) `to` type($result)";
  let hasFolder = 1;
  let builders = [OpBuilder<(ins "::graph::ComparePredicate":$predicate,
                                 "::mlir::Value":$lhs, "::mlir::Value":$rhs)>];
}

def Graph_SelectOp : Graph_ElementwiseOp<"select",
    [AllTypesMatch<["on_true", "on_false", "result"]>,
     TypesMatchWith<"predicate is i1 of the result's shape", "result", "predicate",
       "::llvm::cast<::mlir::RankedTensorType>($_self).clone("
       "::mlir::IntegerType::get($_self.getContext(), 1))">]> {
  let summary = "p ? x : y, element by element";
  let description = [{
    A NaN that is not selected has no effect.

    ```mlir
    %z = graph.select %p, %x, %y : tensor<4xf32>
    ```
  }];
  let arguments = (ins Graph_BoolTensor:$predicate, Graph_Tensor:$on_true,
                       Graph_Tensor:$on_false);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$predicate `,` $on_true `,` $on_false attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Graph_CastOp : Graph_ElementwiseOp<"cast"> {
  let summary = "conversion of the element type";
  let description = [{
    To floating point: rounded once, to nearest even. Float to integer: toward
    zero, saturating at the integer's bounds, NaN becomes 0. To i1: whether x is
    not zero. From i1: 0 or 1. Integer to integer: sign extension or truncation.

    ```mlir
    %y = graph.cast %x : tensor<4xf32> to tensor<4xbf16>
    ```
  }];
  let arguments = (ins Graph_Tensor:$operand);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
  let hasFolder = 1;
}

#endif // GRAPH_ELEMENTWISE_OPS_TD
