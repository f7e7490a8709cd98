//===- Decompose.cpp - Open composites into primitives --------------------===//
//
// Replaces every operation with DecomposableOpInterface by its decomposition,
// until none is left.
//
//===----------------------------------------------------------------------===//

#include "graph/Analysis/AttentionForm.h"
#include "graph/Dialect/Graph/Transforms/Passes.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/Error.h"

namespace graph {
#define GEN_PASS_DEF_GRAPHDECOMPOSE
#include "graph/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace graph

using namespace mlir;
using namespace graph;

namespace {
struct Decompose : graph::impl::GraphDecomposeBase<Decompose> {
  using GraphDecomposeBase::GraphDecomposeBase;

  bool isKept(Operation *op, const KernelTarget *target) const {
    if (llvm::is_contained(keep, op->getName().getStringRef()))
      return true;
    auto attention = dyn_cast<AttentionOpInterface>(op);
    return target && attention && hasAttentionKernel(attention, *target);
  }

  void runOnOperation() override {
    std::optional<KernelTarget> target;
    if (!keepKernels.empty()) {
      llvm::Expected<KernelTarget> parsed = KernelTarget::parse(keepKernels);
      if (!parsed) {
        getOperation().emitError(llvm::toString(parsed.takeError()));
        return signalPassFailure();
      }
      target = *parsed;
    }
    // A decomposition may use composites: they are visited in the next round.
    SmallVector<DecomposableOpInterface> worklist;
    auto collect = [&] {
      worklist.clear();
      getOperation().walk([&](DecomposableOpInterface op) {
        if (!isKept(op, target ? &*target : nullptr))
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
