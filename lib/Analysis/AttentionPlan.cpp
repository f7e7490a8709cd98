//===- AttentionPlan.cpp - The blocks of an attention kernel --------------===//

#include "KernelPlanner.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace graph;

/// Queries or keys of a block on a CPU: tiles of them should stay in the
/// second-level cache, and each is used as often as the other has positions.
static int64_t getMaxBlock(const AttentionForm &form) {
  constexpr int64_t kShortHead = 128;
  return std::max(form.headSize, form.valueSize) <= kShortHead ? 64 : 32;
}

/// Seven products of the derivative, two of attention; half of it if causal.
static KernelCost getCost(const AttentionForm &form) {
  int64_t batches = form.getNumBatches();
  int64_t scores = batches * form.numQueries * form.numKeys;
  if (form.causal)
    scores /= 2;
  int64_t sizes = form.headSize + form.valueSize;
  int64_t bytes =
      llvm::divideCeil(form.query.elementType.getIntOrFloatBitWidth(), 8);
  int64_t queries = batches * form.numQueries * bytes;
  int64_t keys = batches * form.numKeys * bytes;
  KernelCost cost;
  cost.flops = scores * (form.isGrad ? 7 * sizes : 2 * sizes);
  cost.bytesRead = (queries + keys) * sizes;
  cost.bytesWritten =
      form.isGrad ? (queries + keys) * sizes : queries * form.valueSize;
  return cost;
}

FailureOr<KernelPlan> graph::planAttention(FusionOp fusion,
                                           const KernelTarget &target,
                                           std::string *whyNot) {
  FailureOr<AttentionForm> form = getAttentionForm(fusion);
  if (failed(form)) {
    if (whyNot)
      *whyNot = "an operand of the attention is no strided view";
    return failure();
  }
  KernelPlan plan;
  plan.hero = Hero::Attention;
  plan.inputs.assign(fusion.getBody().args_begin(),
                     fusion.getBody().args_end());
  for (Value value : fusion.getYielded())
    plan.outputs.push_back({value, 0, AffineIndex(), true, 0});
  plan.numLanes = target.vectorBits / 32;

  auto getBlock = [&](int64_t size) {
    return std::min<int64_t>(
        getMaxBlock(*form),
        llvm::alignTo(std::max<int64_t>(size, 1), plan.numLanes));
  };
  AttentionPlan attention = {*form, getBlock(form->numQueries),
                             getBlock(form->numKeys), 0, 0};
  if (!form->isGrad || form->dquery)
    attention.numQueryBlocks =
        llvm::divideCeil(form->numQueries, attention.queryBlock);
  if (form->isGrad && (form->dkey || form->dvalue))
    attention.numKeyBlocks =
        llvm::divideCeil(form->numKeys, attention.keyBlock);
  plan.partition.outerPoints =
      form->getNumBatches() *
      (attention.numQueryBlocks + attention.numKeyBlocks);
  plan.cost = getCost(*form);
  plan.attention = std::move(attention);
  return plan;
}
