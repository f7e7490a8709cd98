//===- KernelSchedule.cpp - Chooses hero, lanes, threads, row buffers -----===//

#include "KernelPlanner.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace graph;

static int64_t getWidth(Value value) {
  return getElementTypeOrSelf(value).getIntOrFloatBitWidth();
}

/// The elements of a vector. Registers of a CPU hold values in the compute type
/// (32 bits for narrow ones); threads of a GPU access memory.
static unsigned getMaxLanes(const KernelPlan &plan,
                            const KernelTarget &target) {
  int64_t width = 32;
  if (target.isCUDA()) {
    for (const KernelNode &node : plan.nodes)
      if (node.kind == KernelNode::Load)
        width = std::max(width, getWidth(node.value));
    for (const KernelOutput &output : plan.outputs)
      width = std::max(width, getWidth(output.value));
  } else if (llvm::all_of(plan.outputs, [](const KernelOutput &output) {
               return getWidth(output.value) == 64;
             })) {
    width = 64;
  }
  return std::max<unsigned>(1, target.vectorBits / width);
}

/// What vectors along `lane` cost, relative to one contiguous access per point.
static double getLaneCost(const KernelPlan &plan, unsigned lane,
                          unsigned maxLanes) {
  constexpr double kStridedLoad = 4, kStridedStore = 8, kInvariant = 0.1;
  double points = 1;
  for (unsigned variable : plan.domain)
    points *= plan.variables[variable].size;
  auto access = [&](const AffineIndex &index, VariableSet variables,
                    double strided) {
    double weight = 1 / points;
    for (unsigned variable : plan.domain)
      if (variables >> variable & 1)
        weight *= plan.variables[variable].size;
    std::optional<int64_t> step = getLaneStep(plan, index, lane);
    return weight * (!step        ? strided
                     : *step == 0 ? kInvariant
                     : *step == 1 ? 1
                                  : strided);
  };
  double cost = 0;
  for (const KernelNode &node : plan.nodes)
    if (node.kind == KernelNode::Load)
      cost += access(node.index, node.variables, kStridedLoad);
  for (const KernelOutput &output : plan.outputs)
    cost += access(output.index, output.index.getVariables(), kStridedStore);
  int64_t size = plan.variables[lane].size;
  return size >= maxLanes ? cost : cost * maxLanes / std::max<int64_t>(size, 1);
}

/// `width` elements are accessed together: the lanes of all threads in a warp.
static void chooseLane(KernelPlan &plan, unsigned width) {
  bool hasReduction = plan.numPhases > 1;
  if (hasReduction)
    plan.hero = Hero::ColumnReduction;
  if (plan.domain.empty())
    return;
  if (plan.scatter) {
    if (plan.scatter->columnVariable >= 0)
      plan.lane = plan.scatter->columnVariable;
  } else if (plan.contraction) {
    if (!plan.contraction->columns.empty())
      plan.lane = plan.contraction->columns.back();
  } else {
    plan.lane = plan.domain.back();
    double best = getLaneCost(plan, *plan.lane, width);
    for (unsigned variable : llvm::reverse(plan.domain)) {
      double cost = getLaneCost(plan, variable, width);
      if (hasReduction && cost < best) {
        plan.lane = variable;
        best = cost;
      }
    }
    if (plan.variables[*plan.lane].kind == KernelVariable::Reduced)
      plan.hero = Hero::RowReduction;
  }
}

/// Whether a vector of `lanes` elements at `index` begins at a multiple of its
/// size, as it must on a GPU.
static bool isAlignedAccess(const KernelPlan &plan, const AffineIndex &index,
                            unsigned lanes) {
  return getLaneStep(plan, index, *plan.lane) != 1 ||
         isAlignedIndex(plan, index, lanes);
}

static void chooseNumLanes(KernelPlan &plan, const KernelTarget &target,
                           unsigned maxLanes) {
  if (!plan.lane)
    return;
  uint64_t size = std::max<int64_t>(plan.variables[*plan.lane].size, 1);
  plan.numLanes = std::min<uint64_t>(maxLanes, llvm::bit_floor(size));
  if (!target.isCUDA())
    return;
  // A loop over more sums than this has no registers left to be unrolled.
  constexpr size_t kMaxColumnSums = 16;
  auto isTooWide = [&](unsigned lanes) {
    // Every thread of a warp gets something to do; strips of columns are whole
    // vectors.
    if (plan.hero == Hero::RowReduction && size / lanes < target.warpSize)
      return true;
    if (plan.hero == Hero::ColumnReduction &&
        (size % lanes != 0 || plan.getNumReductions() * lanes > kMaxColumnSums))
      return true;
    if (plan.contraction && size % lanes != 0)
      return true;
    for (const KernelNode &node : plan.nodes)
      if (node.kind == KernelNode::Load &&
          !isAlignedAccess(plan, node.index, lanes))
        return true;
    return llvm::any_of(plan.outputs, [&](const KernelOutput &output) {
      return !isAlignedAccess(plan, output.index, lanes);
    });
  };
  while (plan.numLanes > 1 && isTooWide(plan.numLanes))
    plan.numLanes /= 2;
}

/// A tile whose sides are at least this long is worth a pass through shared
/// memory.
static constexpr unsigned kSmallestGPUTile = 8;

/// Looks for loads that are contiguous along another variable than the lane.
/// Both sides must fill `tile` positions.
static void chooseTransposed(KernelPlan &plan, unsigned tile) {
  auto isLong = [&](unsigned variable) {
    return plan.variables[variable].size >= tile;
  };
  if (plan.hero != Hero::Pointwise || !plan.lane || !isLong(*plan.lane))
    return;
  for (const KernelNode &node : plan.nodes) {
    if (node.kind != KernelNode::Load)
      continue;
    std::optional<int64_t> step = getLaneStep(plan, node.index, *plan.lane);
    if (!step || *step == 0 || *step == 1)
      continue;
    for (AffineIndex::Term term : node.index.terms)
      if (term.coefficient == 1 &&
          llvm::is_contained(plan.domain, term.variable) &&
          isLong(term.variable)) {
        plan.transposed = term.variable;
        plan.hero = Hero::Transpose;
        return;
      }
  }
}

static void chooseBuffered(KernelPlan &plan, const KernelTarget &target) {
  if (plan.hero != Hero::RowReduction)
    return;
  VariableSet reduced = 0;
  for (unsigned variable : plan.getDomain(KernelVariable::Reduced))
    reduced |= VariableSet(1) << variable;

  llvm::SmallDenseMap<unsigned, unsigned> firstPhase;
  llvm::SmallDenseSet<unsigned> chosen;
  for (unsigned phase = 0; phase < plan.numPhases; ++phase) {
    auto isKept = [&](unsigned node) {
      auto it = firstPhase.find(node);
      return it != firstPhase.end() && it->second < phase;
    };
    walkNodes(plan, getPhaseRoots(plan, phase), isKept,
              [&](unsigned number, bool underGuard) {
                const KernelNode &node = plan.nodes[number];
                if (isKept(number))
                  chosen.insert(number);
                else if (!underGuard && (node.variables & reduced) &&
                         isExpensive(node))
                  firstPhase.try_emplace(number, phase);
              });
  }
  int64_t points = plan.getNumPoints(KernelVariable::Reduced);
  int64_t available = target.rowBufferBytes / plan.threads.teams;
  int64_t bytes = 0;
  for (unsigned number = 0; number < plan.nodes.size(); ++number) {
    if (!chosen.contains(number))
      continue;
    int64_t width = plan.nodes[number].getElementType().getIntOrFloatBitWidth();
    int64_t size = points * std::max<int64_t>(width, 32) / 8;
    if (bytes + size > available)
      continue;
    bytes += size;
    plan.buffered.push_back({number, firstPhase[number]});
  }
}

static ThreadShape getThreads(const KernelPlan &plan,
                              const KernelTarget &target) {
  uint64_t laneSize = plan.lane ? plan.variables[*plan.lane].size : 1;
  uint64_t vectors = std::max<uint64_t>(1, laneSize / plan.numLanes);
  uint64_t warp = target.warpSize, all = target.maxThreads;
  // No team is without a point.
  uint64_t points =
      llvm::bit_floor(std::max<uint64_t>(getNumOuterPoints(plan), 1));
  switch (plan.hero) {
  case Hero::Pointwise: {
    uint64_t teamSize = std::min(llvm::bit_ceil(vectors), all);
    return {unsigned(std::min(all / teamSize, points)), unsigned(teamSize)};
  }
  case Hero::RowReduction: {
    // A warp needs no barrier; it does rows of a few vectors per thread.
    constexpr uint64_t kVectorsPerThread = 4, kWarps = 4;
    if (vectors <= warp * kVectorsPerThread)
      return {unsigned(std::min(kWarps, points)), unsigned(warp)};
    return {1, unsigned(std::min(llvm::bit_ceil(vectors / kVectorsPerThread),
                                 2 * all))};
  }
  case Hero::ColumnReduction: {
    SmallVector<unsigned> reduced = plan.getDomain(KernelVariable::Reduced);
    uint64_t rows = reduced.empty() ? 1 : plan.variables[reduced[0]].size;
    uint64_t teams = llvm::bit_floor(std::max<uint64_t>(rows, 1));
    return {unsigned(std::min(teams, all / warp)), unsigned(warp)};
  }
  case Hero::Transpose:
    return {unsigned(all / warp), unsigned(warp)};
  case Hero::Scatter:
    return {1, unsigned(warp)};
  case Hero::Contraction:
    return {1, plan.contraction->tiling.getNumThreads()};
  case Hero::Attention:
    break;
  }
  llvm_unreachable("attention has a plan of its own");
}

void graph::chooseSchedule(KernelPlan &plan, const KernelTarget &target) {
  if (ContractionPlan *contraction =
          plan.contraction ? &*plan.contraction : nullptr)
    contraction->tiling = chooseContractionTiling(
        contraction->form, plan.nodes[contraction->node].getElementType(),
        target,
        contraction->hasPrologue() ? OperandUse::Compute
        : contraction->operandSum  ? OperandUse::Sum
                                   : OperandUse::Multiply);
  unsigned maxLanes = getMaxLanes(plan, target);
  chooseLane(plan, maxLanes * target.warpSize);
  chooseTransposed(plan, target.isCUDA() ? kSmallestGPUTile : maxLanes);
  // Threads of a GPU exchange single elements of a tile.
  chooseNumLanes(plan, target,
                 target.isCUDA() && plan.transposed ? 1 : maxLanes);
  if (target.isCUDA())
    plan.threads = getThreads(plan, target);
  chooseBuffered(plan, target);
}
