//===- Minimize.cpp - The smallest module that shows a problem ------------===//

#include "Properties.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace graph;

static func::FuncOp getMain(ModuleOp module) {
  return module.lookupSymbol<func::FuncOp>("main");
}

/// Removes what nobody uses and updates the type of the function.
static void cleanUp(func::FuncOp function) {
  Block &body = function.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
  body.eraseArguments(
      [](BlockArgument argument) { return argument.use_empty(); });
  function.setType(FunctionType::get(function.getContext(),
                                     body.getArgumentTypes(),
                                     body.getTerminator()->getOperandTypes()));
}

/// Applies `change` to a copy, and keeps the copy if it is still violated.
static bool tryChange(OwningOpRef<ModuleOp> &module, const Property &property,
                      function_ref<void(func::FuncOp)> change) {
  OwningOpRef<ModuleOp> copy(module->clone());
  change(getMain(*copy));
  cleanUp(getMain(*copy));
  ComparisonCounts counts;
  if (!property(*copy, counts))
    return false;
  module = std::move(copy);
  return true;
}

static Operation *getOp(func::FuncOp function, unsigned position) {
  return &*std::next(function.getBody().front().begin(), position);
}

OwningOpRef<ModuleOp> graph::minimize(ModuleOp module,
                                      const Property &property) {
  OwningOpRef<ModuleOp> smallest(module.clone());
  auto countResults = [&] { return getMain(*smallest).getNumResults(); };
  for (unsigned i = 0; countResults() > 1 && i < countResults();)
    if (!tryChange(smallest, property, [&](func::FuncOp function) {
          function.getBody().front().getTerminator()->eraseOperand(i);
        }))
      ++i;
  // From the last operation to the first: what comes before a cut is dropped
  // with it.
  for (unsigned i = getMain(*smallest).getBody().front().getOperations().size();
       i-- > 0;) {
    Block &body = getMain(*smallest).getBody().front();
    if (i + 1 >= body.getOperations().size())
      continue;
    tryChange(smallest, property, [&](func::FuncOp function) {
      Operation *op = getOp(function, i);
      for (Value result : op->getResults())
        result.replaceAllUsesWith(function.getBody().front().addArgument(
            result.getType(), op->getLoc()));
    });
  }
  return smallest;
}
