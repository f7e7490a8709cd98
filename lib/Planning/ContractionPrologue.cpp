//===- ContractionPrologue.cpp - Operands computed as they are read -------===//
//
// An operand that is computed in the kernel of its dot is a small plan of its
// own. Its domain is the operand's memory as it would be: the loops of the
// product that move through it, in decreasing order of their strides. They must
// cover the value exactly; of a part, or of overlapping windows, the kernel
// would compute too much or the wrong elements.
//
//===----------------------------------------------------------------------===//

#include "KernelPlanner.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace graph;

static int64_t getBytes(Value value) {
  return llvm::divideCeil(getElementTypeOrSelf(value).getIntOrFloatBitWidth(),
                          8);
}

/// Whether loads along the lane variable are coalesced, and nothing is computed
/// but elements from elements.
static bool isElementwise(const KernelPlan &plan) {
  return plan.variables.size() == plan.domain.size() &&
         llvm::all_of(plan.nodes, [&](const KernelNode &node) {
           switch (node.kind) {
           case KernelNode::Load: {
             std::optional<int64_t> step =
                 getLaneStep(plan, node.index, *plan.lane);
             return step == 0 || step == 1;
           }
           case KernelNode::Constant:
           case KernelNode::Position:
           case KernelNode::Elementwise:
             return true;
           default:
             return false;
           }
         });
}

/// The elements that a thread computes at once: those of one access of 16 bytes
/// to the widest of what it loads and stores, if all are aligned.
static unsigned chooseLanes(const KernelPlan &plan) {
  constexpr int64_t kAccessBytes = 16;
  int64_t bytes = getBytes(plan.outputs[0].value);
  for (const KernelNode &node : plan.nodes)
    if (node.kind == KernelNode::Load)
      bytes = std::max(bytes, getBytes(node.value));
  unsigned lanes = kAccessBytes / bytes;
  auto isAligned = [&] {
    return plan.variables[*plan.lane].size % lanes == 0 &&
           llvm::all_of(plan.nodes, [&](const KernelNode &node) {
             return node.kind != KernelNode::Load ||
                    getLaneStep(plan, node.index, *plan.lane) == 0 ||
                    isAlignedIndex(plan, node.index, lanes);
           });
  };
  while (lanes > 1 && !isAligned())
    lanes /= 2;
  return lanes;
}

/// Plans the elements of `operand` over a domain that is set already.
LogicalResult KernelPlanner::planElements(ArrayRef<Value> inputs,
                                          Value operand) {
  startPlan(inputs);
  if (failed(planOutput(operand)))
    return fail("a dot's operand has no elementwise form");
  plan.lane = plan.domain.back();
  if (!isElementwise(plan))
    return fail("a dot's operand is not computed by contiguous elementwise "
                "operations");
  plan.numLanes = chooseLanes(plan);
  return success();
}

FailureOr<std::shared_ptr<const OperandPlan>>
KernelPlanner::planPrologue(bool isRhs) {
  const GemmForm &form = *contraction;
  const MatrixView &view = isRhs ? form.b : form.a;
  DomainEntry outer = {isRhs ? form.n : form.m, KernelVariable::Parallel,
                       kRows};
  DomainEntry depth = {form.k, KernelVariable::Parallel, kColumns};
  auto loops =
      getLoops(form.batch, view, isRhs ? depth : outer, isRhs ? outer : depth);
  llvm::erase_if(loops, [](const auto &loop) { return loop.first == 0; });

  int64_t size = 1;
  bool isDense = !loops.empty() && loops.back().second.role < 0;
  for (const auto &[stride, entry] : llvm::reverse(loops)) {
    isDense &= stride == size;
    size *= entry.size;
  }
  auto type = cast<RankedTensorType>(view.base.getType());
  if (!isDense || view.offset != 0 || size != type.getNumElements())
    return fail("a dot would compute an operand of which it reads a part");

  KernelPlanner nested(isInside, whyNot);
  for (const auto &[stride, entry] : loops)
    nested.domain.push_back(entry);
  if (failed(nested.planElements(plan.inputs, view.base)))
    return failure();
  auto prologue = std::make_shared<OperandPlan>();
  prologue->plan = nested.takePlan();
  prologue->batch.resize(form.batch.size());
  for (auto [variable, entry] :
       llvm::zip_equal(prologue->plan.domain, nested.domain))
    (entry.role == kRows      ? prologue->outer
     : entry.role == kColumns ? prologue->depth
                              : prologue->batch[entry.role]) = variable;
  plan.inputs = prologue->plan.inputs;
  return std::shared_ptr<const OperandPlan>(std::move(prologue));
}
