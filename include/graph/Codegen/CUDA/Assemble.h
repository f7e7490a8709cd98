//===- Assemble.h - PTX to machine code -------------------------*- C++ -*-===//

#ifndef GRAPH_CODEGEN_CUDA_ASSEMBLE_H
#define GRAPH_CODEGEN_CUDA_ASSEMBLE_H

#include "mlir/Support/LLVM.h"
#include <string>

namespace graph {

/// Whether the CUDA toolkit's library nvJitLink can be loaded here.
bool canAssemblePTX();

/// The machine code (a cubin) of `ptx` for `chip`, one of getCUDAChips(), made
/// in this process by nvJitLink; no device is needed. The error says that the
/// library is missing, or what it said.
llvm::Expected<std::string> assemblePTX(llvm::StringRef ptx,
                                        llvm::StringRef chip);

} // namespace graph

#endif // GRAPH_CODEGEN_CUDA_ASSEMBLE_H
