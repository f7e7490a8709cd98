//===- ContractionTiling.h - The blocks of a matrix product -----*- C++ -*-===//

#ifndef GRAPH_PLANNING_CONTRACTIONTILING_H
#define GRAPH_PLANNING_CONTRACTIONTILING_H

#include "graph/Analysis/GemmForm.h"
#include "graph/Planning/KernelTarget.h"

namespace graph {

/// How a GPU computes a product: a workgroup computes `blockM` x `blockN` sums
/// and reads its operands in steps of `blockK`, a warp of it a part of equal
/// shape as all others.
struct ContractionTiling {
  enum Engine {
    /// Fused multiply-adds of single threads: f32 and f64.
    Scalar,
    /// mma.sync: bf16 and f16, and f32 rounded to tf32.
    TensorCore,
    /// wgmma of sm_90a: bf16 and f16.
    WarpGroup,
  };
  Engine engine = Scalar;
  int64_t blockM = 0, blockN = 0, blockK = 0;
  unsigned warpsM = 1, warpsN = 1;
  /// Steps that are in shared memory at once.
  unsigned stages = 3;
  unsigned elementBytes = 4;
  /// Of the sums: 4 (f32) or 8 (f64).
  unsigned sumBytes = 4;
  /// Whether the TMA unit copies tiles, told by one more warp (WarpGroup only).
  bool usesTMA = false;

  /// Threads of the workgroup that multiply.
  unsigned getNumProductThreads() const { return 32 * warpsM * warpsN; }
  unsigned getNumThreads() const {
    return getNumProductThreads() + (usesTMA ? 32 : 0);
  }
  /// The dynamic shared memory of a workgroup: tiles, in whose place are the
  /// sums at the end, then two mbarriers per stage for TMA.
  int64_t getSharedBytes() const;
  int64_t getTileBytes() const;
  int64_t getNumBlocks(const GemmForm &form) const;
};

/// What threads do with the operands' tiles: only multiply them, add their
/// elements beside that, or compute them too.
enum class OperandUse { Multiply, Sum, Compute };

/// The blocks for a product of `element`s: large ones, but enough of them. Only
/// tiles that threads do not look at are multiplied by groups of warps; where
/// threads compute them, they hold fewer sums.
ContractionTiling chooseContractionTiling(const GemmForm &form,
                                          mlir::Type element,
                                          const KernelTarget &target,
                                          OperandUse use);

} // namespace graph

#endif // GRAPH_PLANNING_CONTRACTIONTILING_H
