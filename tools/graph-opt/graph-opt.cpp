//===- graph-opt.cpp - Runs passes on textual IR --------------------------===//

#include "graph/InitAll.h"
#include "graph/Reference/VerifySemantics.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

static llvm::LogicalResult runVerified(StringRef inputFile,
                                       StringRef outputFile,
                                       DialectRegistry &registry,
                                       uint64_t seed) {
  std::string message;
  auto input = openInputFile(inputFile, &message);
  auto output = input ? openOutputFile(outputFile, &message) : nullptr;
  if (!output) {
    llvm::errs() << message << '\n';
    return failure();
  }
  bool foundDifference = false;
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  config.setPassPipelineSetupFn([&, pipeline = config](PassManager &passes) {
    graph::verifySemantics(passes, seed, foundDifference);
    return pipeline.setupPassPipeline(passes);
  });
  if (failed(MlirOptMain(output->os(), std::move(input), registry, config)) ||
      foundDifference)
    return failure();
  output->keep();
  return success();
}

int main(int argc, char **argv) {
  llvm::cl::opt<bool> verifySemantics(
      "verify-semantics",
      llvm::cl::desc("Interpret the module on random inputs before the first "
                     "and after every pass, and report the first pass that "
                     "changes a result"));
  llvm::cl::opt<uint64_t> seed(
      "verify-semantics-seed",
      llvm::cl::desc("Of the random inputs of --verify-semantics"));
  DialectRegistry registry;
  graph::registerAllDialects(registry);
  graph::registerAllPasses();
  auto [input, output] = registerAndParseCLIOptions(
      argc, argv, "computation-graph optimizer\n", registry);
  return asMainReturnCode(
      verifySemantics ? runVerified(input, output, registry, seed)
                      : MlirOptMain(argc, argv, input, output, registry));
}
