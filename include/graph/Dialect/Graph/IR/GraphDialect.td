//===- GraphDialect.td - The graph dialect: types, enums, base classes ----===//

#ifndef GRAPH_DIALECT_TD
#define GRAPH_DIALECT_TD

include "graph/Dialect/Graph/IR/GraphInterfaces.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Graph_Dialect : Dialect {
  let name = "graph";
  let cppNamespace = "::graph";
  let summary = "whole-tensor programs in pure SSA form";
  let description = [{
    A value is a whole (global) tensor of static shape; an operation is a pure
    function of its operands. Nothing here knows about devices, memory or
    order: those come with the `dist` and `exec` dialects.

    Functions are `func.func`. Arguments and results may carry
    - `graph.name = "x"`: the name under which callers pass or receive it,
    - `graph.state`: the value is persistent state of a session. An argument
      reads the state of that `graph.name`, a result writes it. The same name
      has the same type everywhere in the module.

    A name is given once among the arguments of a function and once among its
    results. A step of training that updates its weights in place:

    ```mlir
    func.func @step(%w: tensor<3xf32> {graph.name = "w", graph.state},
                    %g: tensor<3xf32> {graph.name = "g"})
        -> (tensor<3xf32> {graph.name = "w", graph.state}) {
      %0 = graph.sub %w, %g : tensor<3xf32>
      return %0 : tensor<3xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::math::MathDialect"];
  let hasCanonicalizer = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let useDefaultAttributePrinterParser = 1;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def Graph_Float : AnyTypeOf<[F64, F32, BF16, F16], "floating-point element">;
def Graph_Int : AnyTypeOf<[I8, I16, I32, I64], "integer element">;
def Graph_Bool : TypeAlias<I1, "boolean element">;

class Graph_TensorOf<list<Type> elements>
    : Type<And<[StaticShapeTensorOf<elements>.predicate,
                CPred<"!::llvm::cast<::mlir::RankedTensorType>($_self).getEncoding()">,
                CPred<"::graph::isAddressable(::llvm::cast<::mlir::RankedTensorType>($_self))">]>,
           "tensor of static shape, below 2^63 bytes, of " # !interleave(!foreach(e, elements, e.summary), " or "),
           "::mlir::RankedTensorType">;

def Graph_Tensor : Graph_TensorOf<[Graph_Float, Graph_Int, Graph_Bool]>;
def Graph_NumberTensor : Graph_TensorOf<[Graph_Float, Graph_Int]>;
def Graph_FloatTensor : Graph_TensorOf<[Graph_Float]>;
def Graph_IntTensor : Graph_TensorOf<[Graph_Int]>;
def Graph_IndexTensor : Graph_TensorOf<[I32, I64]>;
def Graph_BoolTensor : Graph_TensorOf<[Graph_Bool]>;
def Graph_KeyTensor : Graph_TensorOf<[I64]>;

//===----------------------------------------------------------------------===//
// Enums
//===----------------------------------------------------------------------===//

class Graph_Enum<string name, string summary, list<string> cases>
    : I32EnumAttr<name, summary,
        !foreach(i, !range(!size(cases)), I32EnumAttrCase<cases[i], i>)> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::graph";
}

def Graph_ReduceKind : Graph_Enum<"ReduceKind", "how a reduction combines",
                                  ["sum", "prod", "max", "min"]>;
def Graph_ReduceKindAttr : EnumAttr<Graph_Dialect, Graph_ReduceKind, "reduce_kind">;

def Graph_ComparePredicate
    : Graph_Enum<"ComparePredicate", "what a comparison asks",
                 ["eq", "ne", "lt", "le", "gt", "ge"]>;
def Graph_ComparePredicateAttr
    : EnumAttr<Graph_Dialect, Graph_ComparePredicate, "compare_predicate">;

def Graph_IndexMode
    : Graph_Enum<"IndexMode", "what an out-of-range row index means",
                 ["fill", "clip"]>;
def Graph_IndexModeAttr : EnumAttr<Graph_Dialect, Graph_IndexMode, "index_mode">;

def Graph_GeluForm : Graph_Enum<"GeluForm", "which formula of gelu", ["erf", "tanh"]>;
def Graph_GeluFormAttr : EnumAttr<Graph_Dialect, Graph_GeluForm, "gelu_form">;

//===----------------------------------------------------------------------===//
// Base classes
//===----------------------------------------------------------------------===//

/// Every operation on tensors: pure, with an iteration space.
class Graph_Op<string mnemonic, list<Trait> traits = []>
    : Op<Graph_Dialect, mnemonic, !listconcat([
        Pure, DeclareOpInterfaceMethods<IterationSpaceOpInterface>], traits)>;

/// One result element from the operand elements at the same position.
class Graph_ElementwiseOp<string mnemonic, list<Trait> traits = []>
    : Op<Graph_Dialect, mnemonic, !listconcat([
        Pure, SameOperandsAndResultShape,
        DeclareOpInterfaceMethods<IterationSpaceOpInterface>,
        DeclareOpInterfaceMethods<ScalarBodyOpInterface, ["getFlopsPerElement"]>
      ], traits)> {
  /// What the cost model counts for one element; a transcendental function is
  /// about ten multiplications after vectorisation.
  int flops = 1;
  let extraClassDefinition = [{
    ::graph::IterationSpace $cppClass::getIterationSpace() {
      return ::graph::IterationSpace::elementwise(getOperation());
    }
    int64_t $cppClass::getFlopsPerElement() { return }] # flops # [{; }
  }];
}

class Graph_UnaryOp<string mnemonic, Type type, list<Trait> traits = []>
    : Graph_ElementwiseOp<mnemonic, !listconcat([SameOperandsAndResultType], traits)> {
  let description = [{
    ```mlir
    %y = graph.}] # mnemonic # [{ %x : tensor<4xf32>
    ```
  }];
  let arguments = (ins type:$operand);
  let results = (outs type:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
  let hasFolder = 1;
}

class Graph_BinaryOp<string mnemonic, Type type, list<Trait> traits = []>
    : Graph_ElementwiseOp<mnemonic, !listconcat([SameOperandsAndResultType], traits)> {
  let description = [{
    ```mlir
    %z = graph.}] # mnemonic # [{ %x, %y : tensor<4xf32>
    ```
  }];
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
  let hasFolder = 1;
}

/// An operation defined by its decomposition into primitives. It is kept whole
/// as long as a pass gains from knowing it (its VJP, its kernel).
class Graph_CompositeOp<string mnemonic, list<Trait> traits = []>
    : Graph_Op<mnemonic, !listconcat([
        DeclareOpInterfaceMethods<DecomposableOpInterface>], traits)>;

#endif // GRAPH_DIALECT_TD
