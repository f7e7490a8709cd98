//===- PrepareAttention.cpp - Give every attention its kernel -------------===//
//
// Puts every attention that has a kernel into a fusion with the views through
// which it reads its operands and writes its results. A view along which the
// elements of a head do not lie together stays outside: it becomes a copy.
//
//===----------------------------------------------------------------------===//

#include "ViewChain.h"
#include "graph/Analysis/AttentionForm.h"
#include "graph/Dialect/Graph/Transforms/Passes.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SetVector.h"

namespace graph {
#define GEN_PASS_DEF_GRAPHPREPAREATTENTION
#include "graph/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace graph

using namespace mlir;
using namespace graph;

/// Whether the elements of a row lie together.
static bool hasContiguousRows(const ViewChain &chain) {
  const StridedView &view = chain.view;
  return view.shape.empty() || view.shape.back() <= 1 ||
         view.strides.back() == 1;
}

/// The views of a matrix operand or result that move into the fusion.
static SmallVector<Operation *> getFusedViews(ViewChain chain) {
  return hasContiguousRows(chain) ? chain.ops : SmallVector<Operation *>();
}

namespace {
struct PrepareAttention
    : graph::impl::GraphPrepareAttentionBase<PrepareAttention> {
  using GraphPrepareAttentionBase::GraphPrepareAttentionBase;

  void runOnOperation() override {
    for (Block &block : getOperation().getBody())
      for (auto op : llvm::to_vector(block.getOps<AttentionOpInterface>()))
        if (hasAttentionKernel(op))
          wrap(op);
  }

  static void wrap(Operation *op);
};
} // namespace

void PrepareAttention::wrap(Operation *op) {
  SmallVector<SmallVector<Operation *>> operandViews, resultViews;
  // One block argument for the memory of several operands.
  llvm::SmallSetVector<Value, 4> memory;
  SmallVector<Value> bases;
  for (Value operand : op->getOperands()) {
    auto &views =
        operandViews.emplace_back(getFusedViews(getOperandViews(operand)));
    bases.push_back(views.empty() ? operand : views.front()->getOperand(0));
    memory.insert(bases.back());
  }
  // Results that are used, and the last view of each.
  SmallVector<OpResult> used;
  SmallVector<Value> ends;
  for (OpResult result : op->getResults()) {
    if (result.use_empty())
      continue;
    used.push_back(result);
    auto &views =
        resultViews.emplace_back(getFusedViews(getResultViews(result)));
    ends.push_back(views.empty() ? Value(result) : views.back()->getResult(0));
  }

  ImplicitLocOpBuilder builder(op->getLoc(), op);
  auto fusion =
      FusionOp::create(builder, TypeRange(ends), memory.getArrayRef());
  Block &body = fusion.getBody().emplaceBlock();
  for (Value value : memory)
    body.addArgument(value.getType(), value.getLoc());
  builder.setInsertionPointToStart(&body);
  SmallVector<Value> operands;
  for (auto [base, views] : llvm::zip_equal(bases, operandViews)) {
    Value argument =
        body.getArgument(llvm::find(memory, base) - memory.begin());
    operands.push_back(cloneViews(builder, views, argument));
  }
  Operation *fused = builder.clone(*op);
  fused->setOperands(operands);
  SmallVector<Value> yielded;
  for (auto [result, views] : llvm::zip_equal(used, resultViews))
    yielded.push_back(
        cloneViews(builder, views, fused->getResult(result.getResultNumber())));
  YieldOp::create(builder, yielded);

  for (auto [end, views, value] :
       llvm::zip_equal(ends, resultViews, fusion.getResults())) {
    end.replaceAllUsesWith(value);
    for (Operation *view : llvm::reverse(views))
      view->erase();
  }
  op->erase();
  eraseUnusedViews(SmallVector<ArrayRef<Operation *>>(operandViews.begin(),
                                                      operandViews.end()));
}
