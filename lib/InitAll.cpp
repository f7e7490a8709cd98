//===- InitAll.cpp - Registers every dialect and pass ---------------------===//

#include "graph/InitAll.h"

#include "graph/Autodiff/Passes.h"
#include "graph/Codegen/Passes.h"
#include "graph/Dialect/Graph/IR/GraphOps.h"
#include "graph/Dialect/Graph/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void graph::registerAllDialects(DialectRegistry &registry) {
  registry.insert<GraphDialect>();
  registry.insert<arith::ArithDialect, func::FuncDialect, math::MathDialect>();
  func::registerInlinerExtension(registry);
}

void graph::registerAllPasses() {
  registerAutodiffPasses();
  registerCodegenPasses();
  registerGraphPasses();
  registerTransformsPasses();
}
