//===- ContractionPlan.cpp - Kernels around a dot -------------------------===//
//
// The domain of such a kernel is that of the product's result, in the order in
// which its elements lie in memory: batch dimensions, m and n, in decreasing
// order of their strides in c.
//
//===----------------------------------------------------------------------===//

#include "KernelPlanner.h"

using namespace mlir;
using namespace graph;

void KernelPlanner::chooseContractionDomain() {
  const GemmForm &form = *contraction;
  SmallVector<std::pair<int64_t, DomainEntry>> loops;
  auto add = [&](int64_t size, int64_t stride, int role) {
    if (size != 1)
      loops.push_back({stride, {size, KernelVariable::Parallel, role}});
  };
  for (auto [i, size] : llvm::enumerate(form.batch))
    add(size, form.c.batchStrides[i], static_cast<int>(i));
  add(form.m, form.c.rowStride, kRows);
  add(form.n, form.c.columnStride, kColumns);
  llvm::stable_sort(loops, [](const auto &lhs, const auto &rhs) {
    return lhs.first > rhs.first;
  });
  for (const auto &[stride, entry] : loops)
    domain.push_back(entry);
}

/// The value whose memory `value` is under another shape.
static Value getMemory(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getOperand();
  return value;
}

/// The operands and the variables of the plan.
void KernelPlanner::planContraction() {
  ContractionPlan result;
  result.form = *contraction;
  result.lhs = getInput(getMemory(contraction->a.base));
  result.rhs = getInput(getMemory(contraction->b.base));
  result.batch.resize(contraction->batch.size());
  for (auto [variable, entry] : llvm::zip_equal(plan.domain, domain))
    (entry.role == kRows      ? result.rows
     : entry.role == kColumns ? result.columns
                              : result.batch[entry.role])
        .push_back(variable);
  plan.contraction = std::move(result);
  plan.hero = Hero::Contraction;
}

/// A thread has the sum of its own place only.
FailureOr<unsigned> KernelPlanner::evaluateDot(const AffineIndex &index) {
  if (!(index == getDomainPosition(KernelVariable::Parallel)))
    return fail("a dot's result is needed at other than its own element");
  plan.contraction->node =
      addNode({KernelNode::Dot, contraction->c.base, index});
  return plan.contraction->node;
}

/// The operands are in memory before the kernel starts, and all that it
/// computes depends on the dot.
LogicalResult KernelPlanner::checkContraction() {
  for (Value base : {contraction->a.base, contraction->b.base})
    if (Operation *op = getMemory(base).getDefiningOp(); op && isInside(op))
      return fail("a dot's operand would be computed in its kernel");
  for (const KernelOutput &output : plan.outputs) {
    bool usesDot = false;
    walkNodes(
        plan, {output.node}, [](unsigned) { return false; },
        [&](unsigned node, bool) {
          usesDot |= plan.nodes[node].kind == KernelNode::Dot;
        });
    if (!usesDot)
      return fail("a result of the dot's kernel does not depend on the dot");
  }
  return success();
}
