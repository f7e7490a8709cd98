//===- GraphCanonicalize.cpp - Canonicalization patterns ------------------===//

#include "graph/Dialect/Graph/IR/GraphOps.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace graph;

void NegOp::getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) {}
void AddOp::getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) {}
void MulOp::getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) {}
void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) {}
