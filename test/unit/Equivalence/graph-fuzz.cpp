//===- graph-fuzz.cpp - Looks for graphs that are compiled wrongly --------===//
//
// graph-fuzz [--property=compiled|special|emulated|emulated-special|fused|
//                         mixed|gradients] [--first SEED] [--seeds N]
//
// Prints the first graph that violates the property, made as small as can be,
// and exits with 1.
//
//===----------------------------------------------------------------------===//

#include "GraphGenerator.h"
#include "Properties.h"

#include "graph/InitAll.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;
using namespace graph;
namespace cl = llvm::cl;

enum class PropertyKind {
  Compiled,
  Special,
  Emulated,
  EmulatedSpecial,
  Fused,
  Mixed,
  Gradients
};

static Property getProperty(PropertyKind kind) {
  switch (kind) {
  case PropertyKind::Compiled:
    return checkCompiled;
  case PropertyKind::Special:
    return checkCompiledSpecial;
  case PropertyKind::Emulated:
    return checkEmulated;
  case PropertyKind::EmulatedSpecial:
    return checkEmulatedSpecial;
  case PropertyKind::Fused:
    return checkFusedGraph;
  case PropertyKind::Mixed:
    return checkMixedPrecision;
  case PropertyKind::Gradients:
    return checkGradients;
  }
  llvm_unreachable("unknown property");
}

int main(int argc, char **argv) {
  llvm::InitLLVM initialize(argc, argv);
  cl::OptionCategory category("graph-fuzz options");
  cl::opt<PropertyKind> kind(
      "property", cl::desc("What must hold"), cl::init(PropertyKind::Compiled),
      cl::values(
          clEnumValN(PropertyKind::Compiled, "compiled",
                     "compiled equals interpreted"),
          clEnumValN(PropertyKind::Special, "special",
                     "the same with NaN, infinities and ties in the inputs"),
          clEnumValN(PropertyKind::Emulated, "emulated",
                     "CUDA kernels on the emulated device equal interpreted"),
          clEnumValN(PropertyKind::EmulatedSpecial, "emulated-special",
                     "the same with NaN, infinities and ties in the inputs"),
          clEnumValN(PropertyKind::Fused, "fused", "fused equals interpreted"),
          clEnumValN(PropertyKind::Mixed, "mixed",
                     "mixed precision changes nothing but roundings, and "
                     "compiled equals interpreted"),
          clEnumValN(PropertyKind::Gradients, "gradients",
                     "gradients equal difference quotients")),
      cl::cat(category));
  cl::opt<uint64_t> first("first", cl::desc("The first seed"),
                          cl::cat(category));
  cl::opt<uint64_t> seeds("seeds", cl::desc("How many graphs"), cl::init(1000),
                          cl::cat(category));
  cl::opt<bool> print("print", cl::desc("Print every graph"),
                      cl::cat(category));
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "looks for graphs that are compiled wrongly\n");

  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  Property property = getProperty(kind);
  ComparisonCounts counts;
  GeneratorOptions options;
  options.isDifferentiable = kind == PropertyKind::Gradients;
  // The linker inside the compiler resets all command line options.
  uint64_t numGraphs = seeds, end = first + numGraphs;
  bool isPrinted = print;
  for (options.seed = first; options.seed < end; ++options.seed) {
    OwningOpRef<ModuleOp> module = generateGraph(context, options);
    if (isPrinted)
      module->print(llvm::errs());
    std::optional<std::string> problem = property(*module, counts);
    if (!problem)
      continue;
    llvm::outs() << "seed " << options.seed << ": " << *problem << '\n';
    minimize(*module, property)->print(llvm::outs());
    return 1;
  }
  llvm::outs() << numGraphs << " graphs: " << counts.compared
               << " elements compared, " << counts.skipped
               << " decided by rounding alone\n";
  return 0;
}
