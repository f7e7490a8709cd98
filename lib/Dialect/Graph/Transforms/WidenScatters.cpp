//===- WidenScatters.cpp - Accumulate narrow scatters in f32 --------------===//
//
// A kernel adds rows in memory, so that the table's element type is that of
// the sums: in bf16, 257 additions of 1 give 256.
//
//===----------------------------------------------------------------------===//

#include "graph/Dialect/Graph/IR/Tensor.h"
#include "graph/Dialect/Graph/Transforms/Passes.h"

namespace graph {
#define GEN_PASS_DEF_GRAPHWIDENSCATTERS
#include "graph/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace graph

using namespace mlir;
using namespace graph;

namespace {
struct WidenScatters : graph::impl::GraphWidenScattersBase<WidenScatters> {
  using GraphWidenScattersBase::GraphWidenScattersBase;

  void runOnOperation() override {
    for (Block &block : getOperation().getBody())
      for (ScatterAddOp scatter : llvm::to_vector(block.getOps<ScatterAddOp>()))
        if (isa<BFloat16Type, Float16Type>(scatter.getType().getElementType()))
          widen(scatter);
  }

  void widen(ScatterAddOp scatter) {
    ImplicitLocOpBuilder builder(scatter.getLoc(), scatter);
    Type f32 = builder.getF32Type();
    Tensor sums = scatterAdd(cast({builder, scatter.getInit()}, f32),
                             {builder, scatter.getIndices()},
                             cast({builder, scatter.getUpdates()}, f32),
                             scatter.getMode());
    Tensor result = cast(sums, scatter.getType().getElementType());
    scatter.replaceAllUsesWith(result.getValue());
    scatter.erase();
  }
};
} // namespace
