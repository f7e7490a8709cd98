//===- GradientCheck.cpp - Derivatives against differences ----------------===//

#include "graph/Reference/GradientCheck.h"

#include "graph/Dialect/Graph/IR/GraphOps.h"
#include "graph/Reference/Interpreter.h"

#include <cmath>

using namespace mlir;
using namespace graph;

func::FuncOp graph::buildGradientFunction(func::FuncOp function,
                                          ArrayRef<int64_t> wrt) {
  OpBuilder builder(function->getContext());
  SmallVector<Type> results(function.getResultTypes());
  for (int64_t argument : wrt)
    results.push_back(function.getArgumentTypes()[argument]);
  auto gradient = func::FuncOp::create(
      builder, function.getLoc(),
      (function.getSymName() + "_value_and_grad").str(),
      builder.getFunctionType(function.getArgumentTypes(), results));
  gradient.setPrivate();
  SymbolTable(function->getParentOfType<ModuleOp>()).insert(gradient);

  Block *body = gradient.addEntryBlock();
  builder.setInsertionPointToStart(body);
  auto op =
      ValueAndGradOp::create(builder, function.getLoc(), results,
                             function.getSymName(), body->getArguments(), wrt);
  func::ReturnOp::create(builder, function.getLoc(), op.getResults());
  return gradient;
}

namespace {
class DifferenceQuotient {
public:
  DifferenceQuotient(func::FuncOp function, ArrayRef<ReferenceTensor> arguments,
                     const EvaluateOptions &evaluation, double step)
      : function(function), arguments(arguments), evaluation(evaluation),
        step(step) {}

  FailureOr<double> get(unsigned argument, int64_t element) {
    double &x = arguments[argument].floats()[element], center = x;
    double distance = step * std::max(1.0, std::fabs(center));
    x = center + distance;
    FailureOr<double> above = evaluateFirst();
    x = center - distance;
    FailureOr<double> below = evaluateFirst();
    x = center;
    if (failed(above) || failed(below))
      return failure();
    return (*above - *below) / (2 * distance);
  }

private:
  FailureOr<double> evaluateFirst() {
    auto results = evaluate(function, arguments, evaluation);
    if (failed(results))
      return failure();
    return results->front().floats()[0];
  }

  func::FuncOp function;
  SmallVector<ReferenceTensor> arguments;
  const EvaluateOptions &evaluation;
  double step;
};
} // namespace

static double getMagnitude(const ReferenceTensor &tensor) {
  double magnitude = 0;
  for (double value : tensor.floats())
    magnitude = std::max(magnitude, std::fabs(value));
  return magnitude;
}

/// The distance of `a` and `b` relative to `scale`; infinite for NaN.
static double getError(double a, double b, double scale) {
  double error = std::fabs(a - b) / scale;
  return std::isnan(error) ? INFINITY : error;
}

FailureOr<SmallVector<GradientError>>
graph::checkGradient(func::FuncOp function, func::FuncOp gradient,
                     ArrayRef<int64_t> wrt, ArrayRef<ReferenceTensor> arguments,
                     const GradientCheckOptions &options) {
  EvaluateOptions evaluation{.roundCasts = false};
  auto results = evaluate(gradient, arguments, evaluation);
  if (failed(results))
    return failure();
  DifferenceQuotient quotient(function, arguments, evaluation, options.step);
  double value = std::fabs(results->front().floats()[0]);

  SmallVector<GradientError> errors;
  for (auto [i, argument] : llvm::enumerate(wrt)) {
    const ReferenceTensor &derivative =
        (*results)[function.getNumResults() + i];
    GradientError &worst = errors.emplace_back();
    // The difference of two values near `value` has noise proportional to it,
    // which must not be held against a gradient near zero.
    double scale = std::max({getMagnitude(derivative), 1e-4 * value, 1e-8});
    int64_t size = derivative.getNumElements();
    worst.numChecked = std::min(size, options.maxElements);
    for (int64_t n = 0; n < worst.numChecked; ++n) {
      int64_t element = n * size / worst.numChecked;
      FailureOr<double> difference = quotient.get(argument, element);
      if (failed(difference))
        return failure();
      double exact = derivative.floats()[element];
      double error = getError(exact, *difference, scale);
      if (n == 0 || error > worst.error)
        worst = {error, element, exact, *difference, worst.numChecked};
    }
  }
  return errors;
}
