//===- KernelSchedule.cpp - Chooses hero, lanes and row buffers -----------===//

#include "KernelPlanner.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace graph;

/// The elements of a vector register. Narrow types compute as 32 bits.
static unsigned getMaxLanes(const KernelPlan &plan,
                            const KernelTarget &target) {
  bool isWide = llvm::all_of(plan.outputs, [](const KernelOutput &output) {
    return getElementTypeOrSelf(output.value).getIntOrFloatBitWidth() == 64;
  });
  return std::max(1u, target.vectorBits / (isWide ? 64 : 32));
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

static void chooseLane(KernelPlan &plan, unsigned maxLanes) {
  bool hasReduction = plan.numPhases > 1;
  if (hasReduction)
    plan.hero = Hero::ColumnReduction;
  if (plan.domain.empty())
    return;
  if (plan.scatter) {
    if (plan.scatter->columnVariable >= 0)
      plan.lane = plan.scatter->columnVariable;
  } else {
    plan.lane = plan.domain.back();
    double best = getLaneCost(plan, *plan.lane, maxLanes);
    for (unsigned variable : llvm::reverse(plan.domain)) {
      double cost = getLaneCost(plan, variable, maxLanes);
      if (hasReduction && cost < best) {
        plan.lane = variable;
        best = cost;
      }
    }
    if (plan.variables[*plan.lane].kind == KernelVariable::Reduced)
      plan.hero = Hero::RowReduction;
  }
  if (plan.lane) {
    int64_t size = std::max<int64_t>(plan.variables[*plan.lane].size, 1);
    plan.numLanes =
        std::min<uint64_t>(maxLanes, llvm::bit_floor(uint64_t(size)));
  }
}

/// Looks for loads that are contiguous along another variable than the lane.
static void chooseTransposed(KernelPlan &plan, unsigned maxLanes) {
  if (plan.hero != Hero::Pointwise || !plan.lane || plan.numLanes != maxLanes)
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
          plan.variables[term.variable].size >= plan.numLanes) {
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
  int64_t bytes = 0;
  for (unsigned number = 0; number < plan.nodes.size(); ++number) {
    if (!chosen.contains(number))
      continue;
    int64_t width = plan.nodes[number].getElementType().getIntOrFloatBitWidth();
    int64_t size = points * std::max<int64_t>(width, 32) / 8;
    if (bytes + size > target.stackBytes)
      continue;
    bytes += size;
    plan.buffered.push_back({number, firstPhase[number]});
  }
}

void graph::chooseSchedule(KernelPlan &plan, const KernelTarget &target) {
  unsigned maxLanes = getMaxLanes(plan, target);
  chooseLane(plan, maxLanes);
  chooseTransposed(plan, maxLanes);
  chooseBuffered(plan, target);
}
