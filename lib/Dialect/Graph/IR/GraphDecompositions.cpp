//===- GraphDecompositions.cpp - Composites in primitives -----------------===//

#include "graph/Dialect/Graph/IR/GraphOps.h"

using namespace mlir;
using namespace graph;

Value ReluOp::decompose(ImplicitLocOpBuilder &) { return {}; }
Value SiluOp::decompose(ImplicitLocOpBuilder &) { return {}; }
Value GeluOp::decompose(ImplicitLocOpBuilder &) { return {}; }
Value SoftmaxOp::decompose(ImplicitLocOpBuilder &) { return {}; }
Value LogSoftmaxOp::decompose(ImplicitLocOpBuilder &) { return {}; }
Value LayerNormOp::decompose(ImplicitLocOpBuilder &) { return {}; }
Value CrossEntropyOp::decompose(ImplicitLocOpBuilder &) { return {}; }
Value AttentionOp::decompose(ImplicitLocOpBuilder &) { return {}; }
