//===- GraphAutodiff.cpp - Expand value_and_grad --------------------------===//
//
// Every value_and_grad is replaced by a copy of its callee, into which calls
// are inlined and to which ReverseMode appends the derivative. The copy keeps
// its arguments until the end: an operand that is passed twice is still two
// variables.
//
//===----------------------------------------------------------------------===//

#include "graph/Autodiff/Passes.h"

#include "ReverseMode.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace graph {
#define GEN_PASS_DEF_GRAPHAUTODIFF
#include "graph/Autodiff/Passes.h.inc"
} // namespace graph

using namespace mlir;
using namespace graph;

namespace {

struct GraphAutodiff : graph::impl::GraphAutodiffBase<GraphAutodiff> {
  using GraphAutodiffBase::GraphAutodiffBase;

  LogicalResult initialize(MLIRContext *) override {
    auto table = std::make_shared<VjpTable>();
    populateElementwiseVjps(*table);
    populateShapeVjps(*table);
    populateContractionVjps(*table);
    populateCompositeVjps(*table);
    rules = std::move(table);
    return success();
  }

  void runOnOperation() override {
    SymbolTable table(getOperation());
    symbols = &table;
    states.clear();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(expandIn(function)))
        return signalPassFailure();
  }

private:
  func::FuncOp lookup(FlatSymbolRefAttr callee) const {
    return symbols->lookup<func::FuncOp>(callee.getAttr());
  }

  /// Expands every value_and_grad in `function`, those in its callees first.
  LogicalResult expandIn(func::FuncOp function) {
    State &state = states[function];
    if (state == State::Done)
      return success();
    state = State::Entered;
    SmallVector<ValueAndGradOp> gradients;
    WalkResult walked = function.walk([&](Operation *op) -> WalkResult {
      if (auto call = dyn_cast<func::CallOp>(op))
        return enterCallee(op, call.getCalleeAttr());
      if (auto gradient = dyn_cast<ValueAndGradOp>(op)) {
        gradients.push_back(gradient);
        return enterCallee(op, gradient.getCalleeAttr());
      }
      return success();
    });
    if (walked.wasInterrupted())
      return failure();
    for (ValueAndGradOp gradient : gradients)
      if (failed(expand(gradient)))
        return failure();
    states[function] = State::Done;
    return success();
  }

  LogicalResult enterCallee(Operation *call, FlatSymbolRefAttr callee) {
    func::FuncOp function = lookup(callee);
    if (states.lookup(function) == State::Entered) {
      auto error = call->emitOpError("calls ")
                   << callee
                   << " recursively, expected a function that ends: a graph "
                      "has no condition to stop at";
      error.attachNote(function.getLoc()) << callee << " is defined here";
      return error;
    }
    return expandIn(function);
  }

  /// A copy of `callee` in which every call is inlined. `call` names it.
  FailureOr<OwningOpRef<func::FuncOp>> cloneFlat(Operation *call,
                                                 FlatSymbolRefAttr callee) {
    func::FuncOp function = lookup(callee);
    if (!llvm::hasSingleElement(function.getBody()))
      return call->emitOpError("cannot differentiate ")
             << callee << ": found " << function.getBody().getBlocks().size()
             << " blocks, expected one";
    OwningOpRef<func::FuncOp> clone = function.clone();
    SmallVector<func::CallOp> calls(clone->getOps<func::CallOp>());
    for (func::CallOp inner : calls) {
      auto body = cloneFlat(inner, inner.getCalleeAttr());
      if (failed(body))
        return failure();
      inlineBefore((*body)->getBody().front(), inner);
    }
    return clone;
  }

  /// Moves the operations of `body` before `call`, whose results become the
  /// operands of the terminator.
  static void inlineBefore(Block &body, Operation *call) {
    IRRewriter rewriter(call->getContext());
    Operation *terminator = body.getTerminator();
    rewriter.inlineBlockBefore(&body, call, call->getOperands());
    rewriter.replaceOp(call, terminator->getOperands());
    rewriter.eraseOp(terminator);
  }

  LogicalResult expand(ValueAndGradOp op) {
    auto clone = cloneFlat(op, op.getCalleeAttr());
    if (failed(clone))
      return failure();
    Block &body = (*clone)->getBody().front();
    Operation *terminator = body.getTerminator();
    SmallVector<Value> wrt = llvm::map_to_vector(
        op.getWrt(), [&](int64_t i) -> Value { return body.getArgument(i); });
    auto gradient = appendGradient(body, terminator->getOperand(0), wrt, *rules,
                                   subgradient, op.getLoc());
    if (failed(gradient))
      return failure();
    terminator->insertOperands(terminator->getNumOperands(), *gradient);
    inlineBefore(body, op);
    ++numExpanded;
    return success();
  }

  enum class State { Unknown, Entered, Done };

  /// Read only after `initialize`; shared by the copies of the pass.
  std::shared_ptr<const VjpTable> rules;
  SymbolTable *symbols = nullptr;
  llvm::DenseMap<Operation *, State> states;
};

} // namespace
