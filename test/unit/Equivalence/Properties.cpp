//===- Properties.cpp - What must hold for every graph --------------------===//

#include "Properties.h"

#include "graph/Autodiff/Passes.h"
#include "graph/Dialect/Graph/Transforms/Passes.h"
#include "graph/Pipelines/Compile.h"
#include "graph/Reference/Comparison.h"
#include "graph/Reference/GradientCheck.h"
#include "graph/Reference/Interpreter.h"
#include "graph/Reference/RandomInputs.h"
#include "graph/Reference/RawData.h"

#include "graphrt/graphrt.hpp"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace graph;

/// Collects the errors that are emitted while it lives.
namespace {
class ErrorText {
public:
  explicit ErrorText(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          text += diagnostic.str() + "\n";
        }) {}
  std::string text;

private:
  ScopedDiagnosticHandler handler;
};
} // namespace

/// Compares every public function with what `run` returns for its name and
/// random inputs.
static std::optional<std::string>
compareFunctions(ModuleOp module, const RandomInputOptions &inputOptions,
                 ComparisonCounts &counts,
                 function_ref<FailureOr<SmallVector<ReferenceTensor>>(
                     func::FuncOp, ArrayRef<ReferenceTensor>)>
                     run) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic())
      continue;
    ErrorText errors(module.getContext());
    auto inputs = getRandomInputs(function, inputOptions);
    auto expected = interpretWithTolerance(function, inputs);
    if (failed(expected))
      return "cannot be interpreted: " + errors.text;
    auto found = run(function, inputs);
    if (failed(found))
      return errors.text;
    if (auto difference = describeDifference(*found, *expected, counts))
      return "@" + function.getSymName().str() + ", " + *difference;
  }
  return std::nullopt;
}

std::optional<std::string> graph::checkFusedGraph(ModuleOp module,
                                                  ComparisonCounts &counts) {
  OwningOpRef<ModuleOp> fused(module.clone());
  {
    ErrorText errors(module.getContext());
    PassManager passes(module.getContext());
    buildGraphPipeline(passes, KernelTarget());
    if (failed(passes.run(*fused)))
      return "passes failed: " + errors.text;
  }
  return compareFunctions(
      module, {}, counts,
      [&](func::FuncOp function, ArrayRef<ReferenceTensor> inputs) {
        return evaluate(
            fused->lookupSymbol<func::FuncOp>(function.getSymName()), inputs);
      });
}

//===----------------------------------------------------------------------===//
// Compiled functions
//===----------------------------------------------------------------------===//

static SmallVector<ReferenceTensor> call(graphrt::Session &session,
                                         func::FuncOp function,
                                         ArrayRef<ReferenceTensor> inputs) {
  std::vector<graphrt::Tensor> arguments;
  for (const ReferenceTensor &input : inputs) {
    graphrt::Tensor &tensor = arguments.emplace_back(graphrt::Tensor::zeros(
        getRuntimeType(input.getElementType()), input.getShape()));
    llvm::copy(toBytes(input), static_cast<uint8_t *>(tensor.data()));
  }
  auto outputs = session.call(function.getSymName().str(), arguments);
  SmallVector<ReferenceTensor> results;
  for (auto [type, tensor] :
       llvm::zip_equal(function.getResultTypes(), outputs))
    results.push_back(fromBytes(
        cast<RankedTensorType>(type),
        {static_cast<const uint8_t *>(tensor.data()), tensor.info().bytes}));
  return results;
}

namespace {
/// For what to compile and where to run.
struct Machine {
  const char *target, *device;
};
} // namespace

static constexpr Machine kCPU = {"cpu", "cpu"};
/// The portable base: its code runs on all emulated architectures.
static constexpr Machine kEmulatedCUDA = {"cuda:sm_80", "cuda-emulated"};

static std::optional<std::string>
checkCompiled(ModuleOp module, const Machine &machine,
              const RandomInputOptions &inputOptions,
              ComparisonCounts &counts) {
  OwningOpRef<ModuleOp> consumed(module.clone());
  std::string artifact;
  {
    ErrorText errors(module.getContext());
    CompileOptions options;
    options.target = machine.target;
    auto bytes = compileToArtifact(*consumed, options);
    if (failed(bytes))
      return "compilation failed: " + errors.text;
    artifact = std::move(*bytes);
  }
  try {
    graphrt::Session session(graphrt::Program::fromMemory(artifact),
                             {.threads = 2, .device = machine.device});
    return compareFunctions(
        module, inputOptions, counts,
        [&](func::FuncOp function, ArrayRef<ReferenceTensor> inputs)
            -> FailureOr<SmallVector<ReferenceTensor>> {
          return call(session, function, inputs);
        });
  } catch (const graphrt::Error &error) {
    return std::string("the runtime failed: ") + error.what();
  }
}

std::optional<std::string> graph::checkCompiled(ModuleOp module,
                                                ComparisonCounts &counts) {
  return ::checkCompiled(module, kCPU, {.intLow = -2}, counts);
}
std::optional<std::string>
graph::checkCompiledSpecial(ModuleOp module, ComparisonCounts &counts) {
  return ::checkCompiled(module, kCPU, {.specialValues = true}, counts);
}
std::optional<std::string> graph::checkEmulated(ModuleOp module,
                                                ComparisonCounts &counts) {
  return ::checkCompiled(module, kEmulatedCUDA, {.intLow = -2}, counts);
}
std::optional<std::string>
graph::checkEmulatedSpecial(ModuleOp module, ComparisonCounts &counts) {
  return ::checkCompiled(module, kEmulatedCUDA, {.specialValues = true},
                         counts);
}

//===----------------------------------------------------------------------===//
// Mixed precision
//===----------------------------------------------------------------------===//

static std::optional<std::string> narrow(ModuleOp module, LowPrecision type) {
  ErrorText errors(module.getContext());
  PassManager passes(module.getContext());
  passes.addPass(createGraphMixedPrecision({.type = type}));
  if (failed(passes.run(module)))
    return "mixed precision failed: " + errors.text;
  return std::nullopt;
}

/// Compares functions as if no cast and no operation rounded.
static std::optional<std::string> compareExactly(ModuleOp module,
                                                 ModuleOp changed) {
  constexpr double kTolerance = 1e-9;
  ErrorText errors(module.getContext());
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic())
      continue;
    auto other = changed.lookupSymbol<func::FuncOp>(function.getSymName());
    auto inputs = getRandomInputs(function, {.intLow = -2});
    auto expected = evaluate(function, inputs, {.roundCasts = false});
    auto found = evaluate(other, inputs, {.roundCasts = false});
    if (failed(expected) || failed(found))
      return errors.text;
    for (auto [number, results] :
         llvm::enumerate(llvm::zip_equal(*found, *expected)))
      if (auto difference = findDifference(std::get<0>(results),
                                           std::get<1>(results), kTolerance)) {
        std::string text;
        llvm::raw_string_ostream(text)
            << "without roundings, result " << number << " is "
            << llvm::format("%.9g in mixed precision, expected %.9g",
                            difference->found, difference->expected);
        return text;
      }
  }
  return std::nullopt;
}

std::optional<std::string>
graph::checkMixedPrecision(ModuleOp module, ComparisonCounts &counts) {
  for (LowPrecision type : {LowPrecision::f16, LowPrecision::bf16}) {
    OwningOpRef<ModuleOp> mixed(module.clone());
    if (auto problem = narrow(*mixed, type))
      return problem;
    if (auto problem = compareExactly(module, *mixed))
      return problem;
    if (auto problem = checkCompiled(*mixed, counts))
      return problem;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

std::optional<std::string> graph::checkGradients(ModuleOp module,
                                                 ComparisonCounts &counts) {
  constexpr double kTolerance = 1e-5;
  OwningOpRef<ModuleOp> expanded(module.clone());
  auto function = expanded->lookupSymbol<func::FuncOp>("main");
  SmallVector<int64_t> wrt;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    if (isa<FloatType>(getElementTypeOrSelf(type)))
      wrt.push_back(i);
  ErrorText errors(module.getContext());
  func::FuncOp gradient = buildGradientFunction(function, wrt);
  PassManager passes(module.getContext());
  passes.addPass(createGraphAutodiff());
  if (failed(passes.run(*expanded)))
    return "differentiation failed: " + errors.text;
  auto gradientErrors =
      checkGradient(function, gradient, wrt, getRandomInputs(function, {}),
                    {.maxElements = 4});
  if (failed(gradientErrors))
    return errors.text;
  for (auto [argument, worst] : llvm::zip_equal(wrt, *gradientErrors)) {
    counts.compared += worst.numChecked;
    if (worst.error <= kTolerance)
      continue;
    std::string text;
    llvm::raw_string_ostream(text)
        << "the gradient of argument " << argument << " at element "
        << worst.element
        << llvm::format(" is %.9g, the difference quotient is %.9g",
                        worst.derivative, worst.difference);
    return text;
  }
  return std::nullopt;
}
