//===- KernelCost.cpp - Cost and in-place pairs of a plan -----------------===//

#include "KernelPlanner.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace graph;

static int64_t getBytes(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t width = type.getElementType().getIntOrFloatBitWidth();
  return type.getNumElements() * llvm::divideCeil(width, 8);
}

int64_t graph::getNodeFlops(const KernelNode &node) {
  // Philox is ten rounds of two wide products.
  constexpr int64_t kRandom = 80;
  switch (node.kind) {
  case KernelNode::Elementwise:
    return cast<ScalarBodyOpInterface>(node.value.getDefiningOp())
        .getFlopsPerElement();
  case KernelNode::Random:
    return kRandom;
  default:
    return 0;
  }
}

bool graph::isExpensive(const KernelNode &node) {
  constexpr int64_t kExpensive = 8;
  return getNodeFlops(node) >= kExpensive;
}

/// Product of the sizes of the variables in `set`.
static int64_t getNumPoints(const KernelPlan &plan, VariableSet set) {
  int64_t points = 1;
  for (unsigned variable : plan.domain)
    if (set >> variable & 1)
      points *= plan.variables[variable].size;
  return points;
}

/// How often a node is evaluated in one pass over the domain: loops run
/// outermost to innermost, a value is kept as long as no variable changes on
/// which it depends.
static int64_t getNumExecutions(const KernelPlan &plan,
                                ArrayRef<unsigned> loops,
                                const KernelNode &node) {
  VariableSet set = 0;
  VariableSet passed = 0;
  for (unsigned variable : loops) {
    passed |= VariableSet(1) << variable;
    if (node.variables >> variable & 1)
      set = passed;
  }
  return getNumPoints(plan, set);
}

static SmallVector<unsigned> getLoops(const KernelPlan &plan) {
  SmallVector<unsigned> loops = plan.getDomain(KernelVariable::Parallel);
  llvm::append_range(loops, plan.getDomain(KernelVariable::Reduced));
  if (plan.lane && plan.hero != Hero::ColumnReduction) {
    llvm::erase(loops, *plan.lane);
    loops.push_back(*plan.lane);
  }
  return loops;
}

/// An operand of a dot is read from memory once, or computed `repeats` times:
/// again for every block that it is part of. What is then read again comes from
/// a cache, unless it is wider than the operand itself.
static void addOperandCost(KernelPlan &plan, unsigned input,
                           const OperandPlan *prologue, int64_t repeats) {
  KernelCost &cost = plan.cost;
  if (!prologue) {
    cost.bytesRead += getBytes(plan.inputs[input]);
    return;
  }
  Value operand = prologue->plan.outputs[0].value;
  int64_t elements = cast<RankedTensorType>(operand.getType()).getNumElements();
  int64_t flops = 0, bytes = 0;
  llvm::SmallDenseSet<unsigned> read;
  for (const KernelNode &node : prologue->plan.nodes) {
    flops += elements * getNodeFlops(node);
    if (node.kind == KernelNode::Load && read.insert(node.input).second)
      bytes += getBytes(plan.inputs[node.input]);
  }
  cost.flops += repeats * flops;
  cost.recomputedFlops += (repeats - 1) * flops;
  cost.bytesRead +=
      bytes + (repeats - 1) * std::max<int64_t>(0, bytes - getBytes(operand));
}

static void computeCost(KernelPlan &plan) {
  KernelCost &cost = plan.cost;
  SmallVector<unsigned> loops = getLoops(plan);
  VariableSet reduced = 0;
  for (unsigned variable : plan.getDomain(KernelVariable::Reduced))
    reduced |= VariableSet(1) << variable;

  llvm::DenseMap<Value, int64_t> executions;
  llvm::DenseMap<unsigned, int64_t> readPoints;
  auto count = [&](unsigned number, bool) {
    const KernelNode &node = plan.nodes[number];
    executions[node.value] += getNumExecutions(plan, loops, node);
  };
  auto isBufferedBefore = [&](unsigned phase) {
    return [&plan, phase](unsigned number) {
      return llvm::any_of(plan.buffered, [&](BufferedNode buffered) {
        return buffered.node == number && buffered.phase < phase;
      });
    };
  };
  if (plan.scatter)
    walkNodes(
        plan,
        {plan.scatter->initNode, plan.scatter->indicesNode,
         plan.scatter->updatesNode},
        [](unsigned) { return false; }, count);
  // Nodes of single rows are evaluated once, the others once per phase.
  SmallVector<unsigned> rowOutputs;
  for (const KernelOutput &output : plan.outputs)
    if (!output.isFull)
      rowOutputs.push_back(output.node);
  llvm::SmallDenseMap<unsigned, bool> counted;
  for (unsigned phase = 0; phase <= plan.numPhases; ++phase)
    walkNodes(plan,
              phase == plan.numPhases ? rowOutputs : getPhaseRoots(plan, phase),
              isBufferedBefore(phase), [&](unsigned number, bool guard) {
                bool isRow = !(plan.nodes[number].variables & reduced);
                if (isBufferedBefore(phase)(number) ||
                    (isRow && !counted.try_emplace(number, true).second))
                  return;
                count(number, guard);
              });

  llvm::DenseMap<Value, int64_t> flops;
  for (const KernelNode &node : plan.nodes) {
    if (node.kind == KernelNode::Load)
      readPoints[node.input] += getNumPoints(plan, node.variables);
    else if (node.kind == KernelNode::OperandSum)
      cost.flops += cast<ReduceOp>(node.value.getDefiningOp())
                        .getOperand()
                        .getType()
                        .getNumElements();
    else if (node.kind == KernelNode::Reduce)
      cost.flops += getNumPoints(plan, plan.nodes[node.operands[0]].variables);
    else
      flops[node.value] = getNodeFlops(node);
  }
  for (auto [value, each] : flops) {
    int64_t once = cast<RankedTensorType>(value.getType()).getNumElements();
    int64_t all = executions[value];
    cost.flops += all * each;
    cost.recomputedFlops += std::max<int64_t>(0, all - once) * each;
  }
  for (auto [input, points] : readPoints) {
    Type type = plan.inputs[input].getType();
    int64_t width =
        cast<RankedTensorType>(type).getElementType().getIntOrFloatBitWidth();
    cost.bytesRead += std::min<int64_t>(
        getBytes(plan.inputs[input]),
        points * static_cast<int64_t>(llvm::divideCeil(width, 8)));
  }
  for (const KernelOutput &output : plan.outputs)
    cost.bytesWritten += getBytes(output.value);
  if (plan.contraction) {
    const GemmForm &form = plan.contraction->form;
    cost.dotFlops = 2 * llvm::product_of(form.batch) * form.m * form.n * form.k;
    const ContractionTiling &tiling = plan.contraction->tiling;
    addOperandCost(plan, plan.contraction->lhs,
                   plan.contraction->lhsPrologue.get(),
                   llvm::divideCeil(form.n, tiling.blockN));
    addOperandCost(plan, plan.contraction->rhs,
                   plan.contraction->rhsPrologue.get(),
                   llvm::divideCeil(form.m, tiling.blockM));
  }
  if (plan.scatter)
    cost.flops += plan.scatter->numPoints * plan.scatter->numColumns;
}

/// Whether a dot reads the input, or computes an operand from it.
static bool isReadByDot(const ContractionPlan &contraction, unsigned input) {
  auto reads = [&](unsigned operand, const OperandPlan *prologue) {
    if (!prologue)
      return operand == input;
    return llvm::any_of(prologue->plan.nodes, [&](const KernelNode &node) {
      return node.kind == KernelNode::Load && node.input == input;
    });
  };
  return reads(contraction.lhs, contraction.lhsPrologue.get()) ||
         reads(contraction.rhs, contraction.rhsPrologue.get());
}

/// Whether a column reduction has threads without a column: they read the last
/// one again, whenever they come to it.
static bool hasIdleThreads(const KernelPlan &plan) {
  if (plan.hero != Hero::ColumnReduction || plan.threads.teamSize == 1)
    return false;
  return !plan.lane || plan.variables[*plan.lane].size %
                               (plan.threads.teamSize * plan.numLanes) !=
                           0;
}

/// An operand may be overwritten by a result where every element is read, at
/// the latest in the same iteration, by the workgroup that writes its place.
static void findInPlacePairs(KernelPlan &plan) {
  if (hasIdleThreads(plan))
    return;
  // The last phase in which each input is loaded.
  SmallVector<unsigned> lastRead(plan.inputs.size(), 0);
  for (unsigned phase = 0; phase < plan.numPhases; ++phase)
    walkNodes(
        plan, getPhaseRoots(plan, phase), [](unsigned) { return false; },
        [&](unsigned number, bool) {
          const KernelNode &node = plan.nodes[number];
          if (node.kind == KernelNode::Load)
            lastRead[node.input] = phase;
        });
  for (auto [i, output] : llvm::enumerate(plan.outputs)) {
    // Other workgroups may read an operand where a row's result is stored.
    if (!output.isFull && (plan.numPhases > 1 || plan.contraction))
      continue;
    for (auto [j, input] : llvm::enumerate(plan.inputs)) {
      // Other workgroups read the operands of a dot.
      if (plan.contraction && isReadByDot(*plan.contraction, j))
        continue;
      auto inputType = cast<RankedTensorType>(input.getType());
      auto outputType = cast<RankedTensorType>(output.value.getType());
      if (inputType.getElementType() != outputType.getElementType() ||
          inputType.getNumElements() != outputType.getNumElements())
        continue;
      bool isSame = true, isRead = false;
      for (const KernelNode &node : plan.nodes)
        if (node.kind == KernelNode::Load && node.input == j) {
          isRead = true;
          isSame &= node.index == output.index;
        }
      if (isRead && isSame && lastRead[j] <= output.phase)
        plan.inPlace.push_back({unsigned(j), unsigned(i)});
    }
  }
}

void graph::analyzeCost(KernelPlan &plan) {
  computeCost(plan);
  findInPlacePairs(plan);
}
