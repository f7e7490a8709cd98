//===- Compile.cpp - From a graph to an artifact --------------------------===//

#include "graph/Pipelines/Compile.h"
#include "graph/Artifact/ArtifactWriter.h"
#include "graph/Codegen/CPU/KernelCompiler.h"
#include "graph/Dialect/Exec/IR/ExecOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Error.h"

using namespace mlir;
using namespace graph;

/// Constants of more elements than this are left out of the source that an
/// artifact keeps: it holds their bytes anyway.
static constexpr int64_t maxPrintedElements = 16;

static std::string print(ModuleOp module, const OpPrintingFlags &flags = {}) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, flags);
  return text;
}

/// Kernels without their bodies, which have an output of their own.
static std::string printExec(ModuleOp module) {
  if (ModuleOp kernels = exec::getKernels(module))
    for (auto kernel : kernels.getOps<func::FuncOp>()) {
      kernel.getBody().getBlocks().clear();
      kernel.setPrivate();
    }
  return print(module);
}

static std::vector<FunctionMemory> getMemory(ModuleOp module) {
  std::vector<FunctionMemory> memory;
  for (auto function : module.getOps<exec::FuncOp>()) {
    exec::PlanAttr plan = function.getPlanAttr();
    memory.push_back({function.getSymName().str(), plan.getArena(),
                      plan.getMaxLive(), plan.getLowerBound()});
  }
  return memory;
}

static LogicalResult run(ModuleOp module, TimingScope &timing, StringRef phase,
                         function_ref<void(OpPassManager &)> build) {
  TimingScope scope = timing.nest(phase);
  PassManager pm(module.getContext());
  pm.enableTiming(scope);
  build(pm);
  return pm.run(module);
}

FailureOr<std::string> graph::compile(ModuleOp module,
                                      const CompileOptions &options,
                                      CompileOutput output,
                                      std::vector<FunctionMemory> *memory) {
  if (llvm::none_of(module.getOps<func::FuncOp>(),
                    [](func::FuncOp function) { return function.isPublic(); }))
    return module.emitError("found no public function to compile");
  llvm::Expected<TargetCPU> cpu = getTargetCPU(options.cpu);
  if (!cpu)
    return module.emitError(llvm::toString(cpu.takeError()));
  TimingScope noTiming;
  TimingScope &timing = options.timing ? *options.timing : noTiming;
  std::string source = options.source;
  if (source.empty() && output == CompileOutput::Artifact)
    source = print(
        module, OpPrintingFlags().elideLargeElementsAttrs(maxPrintedElements));

  if (failed(run(module, timing, "Graph", buildGraphPipeline)))
    return failure();
  if (output == CompileOutput::Graph)
    return print(module);
  if (failed(run(module, timing, "Exec", [&](OpPassManager &pm) {
        buildExecPipeline(pm, cpu->vectorBits);
      })))
    return failure();
  if (memory)
    *memory = getMemory(module);
  if (output == CompileOutput::Exec)
    return printExec(module);

  ModuleOp kernels = exec::getKernels(module);
  if (output == CompileOutput::Kernels)
    return print(kernels);
  if (output == CompileOutput::LLVM)
    return printKernelsAsLLVM(kernels, *cpu);
  ArtifactContents contents;
  contents.target = "cpu";
  contents.architecture = cpu->architecture;
  contents.cpuFeatures = cpu->requiredFeatures;
  contents.source = std::move(source);
  if (!kernels.getOps<func::FuncOp>().empty()) {
    FailureOr<std::string> code = compileKernels(kernels, *cpu, timing);
    if (failed(code))
      return failure();
    contents.code = std::move(*code);
  }
  TimingScope writing = timing.nest("Write artifact");
  return writeArtifact(module, contents);
}
