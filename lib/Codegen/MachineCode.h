//===- MachineCode.h - LLVM modules to code ---------------------*- C++ -*-===//

#ifndef GRAPH_LIB_CODEGEN_MACHINECODE_H
#define GRAPH_LIB_CODEGEN_MACHINECODE_H

#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace graph {

/// The machine of an LLVM triple, processor and features, whose backend has
/// been initialised. No multiplication and addition is contracted unless the IR
/// says llvm.fma.
std::unique_ptr<llvm::TargetMachine>
createTargetMachine(llvm::StringRef triple, llvm::StringRef cpu,
                    llvm::StringRef features);

/// Gives the module the machine's triple and data layout, and optimises it.
void optimizeModule(llvm::Module &module, llvm::TargetMachine &machine);

enum class CodeFile { Object, Assembly };

/// The code of an optimised module.
std::string emitMachineCode(llvm::Module &module, llvm::TargetMachine &machine,
                            CodeFile file);

} // namespace graph

#endif // GRAPH_LIB_CODEGEN_MACHINECODE_H
