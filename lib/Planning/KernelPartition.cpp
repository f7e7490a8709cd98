//===- KernelPartition.cpp - Cuts a kernel into workgroups ----------------===//

#include "KernelPlanner.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace graph;

/// A whole variable; 1 where there is none.
static int64_t getSize(const KernelPlan &plan,
                       std::optional<unsigned> variable) {
  return variable ? plan.variables[*variable].size : 1;
}

int64_t graph::getNumOuterPoints(const KernelPlan &plan) {
  int64_t points = 1;
  for (unsigned variable : plan.getDomain(KernelVariable::Parallel))
    if (variable != plan.lane && variable != plan.transposed)
      points *= plan.variables[variable].size;
  return points;
}

/// Updates are added in order, hence a workgroup takes whole columns of the
/// updates. On a GPU it takes some rows of the table and skips the others'
/// updates.
static void partitionScatter(KernelPlan &plan, const KernelTarget &target) {
  Partition &partition = plan.partition;
  const ScatterPlan &scatter = *plan.scatter;
  partition.lanePoints = getSize(plan, plan.lane);
  partition.outerPoints = scatter.numRows;
  partition.outerChunk = std::max<int64_t>(1, scatter.numRows);
  int64_t perColumn = std::max<int64_t>(1, scatter.numRows + scatter.numPoints);
  int64_t strip = 64;
  int64_t chunk = std::max(strip, target.workgroupCost / perColumn);
  if (target.isCUDA()) {
    constexpr int64_t kWorkgroups = 2048;
    chunk = strip = plan.threads.teamSize * plan.numLanes;
    int64_t strips = llvm::divideCeil(partition.lanePoints, strip);
    partition.outerChunk = std::max<int64_t>(
        1, llvm::divideCeil(scatter.numRows * strips, kWorkgroups));
  }
  partition.laneChunk = std::min<int64_t>(
      std::max<int64_t>(1, partition.lanePoints), llvm::alignTo(chunk, strip));
}

/// A workgroup of a GPU takes one tile, or one strip of columns: there are
/// barriers inside, which all threads must pass equally often.
static bool partitionTiles(KernelPlan &plan, const KernelTarget &target) {
  Partition &partition = plan.partition;
  if (!target.isCUDA() ||
      (plan.hero != Hero::Transpose && plan.hero != Hero::ColumnReduction))
    return false;
  partition.laneChunk = plan.threads.teamSize * plan.numLanes;
  partition.transposedChunk = target.warpSize;
  return true;
}

/// What one point of the partition costs: operations and elements moved.
static double getPointCost(const KernelPlan &plan) {
  int64_t total = 1;
  for (unsigned variable : plan.domain)
    total *= plan.variables[variable].size;
  int64_t accesses = plan.outputs.size();
  for (const KernelNode &node : plan.nodes)
    accesses += node.kind == KernelNode::Load;
  double cost =
      plan.cost.flops + double(accesses) * std::max<int64_t>(total, 0);
  const Partition &partition = plan.partition;
  double points = double(partition.outerPoints) * partition.lanePoints *
                  partition.transposedPoints;
  return std::max(1.0, cost / std::max(1.0, points));
}

void graph::choosePartition(KernelPlan &plan, const KernelTarget &target) {
  if (plan.scatter)
    return partitionScatter(plan, target);
  Partition &partition = plan.partition;
  if (plan.contraction) {
    partition.outerPoints =
        plan.contraction->tiling.getNumBlocks(plan.contraction->form);
    return;
  }
  bool laneIsParallel =
      plan.lane && plan.variables[*plan.lane].kind == KernelVariable::Parallel;
  if (laneIsParallel)
    partition.lanePoints = getSize(plan, plan.lane);
  partition.transposedPoints = getSize(plan, plan.transposed);
  partition.outerPoints = getNumOuterPoints(plan);
  if (partitionTiles(plan, target))
    return;

  // Whole cache lines of vectors along the lane (a vector for every thread of a
  // GPU), whole tiles of a transpose, a point for every team.
  double wanted = std::max(1.0, target.workgroupCost / getPointCost(plan));
  int64_t grain = plan.hero == Hero::Transpose ? 64
                  : target.isCUDA()
                      ? int64_t(plan.threads.teamSize) * plan.numLanes
                      : 8 * plan.numLanes;
  auto take = [&](int64_t available, int64_t multiple) {
    int64_t chunk = std::min<double>(available, std::max(1.0, wanted));
    chunk = std::min<int64_t>(
        available, llvm::alignTo(std::max<int64_t>(1, chunk), multiple));
    wanted = std::max(1.0, wanted / std::max<int64_t>(1, chunk));
    return std::max<int64_t>(1, chunk);
  };
  partition.laneChunk = take(partition.lanePoints, grain);
  partition.transposedChunk = take(partition.transposedPoints, grain);
  partition.outerChunk = take(partition.outerPoints, plan.threads.teams);
}
