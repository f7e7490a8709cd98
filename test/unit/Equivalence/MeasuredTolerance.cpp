//===- MeasuredTolerance.cpp - What rounding may do to a function ---------===//

#include "MeasuredTolerance.h"

#include "graph/Dialect/Graph/IR/GraphOps.h"
#include "graph/Dialect/Graph/Transforms/Passes.h"
#include "graph/Reference/Comparison.h"
#include "graph/Reference/Interpreter.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <random>

using namespace mlir;
using namespace graph;

/// Results are operand elements (or negations, or exact by definition).
static bool isExact(Operation *op) {
  return isa<ConstantOp, BroadcastOp, ReshapeOp, TransposeOp, SliceOp, PadOp,
             ConcatOp, GatherOp, SelectOp, NegOp, AbsOp, MaxOp, MinOp, IotaOp,
             RandomUniformOp, FusionOp, func::CallOp>(op);
}

/// How many numbers are accumulated for one result element.
static int64_t countAccumulated(Operation *op) {
  auto interface = dyn_cast<IterationSpaceOpInterface>(op);
  if (!interface || isa<ScalarBodyOpInterface>(op) || isExact(op))
    return 0;
  int64_t count = 1;
  for (const Factor &factor : interface.getIterationSpace().factors)
    if (factor.kind == FactorKind::Reduction ||
        factor.kind == FactorKind::Whole)
      count *= std::max<int64_t>(factor.size, 1);
  return count;
}

namespace {
/// Makes the errors of one run. Results stay on the grid of their type, or are
/// anywhere near it.
class Perturbation {
public:
  Perturbation(uint64_t seed, bool isOnGrid)
      : random(seed), isOnGrid(isOnGrid) {}

  void perturb(Operation *op, ArrayRef<const ReferenceTensor *> operands,
               MutableArrayRef<ReferenceTensor> results) {
    if (int64_t count = countAccumulated(op))
      llvm::move(accumulate(op, operands, count), results.begin());
    for (ReferenceTensor &result : results)
      if (auto type = dyn_cast<FloatType>(result.getElementType())) {
        // Twice the unit roundoff, so that a value which is on the grid of its
        // type already may go to a neighbour.
        double amplitude = isExact(op) ? 0 : 2 * getUnitRoundoff(type);
        // The cosine of a rounded angle below 2 pi has an absolute error.
        double offset = isa<RandomNormalOp>(op) ? 8 * amplitude : 0;
        // Below the smallest normal number, roundings are absolute.
        if (!isExact(op))
          offset += getSmallest(type);
        for (double &value : result.floats()) {
          if (value != 0)
            value = disturb(value, amplitude) + offset * distribution(random);
          double rounded = roundToType(type, value);
          if (isOnGrid || !std::isfinite(rounded))
            value = rounded;
        }
      }
  }

private:
  static double getSmallest(FloatType type) {
    return APFloat::getSmallest(type.getFloatSemantics()).convertToDouble();
  }

  double disturb(double value, double amplitude) {
    return value * (1 + amplitude * distribution(random));
  }

  /// The results of `op` for operands with the error of `count` additions in
  /// f32 (f64 for f64).
  SmallVector<ReferenceTensor>
  accumulate(Operation *op, ArrayRef<const ReferenceTensor *> operands,
             int64_t count) {
    SmallVector<ReferenceTensor> disturbed;
    for (const ReferenceTensor *operand : operands) {
      ReferenceTensor &copy = disturbed.emplace_back(*operand);
      if (!copy.isFloat())
        continue;
      double roundoff = std::ldexp(1.0, copy.getWidth() == 64 ? -53 : -24);
      for (double &value : copy.floats())
        value = disturb(value, roundoff * std::sqrt(count));
    }
    auto pointers = llvm::map_to_vector(
        disturbed, [](const ReferenceTensor &x) { return &x; });
    return evaluateOperation(op, pointers);
  }

  std::mt19937_64 random;
  bool isOnGrid;
  std::uniform_real_distribution<double> distribution{-1, 1};
};
} // namespace

/// The distance of `sample` from `value` is added to `spread`; a different
/// non-finite number makes it infinite.
static void widen(double &spread, double value, double sample) {
  bool isSame = value == sample || (std::isnan(value) && std::isnan(sample));
  double distance = isSame ? 0 : std::fabs(value - sample);
  spread = std::max(spread, std::isnan(distance) ? INFINITY : distance);
}

/// Makes elements NaN that are NaN in `opened`.
static void copyNaNs(ReferenceTensor &whole, const ReferenceTensor &opened) {
  if (!whole.isFloat())
    return;
  for (auto [value, other] : llvm::zip_equal(whole.floats(), opened.floats()))
    if (std::isnan(other))
      value = other;
}

/// The module of `function` with composites opened. Fails if the function then
/// means something else, in double precision and without roundings. A product
/// of zero and an infinity that a mask drops is NaN when opened and is allowed:
/// the samples then differ, so that the element is not compared.
static FailureOr<OwningOpRef<ModuleOp>>
decompose(func::FuncOp function, ArrayRef<ReferenceTensor> arguments) {
  OwningOpRef<ModuleOp> module(function->getParentOfType<ModuleOp>().clone());
  PassManager passes(module->getContext());
  passes.addNestedPass<func::FuncOp>(createGraphDecompose());
  if (failed(passes.run(*module)))
    return failure();
  EvaluateOptions options{.roundCasts = false};
  auto whole = evaluate(function, arguments, options);
  auto opened =
      evaluate(module->lookupSymbol<func::FuncOp>(function.getSymName()),
               arguments, options);
  if (failed(whole) || failed(opened))
    return failure();
  for (auto [found, expected] : llvm::zip_equal(*opened, *whole)) {
    copyNaNs(expected, found);
    if (findDifference(found, expected, 1e-6))
      return function.emitError("decomposition changes the meaning");
  }
  return module;
}

FailureOr<SmallVector<Expectation>>
graph::interpretWithTolerance(func::FuncOp function,
                              ArrayRef<ReferenceTensor> arguments) {
  // Eight times the largest of eight random errors is below the largest
  // possible error about once in 16 million elements; the two roundings of the
  // result that are added make that a false alarm more rarely still.
  constexpr unsigned kNumSamples = 8;
  constexpr double kSafety = 8, kRoundings = 2;

  auto exact = evaluate(function, arguments);
  auto decomposed = decompose(function, arguments);
  if (failed(exact) || failed(decomposed))
    return failure();
  auto opened =
      (*decomposed)->lookupSymbol<func::FuncOp>(function.getSymName());
  SmallVector<Expectation> expectations;
  for (ReferenceTensor &values : *exact)
    expectations.push_back(
        {std::move(values), std::vector<double>(values.getNumElements())});

  for (unsigned seed = 0; seed < 2 * kNumSamples; ++seed) {
    Perturbation perturbation(seed, /*isOnGrid=*/seed < kNumSamples);
    auto onResults = [&](Operation *op,
                         ArrayRef<const ReferenceTensor *> operands,
                         MutableArrayRef<ReferenceTensor> results) {
      perturbation.perturb(op, operands, results);
    };
    EvaluateOptions options;
    options.onResults = onResults;
    auto samples = evaluate(opened, arguments, options);
    if (failed(samples))
      return failure();
    for (auto [expected, sample] : llvm::zip_equal(expectations, *samples))
      for (auto [i, distance] : llvm::enumerate(expected.distances))
        if (sample.isFloat())
          widen(distance, expected.values.floats()[i], sample.floats()[i]);
        else
          widen(distance, expected.values.ints()[i], sample.ints()[i]);
  }
  for (Expectation &expected : expectations)
    if (auto type = dyn_cast<FloatType>(expected.values.getElementType())) {
      // Below the smallest normal number, roundings are absolute.
      double smallest = APFloat::getSmallestNormalized(type.getFloatSemantics())
                            .convertToDouble();
      for (auto [distance, value] :
           llvm::zip_equal(expected.distances, expected.values.floats()))
        if (std::isfinite(value))
          distance = kSafety * distance + smallest +
                     kRoundings * getUnitRoundoff(type) * std::fabs(value);
    }
  return expectations;
}

static bool isClose(double found, double expected, double distance) {
  if (std::isnan(expected) || std::isnan(found))
    return std::isnan(expected) && std::isnan(found);
  return found == expected || std::fabs(found - expected) <= distance;
}

std::optional<std::string>
graph::describeDifference(ArrayRef<ReferenceTensor> found,
                          ArrayRef<Expectation> expected,
                          ComparisonCounts &counts) {
  for (auto [number, result, expectation] : llvm::enumerate(found, expected)) {
    for (auto [i, distance] : llvm::enumerate(expectation.distances)) {
      if (std::isinf(distance)) {
        ++counts.skipped;
        continue;
      }
      ++counts.compared;
      double value = result.isFloat() ? result.floats()[i] : result.ints()[i];
      double exact = result.isFloat() ? expectation.values.floats()[i]
                                      : expectation.values.ints()[i];
      if (isClose(value, exact, distance))
        continue;
      std::string text;
      llvm::raw_string_ostream os(text);
      os << "result " << number << " of type " << result.getType() << " at "
         << formatPosition(result.getShape(), i) << ": found "
         << llvm::format("%.9g", value) << ", expected "
         << llvm::format("%.9g", exact)
         << llvm::format(" within %.3g", distance);
      return text;
    }
  }
  return std::nullopt;
}
