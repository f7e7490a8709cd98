//===- Compile.cpp - From a graph to an artifact --------------------------===//

#include "graph/Pipelines/Compile.h"
#include "graph/Artifact/ArtifactWriter.h"
#include "graph/Codegen/CPU/KernelCompiler.h"
#include "graph/Codegen/CUDA/Assemble.h"
#include "graph/Codegen/CUDA/KernelCompiler.h"
#include "graph/Codegen/CUDA/KernelResources.h"
#include "graph/Dialect/Exec/IR/ExecOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Error.h"

using namespace mlir;
using namespace graph;

/// Constants of more elements than this are left out of the source that an
/// artifact keeps: it holds their bytes anyway.
static constexpr int64_t maxPrintedElements = 16;

namespace {
struct CompileTarget {
  KernelTarget kernels;
  /// Unless it is CUDA.
  std::optional<TargetCPU> cpu;
};
} // namespace

static llvm::Expected<CompileTarget> getTarget(const CompileOptions &options) {
  CompileTarget target;
  if (options.target != "cpu") {
    llvm::Expected<KernelTarget> kernels = KernelTarget::parse(options.target);
    if (!kernels)
      return kernels.takeError();
    target.kernels = *kernels;
    if (kernels->isCUDA())
      return target;
  }
  llvm::Expected<TargetCPU> cpu = getTargetCPU(options.cpu);
  if (!cpu)
    return cpu.takeError();
  if (options.target == "cpu")
    target.kernels = KernelTarget::getCPU(cpu->vectorBits);
  target.cpu = std::move(*cpu);
  return target;
}

static std::string print(Operation *module, const OpPrintingFlags &flags = {}) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, flags);
  return text;
}

/// Kernels without their bodies, which have an output of their own. A gpu.func
/// cannot be a declaration: it keeps an empty body.
static std::string printExec(ModuleOp module) {
  if (Operation *kernels = exec::getKernels(module))
    for (auto kernel : kernels->getRegion(0).getOps<FunctionOpInterface>()) {
      if (auto function = dyn_cast<func::FuncOp>(*kernel)) {
        function.getBody().getBlocks().clear();
        function.setPrivate();
        continue;
      }
      Block &body = kernel.getFunctionBody().front();
      Operation *terminator = kernel.getFunctionBody().back().getTerminator();
      terminator->moveBefore(&body, body.begin());
      while (&body.back() != terminator) {
        body.back().dropAllUses();
        body.back().erase();
      }
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

static FailureOr<std::string>
printCUDACode(gpu::GPUModuleOp kernels, StringRef chip, CompileOutput output) {
  if (output == CompileOutput::LLVM)
    return printKernelsAsNVPTXLLVM(kernels, chip);
  TimingScope noTiming;
  FailureOr<std::string> ptx = compileKernelsToPTX(kernels, chip, noTiming);
  if (failed(ptx) || output == CompileOutput::PTX)
    return ptx;
  auto resources = getKernelResources(kernels, *ptx, chip);
  if (!resources)
    return kernels.emitError(llvm::toString(resources.takeError()));
  return printKernelResources(*resources);
}

static FailureOr<std::string> printCode(Operation *kernels,
                                        const CompileTarget &target,
                                        CompileOutput output) {
  if (target.kernels.isCUDA())
    return printCUDACode(cast<gpu::GPUModuleOp>(kernels), target.kernels.chip,
                         output);
  if (output != CompileOutput::LLVM)
    return kernels->emitError("found a CPU as the target of PTX, expected a "
                              "target such as cuda:sm_90");
  return printKernelsAsLLVM(cast<ModuleOp>(kernels), *target.cpu);
}

/// The parts of the artifact that depend on the target.
static LogicalResult compileCode(Operation *kernels,
                                 const CompileTarget &target, bool cubin,
                                 TimingScope &timing,
                                 ArtifactContents &contents) {
  bool hasKernels = !kernels->getRegion(0).front().empty();
  FailureOr<std::string> code = std::string();
  if (target.kernels.isCUDA()) {
    contents.target = "cuda";
    contents.architecture = target.kernels.chip;
    if (hasKernels)
      code = compileKernelsToPTX(cast<gpu::GPUModuleOp>(kernels),
                                 target.kernels.chip, timing);
  } else {
    contents.target = "cpu";
    contents.architecture = target.cpu->architecture;
    contents.cpuFeatures = target.cpu->requiredFeatures;
    if (hasKernels)
      code = compileKernels(cast<ModuleOp>(kernels), *target.cpu, timing);
  }
  if (failed(code))
    return failure();
  contents.code = std::move(*code);
  if (!target.kernels.isCUDA() || !hasKernels || !cubin)
    return success();
  TimingScope assembling = timing.nest("Assemble PTX");
  llvm::Expected<std::string> assembled =
      assemblePTX(contents.code, target.kernels.chip);
  if (!assembled)
    return kernels->emitError(llvm::toString(assembled.takeError()));
  contents.cubin = std::move(*assembled);
  return success();
}

FailureOr<std::string> graph::compile(ModuleOp module,
                                      const CompileOptions &options,
                                      CompileOutput output,
                                      std::vector<FunctionMemory> *memory) {
  if (llvm::none_of(module.getOps<func::FuncOp>(),
                    [](func::FuncOp function) { return function.isPublic(); }))
    return module.emitError("found no public function to compile");
  llvm::Expected<CompileTarget> target = getTarget(options);
  if (!target)
    return module.emitError(llvm::toString(target.takeError()));
  TimingScope noTiming;
  TimingScope &timing = options.timing ? *options.timing : noTiming;
  std::string source = options.source;
  if (source.empty() && output == CompileOutput::Artifact)
    source = print(
        module, OpPrintingFlags().elideLargeElementsAttrs(maxPrintedElements));

  if (failed(run(module, timing, "Graph", [&](OpPassManager &pm) {
        buildGraphPipeline(pm, target->kernels, options.mixedPrecision);
      })))
    return failure();
  if (output == CompileOutput::Graph)
    return print(module);
  if (failed(run(module, timing, "Exec", [&](OpPassManager &pm) {
        buildExecPipeline(pm, target->kernels);
      })))
    return failure();
  if (memory)
    *memory = getMemory(module);
  if (output == CompileOutput::Exec)
    return printExec(module);

  Operation *kernels = exec::getKernels(module);
  if (output == CompileOutput::Kernels)
    return print(kernels);
  if (output != CompileOutput::Artifact)
    return printCode(kernels, *target, output);
  ArtifactContents contents;
  contents.source = std::move(source);
  if (failed(compileCode(kernels, *target, options.cubin, timing, contents)))
    return failure();
  TimingScope writing = timing.nest("Write artifact");
  return writeArtifact(module, contents);
}
