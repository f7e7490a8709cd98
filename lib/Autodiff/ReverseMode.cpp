//===- ReverseMode.cpp - The derivative of straight-line code -------------===//
//
// One sweep forward finds the active values, those that an operand in `wrt`
// influences through floating-point values; one sweep backward applies the rule
// of every operation whose result has a cotangent.
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

FailureOr<SmallVector<Value>> graph::appendGradient(Block &block, Value loss,
                                                    ArrayRef<Value> wrt,
                                                    const VjpTable &rules,
                                                    Subgradient subgradient,
                                                    Location request) {
  llvm::DenseSet<Value> active = findActive(block, wrt);
  SmallVector<Operation *> tape = llvm::map_to_vector(
      block.without_terminator(), [](Operation &op) { return &op; });

  auto b = ImplicitLocOpBuilder::atBlockTerminator(request, &block);
  llvm::DenseMap<Value, Tensor> cotangents;
  if (active.contains(loss))
    cotangents[loss] = full(b, cast<RankedTensorType>(loss.getType()), 1);

  for (Operation *op : llvm::reverse(tape)) {
    // Several results only have operations without a rule.
    auto result = llvm::find_if(op->getResults(), [&](Value value) {
      return cotangents.contains(value);
    });
    if (result == op->getResults().end())
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
    (*rule)({op, cotangents[*result], subgradient,
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
