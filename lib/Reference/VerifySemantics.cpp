//===- VerifySemantics.cpp - Which pass changed the meaning ---------------===//
//
// Keeps the results of every function from before the first pass (or from when
// the function could be interpreted first) and compares with them after every
// pass. A pass may round where the original does not, by folding constants or
// by opening a composite, so results may differ by some roundings of the
// narrowest floating-point type of the function.
//
//===----------------------------------------------------------------------===//

#include "graph/Reference/VerifySemantics.h"

#include "graph/Reference/Comparison.h"
#include "graph/Reference/Interpreter.h"
#include "graph/Reference/RandomInputs.h"

#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace graph;

namespace {

/// What a function meant at first.
struct Baseline {
  FunctionType type;
  SmallVector<ReferenceTensor> results;
  double tolerance;
};

/// Sixteen roundings of the narrowest floating-point type that a value of the
/// function has; f64 leaves room for another order of summation.
double getTolerance(func::FuncOp function) {
  double roundoff = 1e-11;
  auto visit = [&](Type type) {
    if (auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type)))
      roundoff = std::max(roundoff, getUnitRoundoff(element));
  };
  llvm::for_each(function.getArgumentTypes(), visit);
  function.walk(
      [&](Operation *op) { llvm::for_each(op->getResultTypes(), visit); });
  return 16 * roundoff;
}

class VerifySemantics : public PassInstrumentation {
public:
  VerifySemantics(uint64_t seed, bool &foundDifference)
      : inputs{.seed = seed}, foundDifference(foundDifference) {}

  void runBeforePass(Pass *, Operation *op) override { check(op, nullptr); }
  void runAfterPass(Pass *pass, Operation *op) override { check(op, pass); }

private:
  /// Compares all functions with their baselines and makes those that are
  /// missing. Without a pass that could be blamed, only the latter.
  void check(Operation *op, Pass *pass) {
    auto module = dyn_cast<ModuleOp>(op);
    if (!module)
      module = op->getParentOfType<ModuleOp>();
    if (!module || foundDifference)
      return;
    for (auto function : module.getOps<func::FuncOp>()) {
      auto it = baselines.find(function.getSymName());
      bool isKnown = it != baselines.end();
      if (!function.isPublic() || (isKnown && !pass) || !isEvaluable(function))
        continue;
      if (isKnown && it->second.type != function.getFunctionType()) {
        report(function, *pass)
            << "the type of @" << function.getSymName() << ": found "
            << function.getFunctionType() << ", expected " << it->second.type;
        return;
      }
      auto results = evaluate(function, getRandomInputs(function, inputs));
      if (failed(results)) {
        foundDifference = true;
        return;
      }
      if (!isKnown)
        baselines.try_emplace(function.getSymName(),
                              Baseline{function.getFunctionType(),
                                       std::move(*results),
                                       getTolerance(function)});
      else if (!compare(function, *results, it->second, *pass))
        return;
    }
  }

  bool compare(func::FuncOp function, ArrayRef<ReferenceTensor> found,
               const Baseline &baseline, Pass &pass) {
    for (auto [i, result, expected] :
         llvm::enumerate(found, baseline.results)) {
      auto difference = findDifference(result, expected, baseline.tolerance);
      if (!difference)
        continue;
      report(function, pass)
          << "result '" << getResultName(function, i) << "' of @"
          << function.getSymName() << " at "
          << formatPosition(result.getShape(), difference->element)
          << ": found " << std::to_string(difference->found) << ", expected "
          << std::to_string(difference->expected);
      return false;
    }
    return true;
  }

  InFlightDiagnostic report(func::FuncOp function, Pass &pass) {
    foundDifference = true;
    StringRef name = pass.getArgument();
    return function.emitError("pass '")
           << (name.empty() ? pass.getName() : name) << "' changed ";
  }

  RandomInputOptions inputs;
  llvm::StringMap<Baseline> baselines;
  bool &foundDifference;
};

} // namespace

void graph::verifySemantics(PassManager &passes, uint64_t seed,
                            bool &foundDifference) {
  passes.getContext()->disableMultithreading();
  passes.addInstrumentation(
      std::make_unique<VerifySemantics>(seed, foundDifference));
}
