//===- KernelEmitter.h - From a fusion to a kernel function -----*- C++ -*-===//

#ifndef GRAPH_CODEGEN_KERNELEMITTER_H
#define GRAPH_CODEGEN_KERNELEMITTER_H

#include "graph/Planning/DotEpilogue.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace graph {

/// A product that the vendor's library can compute too.
struct LibraryProduct {
  /// Without bases: those of a and b are the operands `lhs` and `rhs`.
  GemmForm form;
  unsigned lhs, rhs;
  DotEpilogue epilogue;
};

struct EmittedKernel {
  mlir::FunctionOpInterface function;
  /// The function is to be called once for each number below this, in any
  /// order and in parallel. 0 where there is nothing to compute.
  int64_t numWorkgroups;
  /// Operands that may share memory with a result.
  llvm::SmallVector<InPlacePair> inPlace;
  KernelCost cost;
  std::optional<LibraryProduct> product = {};
};

/// The module `@kernels` into which the kernels of a program go: a builtin
/// module of func.func for a CPU, a gpu.module of gpu.func for CUDA.
mlir::Operation *createKernelModule(mlir::OpBuilder &builder,
                                    mlir::Location location,
                                    const KernelTarget &target);

/// Attribute of a gpu.func: 32 if all positions in it, and all products of
/// sizes that it computes, are below 2^31, so that index arithmetic may have so
/// many bits (i64; absent for 64).
inline constexpr llvm::StringLiteral kIndexBitsAttr = "exec.index_bits";

/// Adds a function `name` to `kernels` that computes `fusion`, in the scf,
/// arith, math, vector and memref dialects. Its arguments are one memref per
/// operand and one per result (one dimension of as many elements as the tensor
/// has, row-major; i1 as i8 holding 0 or 1, bf16 as its bits in i16). On a CPU
/// the last argument is the number of the workgroup (`index`); a gpu.func reads
/// it from gpu.block_id and runs in blocks of its known_block_size. Distinct
/// arguments may overlap only as `inPlace` says. Emits an error on `fusion`
/// where it is not one kernel.
llvm::FailureOr<EmittedKernel> emitKernel(FusionOp fusion,
                                          const KernelTarget &target,
                                          mlir::Operation *kernels,
                                          llvm::StringRef name);

} // namespace graph

#endif // GRAPH_CODEGEN_KERNELEMITTER_H
