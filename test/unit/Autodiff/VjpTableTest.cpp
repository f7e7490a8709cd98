//===- VjpTableTest.cpp - Every operation has a derivative, or none -------===//

#include "graph/Autodiff/Vjp.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringSet.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace graph;

namespace {

VjpTable makeTable() {
  VjpTable rules;
  populateElementwiseVjps(rules);
  populateShapeVjps(rules);
  populateContractionVjps(rules);
  populateCompositeVjps(rules);
  return rules;
}

TEST(VjpTable, KnowsEveryOperationThatHasADerivative) {
  // Sources and predicates have none, a composite is opened; the others are no
  // functions of tensors.
  const llvm::StringSet<> without = {
      "graph.constant",      "graph.iota",    "graph.random_uniform",
      "graph.random_normal", "graph.compare", "graph.attention_grad",
      "graph.fusion",        "graph.yield",   "graph.value_and_grad"};
  MLIRContext context;
  context.loadDialect<GraphDialect>();
  VjpTable rules = makeTable();
  unsigned numOps = 0;
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    if (name.getDialectNamespace() != "graph")
      continue;
    ++numOps;
    EXPECT_EQ(!rules.lookup(name), without.contains(name.getStringRef()))
        << name.getStringRef().str();
  }
  EXPECT_GT(numOps, without.size());
}

} // namespace
