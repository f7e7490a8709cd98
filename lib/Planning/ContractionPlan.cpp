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

/// The value whose memory `value` is under another shape.
static Value getMemory(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getOperand();
  return value;
}

SmallVector<std::pair<int64_t, KernelPlanner::DomainEntry>>
KernelPlanner::getLoops(ArrayRef<int64_t> batch, const MatrixView &view,
                        DomainEntry rows, DomainEntry columns) {
  SmallVector<std::pair<int64_t, DomainEntry>> loops;
  for (auto [i, size] : llvm::enumerate(batch))
    loops.push_back({view.batchStrides[i],
                     {size, KernelVariable::Parallel, static_cast<int>(i)}});
  loops.push_back({view.rowStride, rows});
  loops.push_back({view.columnStride, columns});
  llvm::erase_if(loops, [](const auto &loop) { return loop.second.size == 1; });
  llvm::sort(loops, [](const auto &lhs, const auto &rhs) {
    return lhs.first > rhs.first;
  });
  return loops;
}

void KernelPlanner::chooseContractionDomain() {
  const GemmForm &form = *contraction;
  for (const auto &[stride, entry] :
       getLoops(form.batch, form.c, {form.m, KernelVariable::Parallel, kRows},
                {form.n, KernelVariable::Parallel, kColumns}))
    domain.push_back(entry);
}

/// The operands and the variables of the plan.
LogicalResult KernelPlanner::planContraction() {
  ContractionPlan result;
  result.form = *contraction;
  for (bool isRhs : {false, true}) {
    Value memory = getMemory((isRhs ? contraction->b : contraction->a).base);
    if (Operation *op = memory.getDefiningOp(); !op || !isInside(op)) {
      (isRhs ? result.rhs : result.lhs) = getInput(memory);
      continue;
    }
    auto prologue = planPrologue(isRhs);
    if (failed(prologue))
      return failure();
    (isRhs ? result.rhsPrologue : result.lhsPrologue) = *prologue;
  }
  result.batch.resize(contraction->batch.size());
  for (auto [variable, entry] : llvm::zip_equal(plan.domain, domain))
    (entry.role == kRows      ? result.rows
     : entry.role == kColumns ? result.columns
                              : result.batch[entry.role])
        .push_back(variable);
  plan.contraction = std::move(result);
  plan.hero = Hero::Contraction;
  return success();
}

/// The index along the product's rows or columns.
AffineIndex KernelPlanner::getRolePosition(int role) const {
  // The plan's first variables are those of the domain.
  return getPosition(
      [&](unsigned variable) { return domain[variable].role == role; });
}

/// Whether the dimensions that are reduced all come before (`isFirst`) or after
/// those that are kept.
static bool reducesOneSide(ReduceOp reduce, bool &isFirst) {
  SmallVector<bool> isReduced;
  for (auto [dim, size] :
       llvm::enumerate(reduce.getOperand().getType().getShape()))
    if (size != 1)
      isReduced.push_back(
          llvm::is_contained(reduce.getDims(), static_cast<int64_t>(dim)));
  isFirst = !isReduced.empty() && isReduced.front();
  return llvm::is_sorted(isReduced) ||
         llvm::is_sorted(isReduced, std::greater<>());
}

/// Whether the product reads all that `reduce` adds up, with the same elements
/// along k; remembers it then. Where extents are 1 the two are hard to tell
/// apart, and there is little to gain.
bool KernelPlanner::findOperandSum(ReduceOp reduce) {
  const GemmForm &form = *contraction;
  bool isFirst = false;
  if (reduce.getKind() != ReduceKind::sum || !form.batch.empty() ||
      std::min({form.m, form.n, form.k}) == 1 ||
      !reducesOneSide(reduce, isFirst))
    return false;
  for (bool isRhs : {false, true}) {
    const MatrixView &view = isRhs ? form.b : form.a;
    int64_t outer = isRhs ? form.n : form.m;
    int64_t outerStride = isRhs ? view.columnStride : view.rowStride;
    int64_t depthStride = isRhs ? view.rowStride : view.columnStride;
    bool isSame = isFirst ? outerStride == 1 && depthStride == outer
                          : depthStride == 1 && outerStride == form.k;
    if (getMemory(view.base) != getMemory(reduce.getOperand()) ||
        view.offset != 0 || !isSame ||
        reduce.getType().getNumElements() != outer ||
        reduce.getOperand().getType().getNumElements() != outer * form.k)
      continue;
    operandSum = reduce;
    sumsRhs = isRhs;
    return true;
  }
  return false;
}

/// The threads that add an operand's elements know the sums of their own place
/// only.
FailureOr<unsigned>
KernelPlanner::evaluateOperandSum(const AffineIndex &index) {
  if (!(index == getRolePosition(getSumRole())))
    return fail("a sum of a dot's operand is needed at other than its own "
                "element");
  unsigned node =
      addNode({KernelNode::OperandSum, operandSum.getResult(), index});
  plan.contraction->operandSum = {sumsRhs, node};
  return node;
}

/// A thread has the sum of its own place only.
FailureOr<unsigned> KernelPlanner::evaluateDot(const AffineIndex &index) {
  if (!(index == getDomainPosition(KernelVariable::Parallel)))
    return fail("a dot's result is needed at other than its own element");
  plan.contraction->node =
      addNode({KernelNode::Dot, contraction->c.base, index});
  return plan.contraction->node;
}

/// All that the kernel computes depends on the dot.
LogicalResult KernelPlanner::checkContraction() {
  for (const KernelOutput &output : plan.outputs) {
    bool usesDot = false, usesSum = false;
    walkNodes(
        plan, {output.node}, [](unsigned) { return false; },
        [&](unsigned node, bool) {
          usesDot |= plan.nodes[node].kind == KernelNode::Dot;
          usesSum |= plan.nodes[node].kind == KernelNode::OperandSum;
        });
    if (output.isFull && usesSum)
      return fail("elements of a dot's result need the sum of an operand");
    if (!usesDot && !usesSum)
      return fail("a result of the dot's kernel does not depend on the dot");
  }
  return success();
}
