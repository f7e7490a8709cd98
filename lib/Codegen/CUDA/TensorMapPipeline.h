//===- TensorMapPipeline.h - A warp copies, the others multiply -*- C++ -*-===//
//
// The last warp of a block does nothing but tell the TMA unit which tiles to
// copy, as far ahead as the ring has places; the warps before it multiply. No
// barrier of the block is between them, only those of the places
// (StageBarriers), so that groups of warps drift apart and fill each other's
// gaps.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_LIB_CODEGEN_CUDA_TENSORMAPPIPELINE_H
#define GRAPH_LIB_CODEGEN_CUDA_TENSORMAPPIPELINE_H

#include "BlockProduct.h"
#include "StageBarriers.h"
#include "TensorMapLoader.h"

namespace graph::cuda {

class TensorMapPipeline {
public:
  /// Computes with `numTiles` pairs of tiles. The ring begins at `shared`.
  TensorMapPipeline(mlir::ImplicitLocOpBuilder &b,
                    const ContractionTiling &tiling, int64_t numTiles,
                    mlir::Value shared, Int thread, TensorMapLoader lhs,
                    TensorMapLoader rhs);

  /// Emits all of the kernel: `finish` receives the sums of a thread that
  /// multiplies, runs in these threads alone and may use the ring's memory once
  /// they have waited for each other.
  void emit(BlockProduct &product,
            llvm::function_ref<void(llvm::ArrayRef<mlir::Value>)> finish);

private:
  void emitCopies();
  llvm::SmallVector<mlir::Value> emitProducts(BlockProduct &product);
  mlir::Value getLhs(Int tile);
  mlir::Value getRhs(Int tile);
  /// Whether this is the first thread of its warp.
  mlir::Value isFirstLane();
  /// The number of the warp, as its first thread says: this shows ptxas that
  /// warps do not part where they branch on it. Else it would have them wait
  /// for every single wgmma.
  Int getWarp();

  mlir::ImplicitLocOpBuilder &b;
  const ContractionTiling &tiling;
  int64_t numTiles;
  mlir::Value shared;
  Int thread;
  TensorMapLoader lhs, rhs;
  StageBarriers barriers;
};

} // namespace graph::cuda

#endif // GRAPH_LIB_CODEGEN_CUDA_TENSORMAPPIPELINE_H
