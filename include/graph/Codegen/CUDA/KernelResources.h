//===- KernelResources.h - What kernels take of a GPU -----------*- C++ -*-===//

#ifndef GRAPH_CODEGEN_CUDA_KERNELRESOURCES_H
#define GRAPH_CODEGEN_CUDA_KERNELRESOURCES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include <string>
#include <vector>

namespace graph {

struct KernelResources {
  std::string name;
  /// Per block.
  unsigned threads = 0;
  /// Per thread, as allocated by ptxas.
  unsigned registers = 0;
  /// Bytes per thread that did not fit into registers, stored and loaded.
  unsigned spillStores = 0, spillLoads = 0;
  /// Bytes per block, static and dynamic.
  unsigned sharedBytes = 0;
  /// Warps that one multiprocessor can hold, of those it has room for: 0 to 1.
  double occupancy = 0;
};

/// Compiles `ptx`, which was made of `kernels`, with the CUDA toolkit's ptxas
/// for `chip` (one of getCUDAChips()) and reads its report; in the order of
/// `kernels`. ptxas is looked for in PATH, then in CUDA_HOME/bin and
/// /usr/local/cuda/bin. The error says that there is none, or what it said.
llvm::Expected<std::vector<KernelResources>>
getKernelResources(mlir::gpu::GPUModuleOp kernels, llvm::StringRef ptx,
                   llvm::StringRef chip);

/// A table in Markdown.
std::string printKernelResources(llvm::ArrayRef<KernelResources> kernels);

} // namespace graph

#endif // GRAPH_CODEGEN_CUDA_KERNELRESOURCES_H
