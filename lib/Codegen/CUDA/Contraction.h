//===- Contraction.h - Matrix products by blocks ----------------*- C++ -*-===//
//
// A block of threads computes blockM x blockN sums. Tiles of a and b, blockK
// deep, travel through a ring of `stages` places in shared memory: while one is
// multiplied, the next ones are being copied, by all threads (TileLoader) or by
// the TMA unit (TensorMapPipeline). At the end the sums go through
// shared memory too, so that every thread gets neighbouring elements of a row,
// whatever the product's own distribution is, and the epilogue reads and writes
// whole sectors.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_LIB_CODEGEN_CUDA_CONTRACTION_H
#define GRAPH_LIB_CODEGEN_CUDA_CONTRACTION_H

#include "ComputedTile.h"

#include "graph/Planning/ContractionTiling.h"

namespace graph::cuda {

/// Where an epilogue stands: the index along every batch dimension, a row, and
/// the first of `lanes` columns.
struct SumPosition {
  llvm::SmallVector<Int> batch;
  Int row, column;
};
/// Receives `lanes` neighbouring sums of a row, in f32 or f64: a scalar or a
/// vector.
using Epilogue =
    llvm::function_ref<void(const SumPosition &position, mlir::Value sums)>;

/// Asks for the sums along k of a's rows or b's columns, of an operand without
/// a batch. `store` receives each of them once, in f32 or f64, with the number
/// of its row or column.
struct OperandSum {
  bool isRhs;
  llvm::function_ref<void(Int outer, mlir::Value sum)> store;
};

/// What a workgroup knows when it starts.
struct ContractionOperands {
  /// The memrefs that hold a and b, where they are not computed.
  mlir::Value lhs, rhs;
  /// The numbers of the block and of the thread, of type index.
  mlir::Value block, thread;
  /// Pointers to the tensor maps of a and b; null unless the tiling uses TMA.
  mlir::Value lhsMap = {}, rhsMap = {};
  /// Null for operands in memory.
  ComputedOperand *computedLhs = nullptr, *computedRhs = nullptr;
};

/// Emits what one workgroup computes. With more than one lane (a power of two)
/// n is a multiple of `lanes`. A dot is no elementwise code: its products are
/// added without rounding them first.
void emitContraction(mlir::ImplicitLocOpBuilder &b, const GemmForm &form,
                     const ContractionTiling &tiling, mlir::Type element,
                     const ContractionOperands &operands, unsigned lanes,
                     Epilogue epilogue,
                     const std::optional<OperandSum> &operandSum);

} // namespace graph::cuda

#endif // GRAPH_LIB_CODEGEN_CUDA_CONTRACTION_H
