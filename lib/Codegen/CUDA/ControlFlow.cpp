//===- ControlFlow.cpp - Loops and branches on integers -------------------===//

#include "ControlFlow.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace graph;
using namespace graph::cuda;

SmallVector<Value>
cuda::emitLoop(ImplicitLocOpBuilder &b, int64_t begin, int64_t end,
               ValueRange init,
               function_ref<SmallVector<Value>(Int, ArrayRef<Value>)> body) {
  auto loop =
      scf::ForOp::create(b, Int(b, begin), Int(b, end), Int(b, 1), init);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> carried(loop.getRegionIterArgs());
  SmallVector<Value> next = body(Int(b, loop.getInductionVar()), carried);
  if (!init.empty())
    scf::YieldOp::create(b, next);
  return SmallVector<Value>(loop.getResults());
}

void cuda::emitLoop(ImplicitLocOpBuilder &b, int64_t begin, int64_t end,
                    function_ref<void(Int)> body) {
  emitLoop(b, begin, end, {}, [&](Int i, ArrayRef<Value>) {
    body(i);
    return SmallVector<Value>();
  });
}

void cuda::emitIf(ImplicitLocOpBuilder &b, Value condition,
                  function_ref<void()> body) {
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(b, condition);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

void cuda::emitIfElse(ImplicitLocOpBuilder &b, Value condition,
                      function_ref<void()> body,
                      function_ref<void()> otherwise) {
  auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
  b.setInsertionPointToStart(branch.elseBlock());
  otherwise();
}

SmallVector<Value>
cuda::emitIfElseZero(ImplicitLocOpBuilder &b, Value condition,
                     function_ref<SmallVector<Value>()> body) {
  // The types are known when the body has been emitted.
  auto draft = scf::IfOp::create(b, condition);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(draft.thenYield());
  SmallVector<Value> values = body();
  if (values.empty())
    return {};
  b.setInsertionPoint(draft);
  auto branch = scf::IfOp::create(b, ValueRange(values).getTypes(), condition,
                                  /*withElseRegion=*/true);
  Block *then = branch.thenBlock();
  then->getOperations().splice(
      then->begin(), draft.thenBlock()->getOperations(),
      draft.thenBlock()->begin(), std::prev(draft.thenBlock()->end()));
  draft.erase();
  b.setInsertionPointToEnd(then);
  scf::YieldOp::create(b, values);
  b.setInsertionPointToStart(branch.elseBlock());
  SmallVector<Value> zeros = llvm::map_to_vector(values, [&](Value value) {
    return Value(arith::ConstantOp::create(b, b.getZeroAttr(value.getType())));
  });
  scf::YieldOp::create(b, zeros);
  return SmallVector<Value>(branch.getResults());
}

void cuda::emitUntil(ImplicitLocOpBuilder &b, function_ref<Value()> test) {
  auto loop = scf::WhileOp::create(b, TypeRange(), ValueRange());
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&loop.getBefore());
  Value yes = arith::ConstantOp::create(b, b.getBoolAttr(true));
  Value isNotYet = arith::XOrIOp::create(b, test(), yes);
  scf::ConditionOp::create(b, isNotYet, ValueRange());
  b.createBlock(&loop.getAfter());
  scf::YieldOp::create(b);
}
