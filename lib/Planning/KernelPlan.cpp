//===- KernelPlan.cpp - How a set of operations is one kernel -------------===//

#include "graph/Planning/KernelPlan.h"
#include "KernelPlanner.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace graph;

SmallVector<unsigned> KernelPlan::getDomain(KernelVariable::Kind kind) const {
  SmallVector<unsigned> result;
  for (unsigned variable : domain)
    if (variables[variable].kind == kind)
      result.push_back(variable);
  return result;
}

int64_t KernelPlan::getNumPoints(KernelVariable::Kind kind) const {
  int64_t points = 1;
  for (unsigned variable : getDomain(kind))
    points *= variables[variable].size;
  return points;
}

size_t KernelPlan::getNumReductions() const {
  return llvm::count_if(nodes, [](const KernelNode &node) {
    return node.kind == KernelNode::Reduce;
  });
}

int64_t Partition::getNumWorkgroups() const {
  if (outerPoints == 0 || lanePoints == 0 || transposedPoints == 0)
    return 0;
  return llvm::divideCeil(outerPoints, outerChunk) *
         llvm::divideCeil(lanePoints, laneChunk) *
         llvm::divideCeil(transposedPoints, transposedChunk);
}

namespace {
/// Post-order walk. A node that is also needed without a guard counts as
/// unguarded, hence all unguarded paths are walked first.
class NodeWalker {
public:
  NodeWalker(const KernelPlan &plan, function_ref<bool(unsigned)> isLeaf,
             function_ref<void(unsigned, bool)> visit)
      : plan(plan), isLeaf(isLeaf), visit(visit) {}

  void walk(ArrayRef<unsigned> roots) {
    for (unsigned root : roots)
      walkNode(root);
    underGuard = true;
    while (!guarded.empty())
      walkNode(guarded.pop_back_val());
  }

private:
  void walkIndex(const AffineIndex &index) {
    for (AffineIndex::Term term : index.terms) {
      const KernelVariable &variable = plan.variables[term.variable];
      if (variable.kind == KernelVariable::Derived)
        walkIndex(variable.index);
      if (variable.kind == KernelVariable::Row)
        walkNode(variable.node);
    }
  }

  void walkOperands(const KernelNode &node) {
    walkIndex(node.index);
    if (node.kind != KernelNode::Reduce)
      for (unsigned operand : node.operands)
        walkNode(operand);
    for (const Alternative &alternative : node.alternatives) {
      for (const Guard &guard : alternative.guards) {
        walkIndex(guard.index);
        if (guard.node)
          walkNode(*guard.node);
      }
      guarded.push_back(alternative.node);
    }
  }

  void walkNode(unsigned number) {
    if (!seen.insert(number).second)
      return;
    if (!isLeaf(number))
      walkOperands(plan.nodes[number]);
    visit(number, underGuard);
  }

  const KernelPlan &plan;
  function_ref<bool(unsigned)> isLeaf;
  function_ref<void(unsigned, bool)> visit;
  llvm::SmallDenseSet<unsigned> seen;
  SmallVector<unsigned> guarded;
  bool underGuard = false;
};
} // namespace

void graph::walkNodes(const KernelPlan &plan, ArrayRef<unsigned> roots,
                      function_ref<bool(unsigned)> isLeaf,
                      function_ref<void(unsigned, bool)> visit) {
  NodeWalker(plan, isLeaf, visit).walk(roots);
}

SmallVector<unsigned> graph::getPhaseReductions(const KernelPlan &plan,
                                                unsigned phase) {
  SmallVector<unsigned> reductions;
  for (auto [number, node] : llvm::enumerate(plan.nodes))
    if (node.kind == KernelNode::Reduce && node.phase == phase + 1)
      reductions.push_back(number);
  return reductions;
}

SmallVector<unsigned> graph::getPhaseOutputs(const KernelPlan &plan,
                                             unsigned phase) {
  SmallVector<unsigned> outputs;
  for (auto [number, output] : llvm::enumerate(plan.outputs))
    if (output.isFull && output.phase == phase)
      outputs.push_back(number);
  return outputs;
}

SmallVector<unsigned> graph::getPhaseRoots(const KernelPlan &plan,
                                           unsigned phase) {
  SmallVector<unsigned> roots;
  for (unsigned reduction : getPhaseReductions(plan, phase))
    roots.push_back(plan.nodes[reduction].operands[0]);
  for (unsigned output : getPhaseOutputs(plan, phase))
    roots.push_back(plan.outputs[output].node);
  return roots;
}

std::optional<int64_t> graph::getLaneStep(const KernelPlan &plan,
                                          const AffineIndex &index,
                                          unsigned lane) {
  int64_t step = 0;
  for (AffineIndex::Term term : index.terms) {
    const KernelVariable &variable = plan.variables[term.variable];
    if (term.variable == lane) {
      step += term.coefficient;
    } else if (variable.kind == KernelVariable::Derived) {
      if (getLaneStep(plan, variable.index, lane) != 0)
        return std::nullopt;
    } else if (variable.kind == KernelVariable::Row) {
      if (plan.nodes[variable.node].variables >> lane & 1)
        return std::nullopt;
    }
  }
  return step;
}

bool graph::isAlignedIndex(const KernelPlan &plan, const AffineIndex &index,
                           unsigned lanes) {
  return index.offset % lanes == 0 &&
         llvm::all_of(index.terms, [&](AffineIndex::Term term) {
           return term.variable == plan.lane || term.coefficient % lanes == 0;
         });
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

static FailureOr<KernelPlan>
plan(KernelPlanner &planner, ArrayRef<Value> inputs, ArrayRef<Value> outputs,
     const KernelTarget &target, std::string *whyNot) {
  if (failed(planner.run(inputs, outputs)))
    return failure();
  KernelPlan plan = planner.takePlan();
  if (plan.contraction && !target.hasContraction()) {
    if (whyNot)
      *whyNot = "the target has no kernels for dots";
    return failure();
  }
  mergeVariables(plan);
  chooseSchedule(plan, target);
  analyzeCost(plan);
  choosePartition(plan, target);
  // Small kernels may repeat themselves.
  constexpr int64_t kNegligible = 1024;
  int64_t useful =
      plan.cost.flops + plan.cost.dotFlops - plan.cost.recomputedFlops;
  if (plan.cost.recomputedFlops >
      kNegligible + target.maxRecomputation * useful) {
    if (whyNot)
      *whyNot = "it would repeat " + std::to_string(plan.cost.recomputedFlops) +
                " floating-point operations beside " + std::to_string(useful);
    return failure();
  }
  return plan;
}

FailureOr<KernelPlan>
graph::planKernel(ArrayRef<Value> inputs, ArrayRef<Value> outputs,
                  function_ref<bool(Operation *)> isInside,
                  const KernelTarget &target, std::string *whyNot) {
  KernelPlanner planner(isInside, whyNot);
  return plan(planner, inputs, outputs, target, whyNot);
}

FailureOr<KernelPlan> graph::planKernel(ArrayRef<Operation *> ops,
                                        const KernelTarget &target,
                                        std::string *whyNot) {
  llvm::SmallPtrSet<Operation *, 16> inside(ops.begin(), ops.end());
  SmallVector<Value> outputs;
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(),
                       [&](Operation *user) { return !inside.contains(user); }))
        outputs.push_back(result);
  return planKernel(
      {}, outputs, [&](Operation *op) { return inside.contains(op); }, target,
      whyNot);
}

FailureOr<KernelPlan> graph::planKernel(FusionOp fusion,
                                        const KernelTarget &target,
                                        std::string *whyNot) {
  if (getFusedAttention(fusion))
    return planAttention(fusion, target, whyNot);
  Block &body = fusion.getBody().front();
  SmallVector<Value> inputs(body.getArguments());
  SmallVector<Value> outputs(fusion.getYielded());
  auto isInside = [&](Operation *op) { return op->getBlock() == &body; };
  KernelPlanner planner(isInside, whyNot);
  // A dot and its views are one thing: no view is computed on its own.
  if (getFusedDot(fusion))
    if (FailureOr<GemmForm> form = getGemmForm(fusion); succeeded(form))
      planner.setContraction(*form);
  return plan(planner, inputs, outputs, target, whyNot);
}
