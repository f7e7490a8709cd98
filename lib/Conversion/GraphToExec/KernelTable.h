//===- KernelTable.h - One kernel for equal fusions -------------*- C++ -*-===//

#ifndef GRAPH_LIB_CONVERSION_GRAPHTOEXEC_KERNELTABLE_H
#define GRAPH_LIB_CONVERSION_GRAPHTOEXEC_KERNELTABLE_H

#include "graph/Codegen/KernelEmitter.h"

#include "llvm/ADT/StringSet.h"

namespace graph {

/// Emits kernels into a module, one for all fusions with equal bodies.
class KernelTable {
public:
  KernelTable(mlir::Operation *kernels, KernelTarget target)
      : kernels(kernels), target(target) {}

  /// The kernel of `fusion`, whose body must stay alive as long as the table.
  /// Emits an error on `fusion` where it is not one kernel.
  llvm::FailureOr<EmittedKernel> getKernel(FusionOp fusion);

  unsigned getNumKernels() const { return numKernels; }
  unsigned getNumShared() const { return numShared; }

private:
  mlir::Operation *kernels;
  KernelTarget target;
  struct Entry {
    FusionOp fusion;
    EmittedKernel kernel;
  };
  /// By a hash of the body.
  llvm::DenseMap<size_t, llvm::SmallVector<Entry, 1>> entries;
  llvm::StringMap<unsigned> nameCounts;
  unsigned numKernels = 0, numShared = 0;
};

/// The distinct operations of a fusion in short, such as "sub_exp"; used in the
/// names of kernels and in the artifact's table of locations.
std::string summarize(FusionOp fusion, llvm::StringRef separator);

} // namespace graph

#endif // GRAPH_LIB_CONVERSION_GRAPHTOEXEC_KERNELTABLE_H
