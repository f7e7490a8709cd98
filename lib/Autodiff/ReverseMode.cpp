//===- ReverseMode.cpp - The derivative of straight-line code -------------===//
//
// One sweep forward finds the active values, those that an operand in `wrt`
// influences through floating-point values; one sweep backward applies the rule
// of every operation of which a result has a cotangent. An operation without a
// rule is opened first if it has a decomposition.
//
//===----------------------------------------------------------------------===//

#include "ReverseMode.h"

using namespace mlir;
using namespace graph;

static bool isDifferentiable(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa<FloatType>(tensor.getElementType());
}

static llvm::DenseSet<Value> findActive(Block &block, ArrayRef<Value> wrt) {
  llvm::DenseSet<Value> active(wrt.begin(), wrt.end());
  for (Operation &op : block)
    if (llvm::any_of(op.getOperands(),
                     [&](Value operand) { return active.contains(operand); }))
      for (Value result : op.getResults())
        if (isDifferentiable(result.getType()))
          active.insert(result);
  return active;
}

/// Replaces every active operation that has no rule by its decomposition, whose
/// operations have, if it has one.
static void openWithoutRule(Block &block, ArrayRef<Value> wrt,
                            const VjpTable &rules) {
  llvm::DenseSet<Value> active = findActive(block, wrt);
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto decomposable = dyn_cast<DecomposableOpInterface>(op);
    if (!decomposable || rules.lookup(op.getName()) ||
        llvm::none_of(op.getResults(),
                      [&](Value result) { return active.contains(result); }))
      continue;
    ImplicitLocOpBuilder b(op.getLoc(), &op);
    op.replaceAllUsesWith(decomposable.decompose(b));
    op.erase();
  }
}

FailureOr<SmallVector<Value>> graph::appendGradient(Block &block, Value loss,
                                                    ArrayRef<Value> wrt,
                                                    const VjpTable &rules,
                                                    Subgradient subgradient,
                                                    Location request) {
  openWithoutRule(block, wrt, rules);
  llvm::DenseSet<Value> active = findActive(block, wrt);
  SmallVector<Operation *> tape = llvm::map_to_vector(
      block.without_terminator(), [](Operation &op) { return &op; });

  auto b = ImplicitLocOpBuilder::atBlockTerminator(request, &block);
  llvm::DenseMap<Value, Tensor> cotangents;
  if (active.contains(loss))
    cotangents[loss] = full(b, cast<RankedTensorType>(loss.getType()), 1);

  for (Operation *op : llvm::reverse(tape)) {
    auto ofResults = llvm::map_to_vector(op->getResults(), [&](Value result) {
      return cotangents.lookup(result);
    });
    if (llvm::none_of(ofResults, [](Tensor g) { return bool(g); }))
      continue;
    const VjpTable::Rule *rule = rules.lookup(op->getName());
    if (!rule) {
      auto error = op->emitOpError("has no derivative, expected an operation "
                                   "with a VJP rule");
      error.attachNote(request) << "it is on the path to the first result of "
                                   "the function that is differentiated here";
      return error;
    }
    b.setLoc(op->getLoc());
    (*rule)({op, ofResults, subgradient,
             [&](unsigned operand) {
               return active.contains(op->getOperand(operand));
             },
             [&](unsigned operand, Tensor cotangent) {
               Value value = op->getOperand(operand);
               assert(cotangent.getType() == value.getType() &&
                      "a cotangent has the type of its value");
               Tensor &sum = cotangents[value];
               sum = sum ? sum + cotangent : cotangent;
             }});
  }

  b.setLoc(request);
  return llvm::map_to_vector(wrt, [&](Value argument) -> Value {
    if (Tensor cotangent = cotangents.lookup(argument))
      return cotangent;
    return full(b, cast<RankedTensorType>(argument.getType()), 0);
  });
}
