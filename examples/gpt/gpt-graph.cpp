//===- gpt-graph.cpp - Writes a GPT training module as text ---------------===//

#include "Gpt.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

namespace cl = llvm::cl;

static gpt::ModelOptions model;
static gpt::AdamWOptions optimizer;

static cl::OptionCategory modelCategory("Model");
static cl::OptionCategory optimizerCategory("Optimizer (AdamW)");
static cl::OptionCategory outputCategory("Output");

namespace {
enum class Precision { f32, bf16 };

/// An option that writes one member of `model` or `optimizer`; the member's
/// initializer is the default.
template <typename T> struct Option : cl::opt<T, /*ExternalStorage=*/true> {
  Option(llvm::StringRef name, const char *text, T &storage,
         cl::OptionCategory &category)
      : cl::opt<T, true>(name, cl::desc(text), cl::location(storage),
                         cl::init(storage), cl::cat(category)) {}
};
} // namespace

static Option<int64_t> layers("layers", "Transformer layers", model.layers,
                              modelCategory);
static Option<int64_t> heads("heads", "Attention heads per layer", model.heads,
                             modelCategory);
static Option<int64_t> width("width", "Features per token", model.width,
                             modelCategory);
static Option<int64_t> context("context", "Tokens per sequence", model.context,
                               modelCategory);
static Option<int64_t> batch("batch", "Sequences per step", model.batch,
                             modelCategory);
static Option<int64_t> vocabulary("vocab", "Different tokens", model.vocabulary,
                                  modelCategory);
static cl::opt<Precision>
    precision("dtype", cl::desc("Of activations and matrix products"),
              cl::values(clEnumValN(Precision::f32, "f32", "single precision"),
                         clEnumValN(Precision::bf16, "bf16",
                                    "bfloat16, with f32 parameters and loss")),
              cl::init(Precision::f32), cl::cat(modelCategory));

static Option<double> learningRate("lr", "Learning rate",
                                   optimizer.learningRate, optimizerCategory);
static Option<double> beta1("beta1", "Decay of the first moment",
                            optimizer.beta1, optimizerCategory);
static Option<double> beta2("beta2", "Decay of the second moment",
                            optimizer.beta2, optimizerCategory);
static Option<double> epsilon("eps", "Added to the denominator",
                              optimizer.epsilon, optimizerCategory);
static Option<double> weightDecay("weight-decay", "Decay of matrices",
                                  optimizer.weightDecay, optimizerCategory);
static Option<double> clipNorm("clip", "Largest global norm of the gradients",
                               optimizer.clipNorm, optimizerCategory);
static Option<int64_t> warmupSteps("warmup", "Steps of linear warm-up",
                                   optimizer.warmupSteps, optimizerCategory);
static Option<int64_t>
    cosineSteps("cosine-steps",
                "Steps until the rate reaches --final-lr along half a cosine "
                "(0: constant)",
                optimizer.cosineSteps, optimizerCategory);
static Option<double> finalLearningRate("final-lr",
                                        "Learning rate after --cosine-steps",
                                        optimizer.finalLearningRate,
                                        optimizerCategory);

static cl::opt<std::string> outputPath("o", cl::desc("The file to write"),
                                       cl::value_desc("path"), cl::init("-"),
                                       cl::cat(outputCategory));

/// What is wrong with the options, or nothing.
static std::string checkOptions() {
  std::pair<const char *, int64_t> sizes[] = {
      {"layers", model.layers}, {"heads", model.heads},
      {"width", model.width},   {"context", model.context},
      {"batch", model.batch},   {"vocab", model.vocabulary}};
  for (auto [name, size] : sizes)
    if (size < 1)
      return "found --" + std::string(name) + "=" + std::to_string(size) +
             ", expected a positive number";
  if (model.width % model.heads != 0)
    return "found --width=" + std::to_string(model.width) +
           ", expected a multiple of --heads=" + std::to_string(model.heads);
  return "";
}

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(
      {&modelCategory, &optimizerCategory, &outputCategory});
  cl::ParseCommandLineOptions(
      argc, argv,
      "Writes a GPT training module as text: init, train_step, "
      "eval_loss, logits\n");
  if (std::string problem = checkOptions(); !problem.empty()) {
    llvm::WithColor::error(llvm::errs(), "gpt-graph") << problem << "\n";
    return 1;
  }

  graph::ModuleBuilder module;
  if (precision == Precision::bf16)
    model.computeType = mlir::BFloat16Type::get(module.getContext());
  gpt::buildModule(module, model, optimizer);
  if (failed(module.verify()))
    return 1;

  std::error_code code;
  llvm::ToolOutputFile file(outputPath, code, llvm::sys::fs::OF_Text);
  if (code) {
    llvm::WithColor::error(llvm::errs(), "gpt-graph")
        << "cannot write '" << outputPath << "': " << code.message() << "\n";
    return 1;
  }
  module.print(file.os());
  file.keep();
  return 0;
}
