//===- Decompose.cpp - Open composites into primitives --------------------===//
//
// Replaces every operation with DecomposableOpInterface by its decomposition,
// until none is left.
//
//===----------------------------------------------------------------------===//

#include "graph/Analysis/AttentionForm.h"
#include "graph/Dialect/Graph/Transforms/Passes.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace graph {
#define GEN_PASS_DEF_GRAPHDECOMPOSE
#include "graph/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace graph

using namespace mlir;
using namespace graph;

namespace {
struct Decompose : graph::impl::GraphDecomposeBase<Decompose> {
  using GraphDecomposeBase::GraphDecomposeBase;

  bool isKept(Operation *op) const {
    if (llvm::is_contained(keep, op->getName().getStringRef()))
      return true;
    auto attention = dyn_cast<AttentionOpInterface>(op);
    return keepKernels && attention && hasAttentionKernel(attention);
  }

  void runOnOperation() override {
    // A decomposition may use composites: they are visited in the next round.
    SmallVector<DecomposableOpInterface> worklist;
    auto collect = [&] {
      worklist.clear();
      getOperation().walk([&](DecomposableOpInterface op) {
        if (!isKept(op))
          worklist.push_back(op);
      });
      return !worklist.empty();
    };
    while (collect())
      for (DecomposableOpInterface op : worklist) {
        ImplicitLocOpBuilder builder(op->getLoc(), op);
        op->replaceAllUsesWith(op.decompose(builder));
        op->erase();
      }
  }
};
} // namespace
