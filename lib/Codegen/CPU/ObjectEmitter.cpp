//===- ObjectEmitter.cpp - The llvm dialect to machine code ---------------===//

#include "ObjectEmitter.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

void graph::registerLLVMTranslations(MLIRContext &context) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  context.appendDialectRegistry(registry);
}

static std::unique_ptr<llvm::TargetMachine>
createTargetMachine(const graph::TargetCPU &cpu) {
  std::string error;
  llvm::Triple triple(cpu.triple);
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  assert(target && "getTargetCPU has initialised the target");
  llvm::TargetOptions options;
  // No multiplication and addition is contracted unless the IR says llvm.fma.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, cpu.name, cpu.features, options, llvm::Reloc::PIC_, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
}

/// Tells every function for which processor it is compiled.
static void annotate(llvm::Module &module, const graph::TargetCPU &cpu) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", cpu.name);
    function.addFnAttr("target-features", cpu.features);
    // LLVM prefers 256 bits on processors that once lowered their clock.
    function.addFnAttr("prefer-vector-width", "512");
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3)
      .run(module, modules);
}

FailureOr<std::string>
graph::emitCode(ModuleOp module, const graph::TargetCPU &cpu, CodeForm form) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(module, context, "kernels");
  if (!llvmModule)
    return module.emitError("found kernels that have no form in LLVM IR");
  std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(cpu);
  llvmModule->setTargetTriple(machine->getTargetTriple());
  llvmModule->setDataLayout(machine->createDataLayout());
  annotate(*llvmModule, cpu);
  optimize(*llvmModule, *machine);

  std::string result;
  if (form == CodeForm::LLVMText) {
    llvm::raw_string_ostream(result) << *llvmModule;
    return result;
  }
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                   llvm::CodeGenFileType::ObjectFile))
    return module.emitError("found a target that cannot write object files");
  passes.run(*llvmModule);
  result.assign(object.begin(), object.end());
  return result;
}
