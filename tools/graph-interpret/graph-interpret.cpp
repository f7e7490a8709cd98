//===- graph-interpret.cpp - Evaluates a function in double precision -----===//

#include "graph/Autodiff/Passes.h"
#include "graph/InitAll.h"
#include "graph/Reference/Comparison.h"
#include "graph/Reference/GradientCheck.h"
#include "graph/Reference/Interpreter.h"
#include "graph/Reference/RandomInputs.h"
#include "graph/Reference/RawData.h"
#include "graph/Reference/Text.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace graph;
namespace cl = llvm::cl;

namespace {

struct Options {
  cl::OptionCategory category{"graph-interpret options"};
  cl::opt<std::string> file{cl::Positional, cl::desc("<model.mlir>"),
                            cl::init("-"), cl::cat(category)};
  cl::opt<std::string> entry{
      "entry",
      cl::desc("The public function to evaluate (default: the only one)"),
      cl::value_desc("name"), cl::cat(category)};
  cl::list<std::string> inputs{
      "input", cl::desc("An argument: a .npy file, or a literal for a scalar"),
      cl::value_desc("name=file.npy|literal"), cl::cat(category)};
  cl::opt<uint64_t> randomInputs{
      "random-inputs", cl::desc("Random values for the arguments not given"),
      cl::value_desc("seed"), cl::cat(category)};
  cl::opt<bool> specialValues{
      "special-values",
      cl::desc(
          "NaN, infinities, zeros of both signs and ties in random inputs"),
      cl::cat(category)};
  cl::opt<int64_t> intHigh{
      "int-limit", cl::desc("Random integers are in [0, limit) (default: 8)"),
      cl::init(8), cl::cat(category)};
  cl::list<std::string> outputs{
      "output",
      cl::desc("Writes a result to a .npy file instead of printing it"),
      cl::value_desc("name=file.npy"), cl::cat(category)};
  cl::opt<bool> fullPrecision{"full-precision",
                              cl::desc("Print all digits of doubles"),
                              cl::cat(category)};
  cl::opt<bool> checkGrad{
      "check-grad",
      cl::desc("Compare the gradient of the first result, a scalar, with "
               "central differences, instead of printing the results"),
      cl::cat(category)};
  cl::list<std::string> wrt{
      "wrt", cl::CommaSeparated, cl::value_desc("names"), cl::cat(category),
      cl::desc("The arguments of --check-grad (default: all floating-point "
               "arguments)")};
  cl::opt<double> tolerance{
      "tolerance", cl::init(1e-6), cl::cat(category),
      cl::desc("The largest relative error of --check-grad (default: 1e-6)")};
};

/// name=value as given on the command line.
using Assignments = std::vector<std::pair<std::string, std::string>>;

/// One line about the command line or a file. Errors of the IR are diagnostics.
class Report {
public:
  Report() { llvm::WithColor::error(llvm::errs(), "graph-interpret"); }
  ~Report() { llvm::errs() << '\n'; }
  template <typename T> Report &operator<<(T &&value) {
    llvm::errs() << std::forward<T>(value);
    return *this;
  }
  operator LogicalResult() const { return failure(); }
  template <typename T> operator FailureOr<T>() const { return failure(); }
};

FailureOr<Assignments> parseAssignments(StringRef option,
                                        ArrayRef<std::string> texts) {
  Assignments assignments;
  for (StringRef text : texts) {
    auto [name, value] = text.split('=');
    if (name.empty() || value.empty())
      return Report() << "--" << option << ": found '" << text
                      << "', expected name=value";
    if (llvm::is_contained(llvm::make_first_range(assignments), name.str()))
      return Report() << "--" << option << ": '" << name << "' is given twice";
    assignments.emplace_back(name, value);
  }
  return assignments;
}

/// Fails where an assignment names none of `known`.
LogicalResult checkNames(StringRef option, const Assignments &assignments,
                         ArrayRef<std::string> known) {
  for (const std::string &name : llvm::make_first_range(assignments))
    if (!llvm::is_contained(known, name))
      return Report() << "--" << option << ": unknown name '" << name
                      << "', expected one of: " << llvm::join(known, ", ");
  return success();
}

FailureOr<func::FuncOp> findEntry(ModuleOp module, StringRef name) {
  SmallVector<func::FuncOp> entries;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic())
      entries.push_back(function);
  if (name.empty() && entries.size() == 1)
    return entries.front();
  for (func::FuncOp function : entries)
    if (function.getSymName() == name)
      return function;
  if (entries.empty())
    return Report() << "the module has no public function";
  auto names = llvm::map_to_vector(
      entries, [](func::FuncOp function) { return function.getSymName(); });
  return Report() << (name.empty() ? "no --entry is given"
                                   : "unknown entry '" + name.str() + "'")
                  << ", expected one of: " << llvm::join(names, ", ");
}

FailureOr<ReferenceTensor> readInput(StringRef name, const std::string &value,
                                     RankedTensorType type) {
  if (!StringRef(value).ends_with(".npy")) {
    FailureOr<ReferenceTensor> scalar = parseScalar(value, type);
    if (failed(scalar))
      return Report() << "input '" << name << "': found '" << value
                      << "', expected a value or a .npy file of type " << type;
    return scalar;
  }
  llvm::Expected<ReferenceTensor> tensor = readNpy(value, type);
  if (!tensor)
    return Report() << "input '" << name
                    << "': " << llvm::toString(tensor.takeError());
  return *tensor;
}

FailureOr<SmallVector<ReferenceTensor>> readInputs(func::FuncOp function,
                                                   const Options &options) {
  FailureOr<Assignments> given = parseAssignments("input", options.inputs);
  std::vector<std::string> names;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    names.push_back(getArgumentName(function, i));
  if (failed(given) || failed(checkNames("input", *given, names)))
    return failure();

  RandomInputOptions random{.seed = options.randomInputs,
                            .intHigh = options.intHigh,
                            .specialValues = options.specialValues};
  SmallVector<ReferenceTensor> inputs;
  for (auto [name, argument] :
       llvm::zip_equal(names, function.getArguments())) {
    auto type = cast<RankedTensorType>(argument.getType());
    auto it = llvm::find_if(
        *given, [&](auto &assignment) { return assignment.first == name; });
    if (it != given->end()) {
      auto tensor = readInput(name, it->second, type);
      if (failed(tensor))
        return failure();
      inputs.push_back(std::move(*tensor));
    } else if (options.randomInputs.getNumOccurrences()) {
      inputs.push_back(getRandomInput(type, name, random));
    } else {
      return Report() << "input '" << name << "' of type " << type
                      << " is missing, expected --input or "
                         "--random-inputs";
    }
  }
  return inputs;
}

LogicalResult writeResults(func::FuncOp function,
                           ArrayRef<ReferenceTensor> results,
                           const Options &options) {
  FailureOr<Assignments> files = parseAssignments("output", options.outputs);
  std::vector<std::string> names;
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    names.push_back(getResultName(function, i));
  if (failed(files) || failed(checkNames("output", *files, names)))
    return failure();
  for (auto [name, tensor] : llvm::zip_equal(names, results)) {
    auto it = llvm::find_if(
        *files, [&](auto &assignment) { return assignment.first == name; });
    if (it == files->end()) {
      llvm::outs() << name << ": " << tensor.getType() << '\n';
      printElements(llvm::outs(), tensor,
                    {.fullPrecision = options.fullPrecision});
      llvm::outs() << '\n';
    } else if (llvm::Error error = writeNpy(it->second, tensor)) {
      return Report() << "output '" << name
                      << "': " << llvm::toString(std::move(error));
    }
  }
  return success();
}

/// The arguments that --wrt names, or all of floating-point type.
FailureOr<SmallVector<int64_t>> findWrt(func::FuncOp function,
                                        const Options &options) {
  SmallVector<int64_t> wrt;
  std::vector<std::string> known;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    if (!isa<FloatType>(getElementTypeOrSelf(type)))
      continue;
    std::string &name = known.emplace_back(getArgumentName(function, i));
    if (options.wrt.empty() || llvm::is_contained(options.wrt, name))
      wrt.push_back(i);
  }
  for (const std::string &name : options.wrt)
    if (!llvm::is_contained(known, name))
      return Report() << "--wrt: '" << name
                      << "' is not a floating-point argument, expected one of: "
                      << llvm::join(known, ", ");
  if (known.empty())
    return Report() << "--check-grad: @" << function.getSymName()
                    << " has no floating-point argument";
  return wrt;
}

/// Prints one line per argument; fails where one is off.
LogicalResult reportGradient(func::FuncOp function, ArrayRef<int64_t> wrt,
                             ArrayRef<GradientError> errors,
                             const Options &options) {
  bool isCorrect = true;
  for (auto [argument, worst] : llvm::zip_equal(wrt, errors)) {
    auto type = cast<RankedTensorType>(function.getArgumentTypes()[argument]);
    llvm::outs() << getArgumentName(function, argument) << ": " << type
                 << ": checked " << worst.numChecked << " of "
                 << type.getNumElements() << " elements";
    if (worst.numChecked != 0)
      llvm::outs() << llvm::format(", largest error %.2g at ", worst.error)
                   << formatPosition(type.getShape(), worst.element)
                   << llvm::format(": derivative %.9g, difference %.9g",
                                   worst.derivative, worst.difference);
    llvm::outs() << '\n';
    isCorrect &= worst.error <= options.tolerance;
  }
  if (isCorrect)
    return success();
  return Report() << "the gradient of @" << function.getSymName()
                  << " is wrong: an error is above "
                  << llvm::format("%g", options.tolerance.getValue());
}

/// Expands every value_and_grad.
LogicalResult expandGradients(ModuleOp module) {
  WalkResult found =
      module.walk([](ValueAndGradOp) { return WalkResult::interrupt(); });
  if (!found.wasInterrupted())
    return success();
  PassManager passes(module.getContext());
  passes.addPass(createGraphAutodiff());
  return passes.run(module);
}

LogicalResult runCheckGrad(func::FuncOp function,
                           ArrayRef<ReferenceTensor> inputs,
                           const Options &options) {
  auto wrt = findWrt(function, options);
  if (failed(wrt))
    return failure();
  auto module = function->getParentOfType<ModuleOp>();
  func::FuncOp gradient = buildGradientFunction(function, *wrt);
  if (failed(verify(module)) || failed(expandGradients(module)))
    return failure();
  auto errors = checkGradient(function, gradient, *wrt, inputs);
  if (failed(errors))
    return failure();
  return reportGradient(function, *wrt, *errors, options);
}

LogicalResult run(MLIRContext *context, const Options &options) {
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, context);
  auto module = parseSourceFile<ModuleOp>(options.file, sources, context);
  if (!module)
    return failure();
  FailureOr<func::FuncOp> entry = findEntry(*module, options.entry);
  if (failed(entry))
    return failure();
  auto inputs = readInputs(*entry, options);
  if (failed(inputs))
    return failure();
  if (options.checkGrad)
    return runCheckGrad(*entry, *inputs, options);
  if (failed(expandGradients(*module)))
    return failure();
  auto results = evaluate(*entry, *inputs);
  if (failed(results))
    return failure();
  return writeResults(*entry, *results, options);
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM initialize(argc, argv);
  Options options;
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "evaluates a function of the graph dialect in double precision\n");
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry);
  return failed(run(&context, options));
}
