//===- KernelCompiler.cpp - Kernels to one shared object ------------------===//
//
// The kernels are dealt into parts of equal size, which are lowered, optimised
// and turned into object files in parallel.
//
//===----------------------------------------------------------------------===//

#include "graph/Codegen/CPU/KernelCompiler.h"
#include "ObjectEmitter.h"
#include "graph/Codegen/CPU/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Threading.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Error.h"

using namespace mlir;

/// Small enough to keep all cores busy, and fixed, so that the bytes do not
/// depend on the number of cores.
static constexpr size_t kernelsPerPart = 8;

/// A module of modules with the functions of `kernels`; each has all of the
/// external declarations.
static OwningOpRef<ModuleOp> splitIntoParts(ModuleOp kernels, size_t partSize) {
  OwningOpRef<ModuleOp> parts = ModuleOp::create(kernels.getLoc());
  OpBuilder builder(parts->getBodyRegion());
  ModuleOp part;
  size_t count = 0;
  for (auto function : kernels.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    if (count++ % partSize == 0) {
      builder.setInsertionPointToEnd(parts->getBody());
      part = ModuleOp::create(builder, kernels.getLoc());
      builder.setInsertionPointToEnd(part.getBody());
      for (auto other : kernels.getOps<func::FuncOp>())
        if (other.isExternal())
          builder.clone(*other);
    }
    builder.setInsertionPointToEnd(part.getBody());
    builder.clone(*function);
  }
  return parts;
}

static LogicalResult lower(ModuleOp parts, TimingScope &timing) {
  PassManager pm(parts.getContext());
  pm.enableTiming(timing);
  // Nearly all of these passes are upstream's; verifying after each of them
  // takes a fifth of a compilation.
  pm.enableVerifier(false);
  graph::buildCPUKernelPipeline(pm.nest<ModuleOp>());
  return pm.run(parts);
}

FailureOr<std::string> graph::compileKernels(ModuleOp kernels,
                                             const TargetCPU &cpu,
                                             TimingScope &timing) {
  registerLLVMTranslations(*kernels.getContext());
  OwningOpRef<ModuleOp> parts = splitIntoParts(kernels, kernelsPerPart);
  TimingScope lowering = timing.nest("Lower kernels to the llvm dialect");
  if (failed(lower(*parts, lowering)))
    return failure();
  lowering.stop();

  TimingScope emission = timing.nest("Generate machine code");
  SmallVector<ModuleOp> modules(parts->getOps<ModuleOp>());
  SmallVector<std::string> objects(modules.size());
  if (failed(failableParallelForEachN(
          kernels.getContext(), 0, modules.size(), [&](size_t i) {
            FailureOr<std::string> object =
                emitCode(modules[i], cpu, CodeForm::Object);
            if (failed(object))
              return failure();
            objects[i] = std::move(*object);
            return success();
          })))
    return failure();
  emission.stop();

  TimingScope linking = timing.nest("Link kernels");
  llvm::Expected<std::string> shared = linkSharedObject(objects, cpu);
  if (!shared)
    return kernels.emitError(llvm::toString(shared.takeError()));
  return std::move(*shared);
}

FailureOr<std::string> graph::printKernelsAsLLVM(ModuleOp kernels,
                                                 const TargetCPU &cpu) {
  registerLLVMTranslations(*kernels.getContext());
  OwningOpRef<ModuleOp> parts =
      splitIntoParts(kernels, /*partSize=*/std::numeric_limits<size_t>::max());
  TimingScope noTiming;
  if (failed(lower(*parts, noTiming)))
    return failure();
  std::string text;
  for (auto part : parts->getOps<ModuleOp>()) {
    FailureOr<std::string> code = emitCode(part, cpu, CodeForm::LLVMText);
    if (failed(code))
      return failure();
    text += *code;
  }
  return text;
}
