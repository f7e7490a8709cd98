//===- AttentionPlan.cpp - The blocks of an attention kernel --------------===//

#include "KernelPlanner.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace graph;

/// Bytes of tiles of `block` queries and keys: query, key, value and result,
/// or for the derivative six of its ten, since a GPU reads both ways; scores.
static int64_t getTileBytes(const AttentionForm &form, int64_t block) {
  int64_t sizes = form.headSize + form.valueSize;
  int64_t elements = form.isGrad ? block * (3 * sizes + 2 * block)
                                 : block * (2 * sizes + block);
  return 4 * (elements + (form.mask ? block * block : 0));
}

/// Sets how many queries and keys a block has, and who computes it.
static void chooseBlocks(KernelPlan &plan, AttentionPlan &attention,
                         const KernelTarget &target) {
  const AttentionForm &form = attention.form;
  if (target.isCUDA()) {
    // The largest block that leaves room in 48 KiB for the padding of rows.
    constexpr int64_t kSharedBytes = 44 * 1024, kSmallest = 8;
    int64_t block = 32;
    while (block > kSmallest && getTileBytes(form, block) > kSharedBytes)
      block /= 2;
    attention.queryBlock = attention.keyBlock = block;
    plan.threads = {static_cast<unsigned>(std::min<int64_t>(block, 16)), 8};
    plan.numLanes = 1;
    return;
  }
  // Tiles should stay in the second-level cache; each is used as often as the
  // other has positions.
  constexpr int64_t kShortHead = 128;
  plan.numLanes = target.vectorBits / 32;
  int64_t block = std::max<int64_t>(
      std::max(form.headSize, form.valueSize) <= kShortHead ? 64 : 32,
      plan.numLanes);
  auto cut = [&](int64_t size) -> int64_t {
    return std::min<int64_t>(
        block, llvm::alignTo(std::max<int64_t>(size, 1), plan.numLanes));
  };
  attention.queryBlock = cut(form.numQueries);
  attention.keyBlock = cut(form.numKeys);
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

  AttentionPlan attention = {*form, 0, 0, 0, 0};
  chooseBlocks(plan, attention, target);
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
