//===- Pointwise.cpp - The schedule without a hero ------------------------===//

#include "Schedules.h"

using namespace mlir;
using namespace graph;

void graph::emitPointwise(ElementEmitter &emitter) {
  const KernelPlan &plan = emitter.getPlan();
  SmallVector<unsigned> roots = getPhaseRoots(plan, 0);
  WorkgroupRanges ranges = getWorkgroupRanges(emitter);
  SmallVector<unsigned> outer = getOuterVariables(plan);
  emitter.hoist(roots, 0);
  emitPointLoop(emitter, ranges.outer, outer, Points::Dealt, [&] {
    emitter.hoist(roots, getSet(outer));
    if (!plan.lane)
      return emitOutputs(emitter);
    emitLaneLoops(emitter, ranges.lane, /*unroll=*/1,
                  [&](unsigned) { emitOutputs(emitter); });
  });
}
