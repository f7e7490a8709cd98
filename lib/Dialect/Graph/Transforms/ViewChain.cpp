//===- ViewChain.cpp - Views between an operation and memory --------------===//

#include "ViewChain.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace graph;

ViewChain graph::getOperandViews(Value operand) {
  ViewChain chain = {getStridedView(operand)};
  for (Value value = operand; value != chain.view.base;) {
    chain.ops.insert(chain.ops.begin(), value.getDefiningOp());
    value = value.getDefiningOp()->getOperand(0);
  }
  auto *view = llvm::find_if_not(chain.ops, llvm::IsaPred<ReshapeOp>);
  chain.ops.erase(chain.ops.begin(), view);
  if (chain.ops.empty())
    chain.view = StridedView::identity(operand);
  else
    chain.view.base = chain.ops.front()->getOperand(0);
  return chain;
}

ViewChain graph::getResultViews(Value result) {
  SmallVector<Operation *> users, chain;
  Value end = result;
  while (end.hasOneUse() && isa<TransposeOp, ReshapeOp>(*end.user_begin())) {
    users.push_back(*end.user_begin());
    end = users.back()->getResult(0);
    if (isa<TransposeOp>(users.back()))
      chain = users;
  }
  // The longest part of the chain that one view expresses.
  for (; !chain.empty(); chain.pop_back()) {
    StridedView view = StridedView::identity(chain.back()->getResult(0));
    bool isView = llvm::all_of(llvm::reverse(chain), [&](Operation *op) {
      return succeeded(view.applyInverse(op));
    });
    if (isView && isa<TransposeOp>(chain.back()))
      return {view, chain};
  }
  return {StridedView::identity(result)};
}

Value graph::cloneViews(OpBuilder &builder, ArrayRef<Operation *> ops,
                        Value value) {
  for (Operation *op : ops) {
    IRMapping mapping;
    mapping.map(op->getOperand(0), value);
    value = builder.clone(*op, mapping)->getResult(0);
  }
  return value;
}

void graph::eraseUnusedViews(ArrayRef<ArrayRef<Operation *>> chains) {
  // Several operands may share views.
  llvm::SmallSetVector<Operation *, 8> views;
  for (ArrayRef<Operation *> chain : chains)
    views.insert(chain.rbegin(), chain.rend());
  for (Operation *op : views)
    if (op->use_empty())
      op->erase();
}
