//===- MergeVariables.cpp - Joins neighbouring loops ----------------------===//

#include "KernelPlanner.h"

using namespace mlir;
using namespace graph;

/// Every position that emitted code will compute.
static void forEachIndex(KernelPlan &plan,
                         function_ref<void(AffineIndex &)> visit) {
  for (KernelVariable &variable : plan.variables)
    visit(variable.index);
  for (KernelNode &node : plan.nodes) {
    visit(node.index);
    for (Alternative &alternative : node.alternatives)
      for (Guard &guard : alternative.guards)
        visit(guard.index);
  }
  for (KernelOutput &output : plan.outputs)
    visit(output.index);
}

void graph::mergeVariables(KernelPlan &plan) {
  // The variables of a scatter and of a contraction keep their roles.
  if (plan.scatter || plan.contraction)
    return;
  for (size_t i = plan.domain.size(); i-- > 1;) {
    unsigned outer = plan.domain[i - 1], inner = plan.domain[i];
    KernelVariable &outerVariable = plan.variables[outer];
    KernelVariable &innerVariable = plan.variables[inner];
    bool isJoint = outerVariable.kind == innerVariable.kind;
    forEachIndex(plan, [&](AffineIndex &index) {
      isJoint &= index.getCoefficient(outer) ==
                 index.getCoefficient(inner) * innerVariable.size;
    });
    if (!isJoint)
      continue;
    forEachIndex(plan, [&](AffineIndex &index) {
      index.substitute(outer, AffineIndex::constant(0));
    });
    innerVariable.size *= outerVariable.size;
    outerVariable.size = 1;
    plan.domain.erase(plan.domain.begin() + (i - 1));
    for (KernelNode &node : plan.nodes)
      if (node.variables >> outer & 1)
        node.variables = (node.variables & ~(VariableSet(1) << outer)) |
                         VariableSet(1) << inner;
  }
}
