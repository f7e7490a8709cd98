//===- BlockProduct.h - How threads multiply tiles --------------*- C++ -*-===//
//
// The part of a contraction that differs between scalar units and tensor cores:
// which sums of the block a thread holds, and how it adds a tile's products.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_LIB_CODEGEN_CUDA_BLOCKPRODUCT_H
#define GRAPH_LIB_CODEGEN_CUDA_BLOCKPRODUCT_H

#include "Contraction.h"
#include "TensorCore.h"

#include <memory>

namespace graph::cuda {

/// The sums of a block in shared memory, row-major. Groups of eight columns are
/// exchanged between rows that are written at once.
struct SumTile {
  mlir::Value pointer;
  int64_t columns;
  unsigned sumBytes;
  /// Rows that differ by 2^rowShift are written at once.
  unsigned rowShift;

  mlir::Value getPointer(mlir::ImplicitLocOpBuilder &b, Int row,
                         Int column) const;
};

class BlockProduct {
public:
  /// Tiles may have the depth contiguous or not.
  struct Layout {
    bool isLhsDepthContiguous, isRhsDepthContiguous;
  };

  BlockProduct(mlir::ImplicitLocOpBuilder &b, const ContractionTiling &tiling,
               Layout layout, Int thread);
  virtual ~BlockProduct() = default;

  virtual unsigned getNumSums() const = 0;
  /// Called when this thread's copies have arrived, before the barrier.
  virtual void publish() {}
  /// The sums of this thread and the products of one tile.
  virtual llvm::SmallVector<mlir::Value>
  accumulate(const SharedTile &lhs, const SharedTile &rhs,
             llvm::ArrayRef<mlir::Value> sums) = 0;
  /// Rows that one store instruction of a warp writes, see SumTile.
  virtual unsigned getRowShift() const = 0;
  virtual void store(const SumTile &tile, llvm::ArrayRef<mlir::Value> sums) = 0;

protected:
  mlir::ImplicitLocOpBuilder &b;
  const ContractionTiling &tiling;
  Layout layout;
  /// Extents of the part of the block that one warp computes.
  int64_t warpRows, warpColumns;
  Int lane;
  /// Where that part begins.
  Int warpRow, warpColumn;
};

std::unique_ptr<BlockProduct> createMmaProduct(mlir::ImplicitLocOpBuilder &b,
                                               const ContractionTiling &tiling,
                                               BlockProduct::Layout layout,
                                               Int thread, MmaType type);
/// f16 and bf16 on sm_90a. `thread` numbers whole groups of four warps, tiles
/// are 64 deep.
std::unique_ptr<BlockProduct>
createWarpGroupProduct(mlir::ImplicitLocOpBuilder &b,
                       const ContractionTiling &tiling,
                       BlockProduct::Layout layout, Int thread, MmaType type);
/// `type` is f32 or f64.
std::unique_ptr<BlockProduct>
createScalarProduct(mlir::ImplicitLocOpBuilder &b,
                    const ContractionTiling &tiling,
                    BlockProduct::Layout layout, Int thread, mlir::Type type);

} // namespace graph::cuda

#endif // GRAPH_LIB_CODEGEN_CUDA_BLOCKPRODUCT_H
