//===- ObjectEmitter.h - The llvm dialect to machine code -------*- C++ -*-===//

#ifndef GRAPH_LIB_CODEGEN_CPU_OBJECTEMITTER_H
#define GRAPH_LIB_CODEGEN_CPU_OBJECTEMITTER_H

#include "graph/Codegen/CPU/TargetCPU.h"

#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace graph {

/// Makes the translations that emitCode needs known to `context`. To be called
/// before emitCode runs in several threads.
void registerLLVMTranslations(mlir::MLIRContext &context);

enum class CodeForm { Object, LLVMText };

/// Translates `module`, which is in the llvm dialect, optimises it, and returns
/// a relocatable object file or the optimised LLVM IR. May run in several
/// threads on different modules. Emits errors on `module`.
llvm::FailureOr<std::string> emitCode(mlir::ModuleOp module,
                                      const TargetCPU &cpu, CodeForm form);

/// Links relocatable objects into a shared object. Its undefined symbols are
/// functions of libm and the C library's memory functions. The error says what
/// else was found, or what the linker said.
llvm::Expected<std::string>
linkSharedObject(llvm::ArrayRef<std::string> objects, const TargetCPU &cpu);

} // namespace graph

#endif // GRAPH_LIB_CODEGEN_CPU_OBJECTEMITTER_H
