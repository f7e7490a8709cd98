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

#endif // GRAPH_TRANSFORMS_PASSES_TD
