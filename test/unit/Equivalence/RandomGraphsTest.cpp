//===- RandomGraphsTest.cpp - Properties of random graphs -----------------===//
//
// A few fixed seeds; graph-fuzz tries more.
//
//===----------------------------------------------------------------------===//

#include "GraphGenerator.h"
#include "Properties.h"

#include "graph/InitAll.h"

#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace graph;

static void checkSeeds(const Property &property, unsigned numSeeds,
                       GeneratorOptions options = {}) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  ComparisonCounts counts;
  for (options.seed = 0; options.seed < numSeeds; ++options.seed) {
    OwningOpRef<ModuleOp> module = generateGraph(context, options);
    std::optional<std::string> problem = property(*module, counts);
    if (!problem)
      continue;
    std::string text;
    llvm::raw_string_ostream os(text);
    minimize(*module, property)->print(os);
    FAIL() << "seed " << options.seed << ": " << *problem << '\n' << text;
  }
  // A tolerance that excuses everything would test nothing.
  EXPECT_LT(counts.skipped, counts.compared / 50);
}

TEST(RandomGraphs, FusedEqualsInterpreted) { checkSeeds(checkFusedGraph, 100); }

TEST(RandomGraphs, CompiledEqualsInterpreted) { checkSeeds(checkCompiled, 60); }

TEST(RandomGraphs, MixedPrecisionOnlyRounds) {
  checkSeeds(checkMixedPrecision, 40);
}

#ifdef GRAPH_HAS_EMULATOR
TEST(RandomGraphs, EmulatedEqualsInterpreted) { checkSeeds(checkEmulated, 30); }
#endif

TEST(RandomGraphs, GradientsAreDifferences) {
  checkSeeds(checkGradients, 40,
             {.minSteps = 2, .maxSteps = 12, .isDifferentiable = true});
}
