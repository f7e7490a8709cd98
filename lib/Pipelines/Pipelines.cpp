//===- Pipelines.cpp - The story of a compilation -------------------------===//

#include "graph/Autodiff/Passes.h"
#include "graph/Conversion/Passes.h"
#include "graph/Dialect/Exec/IR/ExecOps.h"
#include "graph/Dialect/Exec/Transforms/Passes.h"
#include "graph/Dialect/Graph/Transforms/Passes.h"
#include "graph/Pipelines/Compile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace graph;

static void addCleanup(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createCanonicalizerPass());
  pm.addNestedPass<func::FuncOp>(createCSEPass());
}

void graph::buildGraphPipeline(OpPassManager &pm, const KernelTarget &target,
                               std::optional<LowPrecision> mixedPrecision) {
  // 1. One body per function to be differentiated, one type per state; then
  //    the types that its products are computed in.
  pm.addPass(createGraphVerifyStates());
  pm.addPass(createInlinerPass());
  if (mixedPrecision)
    pm.addPass(createGraphMixedPrecision({.type = *mixedPrecision}));

  // 2. Derivatives, while composite operations are whole and have VJPs of their
  //    own. What is left is called by nobody outside the public functions.
  pm.addPass(createGraphAutodiff());
  pm.addPass(createInlinerPass());
  pm.addPass(createSymbolDCEPass());
  addCleanup(pm);

  // 3. Primitives only, and attention, which has a kernel of its own.
  GraphDecomposeOptions decompose;
  decompose.keepKernels = true;
  pm.addNestedPass<func::FuncOp>(createGraphDecompose(decompose));
  addCleanup(pm);

  // 4. Attention and dots as kernels and matrix products whose operands are
  //    read where they lie; reductions to few elements in two steps, so that
  //    all cores have work.
  if (target.isCUDA())
    pm.addNestedPass<func::FuncOp>(createGraphOpenIntegerDots());
  pm.addNestedPass<func::FuncOp>(createGraphPrepareAttention());
  pm.addNestedPass<func::FuncOp>(createGraphPrepareDots());
  pm.addNestedPass<func::FuncOp>(createGraphSplitReductions());
  addCleanup(pm);

  // 5. Sums in f32 where memory holds less, then one fusion per kernel.
  pm.addNestedPass<func::FuncOp>(createGraphWidenScatters());
  pm.addNestedPass<func::FuncOp>(createGraphFuse({target.getText()}));
}

void graph::buildExecPipeline(OpPassManager &pm, const KernelTarget &target) {
  // 1. Commands on buffers, and one function per kernel.
  pm.addPass(createConvertGraphToExec({target.getText()}));

  // 2. An order and a place for everything.
  pm.addNestedPass<exec::FuncOp>(exec::createExecPlanMemory());
}
