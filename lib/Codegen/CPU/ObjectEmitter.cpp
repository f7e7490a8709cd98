//===- ObjectEmitter.cpp - The llvm dialect to machine code ---------------===//

#include "ObjectEmitter.h"
#include "../MachineCode.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

void graph::registerLLVMTranslations(MLIRContext &context) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  context.appendDialectRegistry(registry);
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

FailureOr<std::string>
graph::emitCode(ModuleOp module, const graph::TargetCPU &cpu, CodeForm form) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(module, context, "kernels");
  if (!llvmModule)
    return module.emitError("found kernels that have no form in LLVM IR");
  std::unique_ptr<llvm::TargetMachine> machine =
      createTargetMachine(cpu.triple, cpu.name, cpu.features);
  annotate(*llvmModule, cpu);
  optimizeModule(*llvmModule, *machine);
  if (form == CodeForm::Object)
    return emitMachineCode(*llvmModule, *machine, CodeFile::Object);
  std::string text;
  llvm::raw_string_ostream(text) << *llvmModule;
  return text;
}
