//===- Interpreter.cpp - Evaluation of functions in double ----------------===//

#include "graph/Reference/Interpreter.h"

#include "Evaluators.h"
#include "graph/Dialect/Graph/IR/GraphOps.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace graph;

namespace {

using Results = SmallVector<ReferenceTensor>;

/// The values of one block. A value is dropped after its last use.
class Frame {
public:
  Frame(Block &block, Results arguments) {
    for (auto [argument, tensor] :
         llvm::zip_equal(block.getArguments(), arguments))
      define(argument, std::move(tensor));
  }

  void define(Value value, ReferenceTensor tensor) {
    if (!value.use_empty())
      values.try_emplace(value, std::move(tensor));
  }
  const ReferenceTensor &get(Value value) const {
    return values.find(value)->second;
  }
  void release(Operation *user) {
    for (OpOperand &operand : user->getOpOperands()) {
      Value value = operand.get();
      // Uses are in one block and evaluated in order.
      if (++numUsesSeen[value] ==
          std::distance(value.use_begin(), value.use_end())) {
        values.erase(value);
        numUsesSeen.erase(value);
      }
    }
  }

private:
  DenseMap<Value, ReferenceTensor> values;
  DenseMap<Value, unsigned> numUsesSeen;
};

class Interpreter {
public:
  explicit Interpreter(const EvaluateOptions &options) : options(options) {}

  FailureOr<Results> call(func::FuncOp function, Results arguments,
                          Location caller) {
    if (function.isExternal())
      return emitError(caller)
             << "function @" << function.getSymName() << " has no body";
    if (!active.insert(function))
      return emitError(caller)
             << "function @" << function.getSymName() << " calls itself";
    FailureOr<Results> results =
        evaluateBlock(function.getBody().front(), std::move(arguments));
    active.remove(function);
    return results;
  }

  LogicalResult checkSize(Type type, Location loc) {
    int64_t numElements = cast<ShapedType>(type).getNumElements();
    if (numElements <= options.maxElements)
      return success();
    return emitError(loc) << "a tensor of type " << type << " has "
                          << numElements
                          << " elements, the interpreter's limit is "
                          << options.maxElements;
  }

private:
  FailureOr<Results> evaluateBlock(Block &block, Results arguments) {
    Frame frame(block, std::move(arguments));
    for (Operation &op : block.without_terminator()) {
      for (Type type : op.getResultTypes())
        if (failed(checkSize(type, op.getLoc())))
          return failure();
      FailureOr<Results> results = evaluateOp(&op, frame);
      if (failed(results))
        return failure();
      if (options.onResults)
        options.onResults(&op, getPointers(&op, frame), *results);
      frame.release(&op);
      for (auto [value, tensor] : llvm::zip_equal(op.getResults(), *results))
        frame.define(value, std::move(tensor));
    }
    return getOperands(block.getTerminator(), frame);
  }

  static SmallVector<const ReferenceTensor *> getPointers(Operation *op,
                                                          const Frame &frame) {
    return llvm::map_to_vector(op->getOperands(),
                               [&](Value value) { return &frame.get(value); });
  }
  static Results getOperands(Operation *op, const Frame &frame) {
    return llvm::map_to_vector(op->getOperands(),
                               [&](Value value) { return frame.get(value); });
  }

  FailureOr<Results> evaluateOp(Operation *op, const Frame &frame) {
    if (getEvaluators().contains(op->getName().getStringRef()))
      return evaluateOperation(op, getPointers(op, frame), options);
    return TypeSwitch<Operation *, FailureOr<Results>>(op)
        .Case([&](ConstantOp constant) { return evaluateConstant(constant); })
        .Case([&](FusionOp fusion) {
          return evaluateBlock(fusion.getBody().front(),
                               getOperands(op, frame));
        })
        .Case([&](func::CallOp call) { return evaluateCall(call, frame); })
        .Case([&](ValueAndGradOp) {
          return op->emitOpError(
              "cannot be interpreted: expand it with --graph-autodiff first");
        })
        .Default([&](Operation *) {
          return op->emitOpError("cannot be interpreted: it is not an "
                                 "operation of the graph dialect");
        });
  }

  static FailureOr<Results> evaluateConstant(ConstantOp op) {
    FailureOr<ReferenceTensor> tensor = getConstantElements(op.getValue());
    if (failed(tensor))
      return op.emitOpError("has no elements: they were elided from the text");
    return Results{std::move(*tensor)};
  }

  FailureOr<Results> evaluateCall(func::CallOp op, const Frame &frame) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        op, op.getCalleeAttr());
    return call(callee, getOperands(op, frame), op.getLoc());
  }

  const EvaluateOptions &options;
  llvm::SetVector<Operation *> active;
};

} // namespace

Results graph::evaluateOperation(Operation *op,
                                 ArrayRef<const ReferenceTensor *> operands,
                                 const EvaluateOptions &options) {
  return getEvaluators().at(op->getName().getStringRef())(op, operands,
                                                          options);
}

FailureOr<Results> graph::evaluate(func::FuncOp function,
                                   ArrayRef<ReferenceTensor> arguments,
                                   const EvaluateOptions &options) {
  assert(llvm::equal(function.getArgumentTypes(), arguments,
                     [](Type type, const ReferenceTensor &tensor) {
                       return type == tensor.getType();
                     }) &&
         "arguments must have the function's types");
  return Interpreter(options).call(function, Results(arguments),
                                   function.getLoc());
}

static bool isEvaluable(func::FuncOp function,
                        llvm::SmallPtrSetImpl<Operation *> &visited) {
  if (!visited.insert(function).second)
    return true;
  if (function.isExternal())
    return false;
  WalkResult result = function.getBody().walk([&](Operation *op) {
    if (auto call = dyn_cast<func::CallOp>(op)) {
      auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
          call, call.getCalleeAttr());
      return callee && isEvaluable(callee, visited) ? WalkResult::advance()
                                                    : WalkResult::interrupt();
    }
    bool known = isa<ConstantOp, FusionOp, YieldOp, func::ReturnOp>(op) ||
                 getEvaluators().contains(op->getName().getStringRef());
    return known ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

bool graph::isEvaluable(func::FuncOp function) {
  llvm::SmallPtrSet<Operation *, 8> visited;
  return ::isEvaluable(function, visited);
}
