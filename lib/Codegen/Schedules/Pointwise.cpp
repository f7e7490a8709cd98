//===- Pointwise.cpp - The schedule without a hero ------------------------===//

#include "Schedules.h"

using namespace mlir;
using namespace graph;

void graph::emitPointwise(ElementEmitter &emitter) {
  const KernelPlan &plan = emitter.getPlan();
  SmallVector<unsigned> roots = getPhaseRoots(plan, 0);
  auto emitElements = [&](unsigned) {
    // All results before any store: a result may overwrite an operand.
    SmallVector<Value> values;
    for (const KernelOutput &output : plan.outputs)
      values.push_back(emitter.evaluateLanes(output.node));
    for (auto [number, value] : llvm::enumerate(values))
      emitter.store(number, value);
  };

  WorkgroupRanges ranges = getWorkgroupRanges(emitter);
  SmallVector<unsigned> outer = getOuterVariables(plan);
  emitter.hoist(roots, 0);
  emitPointLoop(emitter, ranges.outer, outer, Points::Dealt, [&] {
    emitter.hoist(roots, getSet(outer));
    if (!plan.lane)
      return emitElements(1);
    emitLaneLoops(emitter, ranges.lane, /*unroll=*/1, emitElements);
  });
}
