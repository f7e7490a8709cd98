//===- GraphInterfaces.td - What a graph operation knows about itself -----===//

#ifndef GRAPH_INTERFACES_TD
#define GRAPH_INTERFACES_TD

include "mlir/IR/OpBase.td"

def IterationSpaceOpInterface : OpInterface<"IterationSpaceOpInterface"> {
  let cppNamespace = "::graph";
  let description = [{
    The one description from which autodiff of contractions, fusion legality,
    sharding rules and costs are derived; see `IterationSpace.h`.
  }];
  let methods = [
    InterfaceMethod<"The iteration space of this operation.",
      "::graph::IterationSpace", "getIterationSpace">
  ];
}


def ScalarBodyOpInterface : OpInterface<"ScalarBodyOpInterface"> {
  let cppNamespace = "::graph";
  let description = [{
    An elementwise operation says in `arith` and `math` what it does to one
    element. The same body serves scalars and vectors.
  }];
  let methods = [
    InterfaceMethod<[{
        Builds the body for one element (or one vector of elements). `operands`
        are scalars of the operands' element types, or vectors of them, all of
        one length; `resultType` is the scalar or vector type of the result.
        Floating-point operands narrower than f32 arrive as f32 and
        `resultType` says f32 then: the caller rounds.
      }],
      "::mlir::Value", "buildScalarBody",
      (ins "::mlir::ImplicitLocOpBuilder &":$builder,
           "::mlir::ValueRange":$operands, "::mlir::Type":$resultType)>,
    InterfaceMethod<"Floating-point operations per element, for the cost model.",
      "int64_t", "getFlopsPerElement", (ins), "", "return 1;">
  ];
}

def DecomposableOpInterface : OpInterface<"DecomposableOpInterface"> {
  let cppNamespace = "::graph";
  let description = [{A composite operation that can be opened into primitives.}];
  let methods = [
    InterfaceMethod<[{
        Builds the decomposition at the builder's insertion point and returns
        the values that replace the results. It may use other composites.
      }],
      "::llvm::SmallVector<::mlir::Value>", "decompose",
      (ins "::mlir::ImplicitLocOpBuilder &":$builder)>
  ];
}

def AttentionOpInterface : OpInterface<"AttentionOpInterface"> {
  let cppNamespace = "::graph";
  let description = [{
    What attention and its derivative have in common: which scores they compute
    and which of them a query sees. The methods are the operations' accessors.
  }];
  let methods = [
    InterfaceMethod<"[..., S, D].", "::mlir::Value", "getQuery">,
    InterfaceMethod<"[..., T, D].", "::mlir::Value", "getKey">,
    InterfaceMethod<"[..., T, E].", "::mlir::Value", "getValue">,
    InterfaceMethod<"Trailing dimensions of [..., S, T], or null.",
      "::mlir::Value", "getMask">,
    InterfaceMethod<"Whether query s sees key t only where t <= s + (T - S).",
      "bool", "getCausal">,
    InterfaceMethod<"The factor of the scores.", "::llvm::APFloat", "getScale">
  ];
}

#endif // GRAPH_INTERFACES_TD
