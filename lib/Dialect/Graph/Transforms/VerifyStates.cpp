//===- VerifyStates.cpp - Check that a state has one type -----------------===//
//
// The verifier of a function may not look at other functions, which other
// threads may be rewriting; this pass over the module may.
//
//===----------------------------------------------------------------------===//

#include "graph/Dialect/Graph/IR/GraphOps.h"
#include "graph/Dialect/Graph/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace graph {
#define GEN_PASS_DEF_GRAPHVERIFYSTATES
#include "graph/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace graph

using namespace mlir;
using namespace graph;

static LogicalResult verifyStates(ModuleOp module) {
  // The type of each state and the function that gave it first.
  DenseMap<Attribute, std::pair<Type, FunctionOpInterface>> states;
  auto check = [&](FunctionOpInterface function, DictionaryAttr attrs,
                   Type type) -> LogicalResult {
    if (!attrs || !attrs.contains(kStateAttr))
      return success();
    Attribute name = attrs.get(kNameAttr);
    auto [it, isNew] = states.try_emplace(name, type, function);
    auto [expected, first] = it->second;
    if (expected == type)
      return success();
    InFlightDiagnostic error = function->emitOpError("found state ")
                               << name << " of type " << type << ", expected "
                               << expected;
    error.attachNote(first.getLoc()) << "first used here";
    return error;
  };
  for (auto function : module.getOps<FunctionOpInterface>()) {
    for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
      if (failed(check(function, function.getArgAttrDict(i), type)))
        return failure();
    for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
      if (failed(check(function, function.getResultAttrDict(i), type)))
        return failure();
  }
  return success();
}

namespace {
struct VerifyStates : graph::impl::GraphVerifyStatesBase<VerifyStates> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (failed(verifyStates(getOperation())))
      signalPassFailure();
  }
};
} // namespace
