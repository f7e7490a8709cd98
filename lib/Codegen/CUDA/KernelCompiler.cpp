//===- KernelCompiler.cpp - Kernels to one PTX module ---------------------===//
//
// Kernels whose positions fit 31 bits are lowered with 32-bit index arithmetic,
// which costs a GPU half of that with 64 bits; the others apart from them.
// Their LLVM modules are linked and compiled as one.
//
//===----------------------------------------------------------------------===//

#include "graph/Codegen/CUDA/KernelCompiler.h"
#include "../MachineCode.h"
#include "graph/Codegen/CUDA/Passes.h"
#include "graph/Codegen/KernelEmitter.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

static void registerTranslations(MLIRContext &context) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  context.appendDialectRegistry(registry);
}

/// The oldest PTX version that knows the chip: a driver reads all versions up
/// to its own.
static StringRef getFeatures(StringRef chip) {
  if (chip == "sm_80")
    return "+ptx70";
  if (chip == "sm_90" || chip == "sm_90a")
    return "+ptx80";
  assert(chip == "sm_100" && "a chip of getCUDAChips");
  return "+ptx86";
}

static unsigned getIndexBits(gpu::GPUFuncOp kernel) {
  auto bits = kernel->getAttrOfType<IntegerAttr>(graph::kIndexBitsAttr);
  return bits ? bits.getInt() : 64;
}

/// The kernels with index arithmetic of `indexBits` bits as an LLVM module;
/// null if there are none.
static FailureOr<std::unique_ptr<llvm::Module>>
translate(gpu::GPUModuleOp kernels, unsigned indexBits,
          llvm::LLVMContext &context) {
  OwningOpRef<ModuleOp> part = ModuleOp::create(kernels.getLoc());
  OpBuilder builder(part->getBodyRegion());
  auto copy = gpu::GPUModuleOp::create(builder, kernels.getLoc(), "kernels");
  builder.setInsertionPointToStart(copy.getBody());
  for (auto kernel : kernels.getOps<gpu::GPUFuncOp>())
    if (getIndexBits(kernel) == indexBits)
      builder.clone(*kernel);
  if (copy.getOps<gpu::GPUFuncOp>().empty())
    return std::unique_ptr<llvm::Module>();

  PassManager pm(kernels.getContext());
  pm.enableVerifier(false);
  graph::buildCUDAKernelPipeline(pm, indexBits);
  if (failed(pm.run(*part)))
    return failure();
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(copy, context, "kernels");
  if (!module)
    return kernels.emitError("found kernels that have no form in LLVM IR");
  return module;
}

static FailureOr<std::unique_ptr<llvm::Module>>
translate(gpu::GPUModuleOp kernels, llvm::LLVMContext &context) {
  registerTranslations(*kernels.getContext());
  std::unique_ptr<llvm::Module> all =
      std::make_unique<llvm::Module>("kernels", context);
  for (unsigned indexBits : {32, 64}) {
    auto part = translate(kernels, indexBits, context);
    if (failed(part))
      return failure();
    if (*part && llvm::Linker::linkModules(*all, std::move(*part)))
      return kernels.emitError("found kernels that cannot be linked");
  }
  // The only symbols outside would be functions of a device library.
  for (llvm::Function &function : *all)
    if (function.isDeclaration() && !function.isIntrinsic())
      return kernels.emitError("found a call of '")
             << function.getName() << "', which CUDA kernels do not have";
  return all;
}

static std::unique_ptr<llvm::TargetMachine> createMachine(StringRef chip) {
  static bool initialized = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)initialized;
  return graph::createTargetMachine("nvptx64-nvidia-cuda", chip,
                                    getFeatures(chip));
}

FailureOr<std::string> graph::compileKernelsToPTX(gpu::GPUModuleOp kernels,
                                                  StringRef chip,
                                                  TimingScope &timing) {
  llvm::LLVMContext context;
  TimingScope lowering = timing.nest("Lower kernels to LLVM IR");
  auto module = translate(kernels, context);
  if (failed(module))
    return failure();
  lowering.stop();
  TimingScope emission = timing.nest("Generate PTX");
  std::unique_ptr<llvm::TargetMachine> machine = createMachine(chip);
  optimizeModule(**module, *machine);
  return emitMachineCode(**module, *machine, CodeFile::Assembly);
}

FailureOr<std::string> graph::printKernelsAsNVPTXLLVM(gpu::GPUModuleOp kernels,
                                                      StringRef chip) {
  llvm::LLVMContext context;
  auto module = translate(kernels, context);
  if (failed(module))
    return failure();
  std::unique_ptr<llvm::TargetMachine> machine = createMachine(chip);
  optimizeModule(**module, *machine);
  std::string text;
  llvm::raw_string_ostream(text) << **module;
  return text;
}
