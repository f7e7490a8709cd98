//===- KernelEmitter.h - From a fusion to a kernel function -----*- C++ -*-===//

#ifndef GRAPH_CODEGEN_KERNELEMITTER_H
#define GRAPH_CODEGEN_KERNELEMITTER_H

#include "graph/Analysis/KernelPlan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace graph {

struct EmittedKernel {
  mlir::func::FuncOp function;
  /// The function is to be called once for each number below this, in any
  /// order and in parallel. 0 where there is nothing to compute.
  int64_t numWorkgroups;
  /// Operands that may share memory with a result.
  llvm::SmallVector<InPlacePair> inPlace;
  KernelCost cost;
};

/// Adds a function `name` to `kernels` that computes `fusion`, in the scf,
/// arith, math, vector and memref dialects. Its arguments are one memref per
/// operand, one per result (one dimension of as many elements as the tensor
/// has, row-major; i1 as i8 holding 0 or 1, bf16 as its bits in i16), and the
/// number of the workgroup (`index`). Distinct arguments may overlap only as
/// `inPlace` says. Emits an error on `fusion` where it is not one kernel.
llvm::FailureOr<EmittedKernel> emitKernel(FusionOp fusion,
                                          const KernelTarget &target,
                                          mlir::ModuleOp kernels,
                                          llvm::StringRef name);

} // namespace graph

#endif // GRAPH_CODEGEN_KERNELEMITTER_H
