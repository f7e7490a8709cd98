//===- LowerMath.cpp - Expand math operations of kernels ------------------===//

#include "graph/Codegen/MathLowering.h"
#include "graph/Codegen/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace graph {
#define GEN_PASS_DEF_CODEGENLOWERMATH
#include "graph/Codegen/Passes.h.inc"
} // namespace graph

using namespace mlir;
using namespace graph;

namespace {
struct LowerMath : graph::impl::CodegenLowerMathBase<LowerMath> {
  using CodegenLowerMathBase::CodegenLowerMathBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateMathLoweringPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
