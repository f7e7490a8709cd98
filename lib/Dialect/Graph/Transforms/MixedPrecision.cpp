//===- MixedPrecision.cpp - Products in low precision ---------------------===//
//
// Which functions compute a model is decided here; PrecisionRewriter changes
// the types inside of one, LossScaling what a training step needs for f16.
//
//===----------------------------------------------------------------------===//

#include "LossScaling.h"
#include "PrecisionRewriter.h"
#include "graph/Dialect/Graph/Transforms/Passes.h"

namespace graph {
#define GEN_PASS_DEF_GRAPHMIXEDPRECISION
#include "graph/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace graph

using namespace mlir;
using namespace graph;

using Functions = llvm::SetVector<Operation *>;

/// Adds `function` and what it reaches to `reached`.
static void addReached(func::FuncOp function, SymbolTable &symbols,
                       Functions &reached) {
  if (!reached.insert(function))
    return;
  function.walk([&](Operation *op) {
    if (auto call = dyn_cast<func::CallOp>(op))
      addReached(symbols.lookup<func::FuncOp>(call.getCallee()), symbols,
                 reached);
    if (auto gradient = dyn_cast<ValueAndGradOp>(op))
      addReached(symbols.lookup<func::FuncOp>(gradient.getCallee()), symbols,
                 reached);
  });
}

static bool takesDerivative(func::FuncOp function, SymbolTable &symbols) {
  Functions reached;
  addReached(function, symbols, reached);
  return llvm::any_of(reached, [](Operation *op) {
    return op->walk([](ValueAndGradOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  });
}

namespace {
struct MixedPrecision : graph::impl::GraphMixedPrecisionBase<MixedPrecision> {
  using GraphMixedPrecisionBase::GraphMixedPrecisionBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    Functions differentiated = findDifferentiated(symbols);
    Functions model = differentiated;
    for (auto function : module.getOps<func::FuncOp>())
      if (function.isPublic() && !isInitializer(function) &&
          !takesDerivative(function, symbols))
        addReached(function, symbols, model);

    for (Operation *function : model)
      if (failed(rewrite(cast<func::FuncOp>(function))))
        return signalPassFailure();
    if (type == LowPrecision::f16 &&
        failed(scaleLoss(module, differentiated.getArrayRef(),
                         {initialScale, growthInterval})))
      signalPassFailure();
  }

private:
  Functions findDifferentiated(SymbolTable &symbols) {
    Functions functions;
    getOperation().walk([&](ValueAndGradOp gradient) {
      addReached(symbols.lookup<func::FuncOp>(gradient.getCallee()), symbols,
                 functions);
    });
    return functions;
  }

  LogicalResult rewrite(func::FuncOp function) {
    if (function.isExternal())
      return success();
    if (!llvm::hasSingleElement(function.getBody()))
      return function.emitOpError("found ")
             << function.getBody().getBlocks().size()
             << " blocks, expected one: mixed precision follows values "
                "through straight-line code";
    Builder b(&getContext());
    FloatType low = type == LowPrecision::f16 ? cast<FloatType>(b.getF16Type())
                                              : b.getBF16Type();
    numNarrowed += PrecisionRewriter(low).run(function.getBody().front());
    return success();
  }
};
} // namespace
