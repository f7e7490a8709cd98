//===- AttentionPlan.cpp - The blocks of an attention kernel --------------===//

#include "KernelPlanner.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace graph;

static constexpr int64_t kMaxHeadSize = 256;
/// CUDA: threads that have a row together.
static constexpr int64_t kTeamSize = 8;
/// Tiles become smaller until they take no more shared memory than this, so
/// that several blocks fit on a multiprocessor; the smallest ones may take
/// more, for the largest heads 52 KiB.
static constexpr int64_t kSharedBytes = 48 * 1024;
static constexpr int64_t kLargestBlock = 32, kSmallestBlock = 8;

/// Bytes of shared memory for `block` queries and keys: tiles of query, key,
/// value and result, or for the derivative of those, their cotangents and both
/// factors; tiles of scores; numbers of rows, one for each thread, and columns.
static int64_t getSharedBytes(const AttentionForm &form, int64_t block) {
  // At most what TileEmitter::getRowStride returns.
  auto getRow = [](int64_t size) -> int64_t {
    return llvm::alignTo(size, kTeamSize) | kTeamSize;
  };
  int64_t heads = getRow(form.headSize) + getRow(form.valueSize);
  int64_t scores = getRow(block);
  int64_t row = form.isGrad ? 3 * heads + 2 * scores + 2 * kTeamSize + 2
                            : 2 * heads + scores + 2 * kTeamSize;
  return 4 * block * (row + (form.mask ? scores + kTeamSize : 0));
}

bool graph::hasAttentionKernel(AttentionOpInterface op) {
  auto query = cast<RankedTensorType>(op.getQuery().getType());
  auto value = cast<RankedTensorType>(op.getValue().getType());
  auto isSupported = [](int64_t size) {
    return size >= 1 && size <= kMaxHeadSize;
  };
  return query.getElementTypeBitWidth() <= 32 &&
         isSupported(query.getShape().back()) &&
         isSupported(value.getShape().back());
}

/// Whether tensor cores can compute attention: in bf16 or f16, without a mask,
/// where the tiles of 64 queries and keys fit into shared memory.
static bool suitsTensorCores(const AttentionForm &form) {
  auto isSupported = [](int64_t size) { return size >= 8 && size <= 128; };
  auto isContiguous = [](const std::optional<AttentionMatrix> &matrix) {
    return !matrix || matrix->columnStride == 1;
  };
  return !form.isGrad && !form.mask && form.numKeys > 0 &&
         form.query.elementType.getIntOrFloatBitWidth() == 16 &&
         isSupported(form.headSize) && isSupported(form.valueSize) &&
         isContiguous(form.query) && isContiguous(form.key) &&
         isContiguous(form.value) && isContiguous(form.result);
}

/// Sets how many queries and keys a block has, and who computes it.
static void chooseBlocks(KernelPlan &plan, AttentionPlan &attention,
                         const KernelTarget &target) {
  const AttentionForm &form = attention.form;
  if (target.isCUDA() && suitsTensorCores(form)) {
    // Four warps of 16 queries each; a team has a row of mma.sync's results.
    attention.usesTensorCores = true;
    attention.queryBlock = attention.keyBlock = 64;
    plan.threads = {/*teams=*/32, /*teamSize=*/4};
    plan.numLanes = 1;
    return;
  }
  if (target.isCUDA()) {
    int64_t block = kLargestBlock;
    while (block > kSmallestBlock && getSharedBytes(form, block) > kSharedBytes)
      block /= 2;
    attention.queryBlock = attention.keyBlock = block;
    plan.threads = {static_cast<unsigned>(std::min<int64_t>(block, 16)),
                    static_cast<unsigned>(kTeamSize)};
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
