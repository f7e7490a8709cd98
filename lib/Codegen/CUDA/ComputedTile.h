//===- ComputedTile.h - Tiles of operands that are computed -----*- C++ -*-===//
//
// An operand that no memory holds: the threads load what its elements are
// computed from, multiply an earlier tile while that is on its way, and then
// compute the elements and store them into shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_LIB_CODEGEN_CUDA_COMPUTEDTILE_H
#define GRAPH_LIB_CODEGEN_CUDA_COMPUTEDTILE_H

#include "TileLoader.h"

namespace graph::cuda {

/// Where neighbouring elements of an operand begin: along every batch
/// dimension, m (of a) or n (of b), and k.
struct ElementPosition {
  llvm::ArrayRef<Int> batch;
  Int outer, depth;
};

/// How elements of an operand are computed, `getWidth` neighbours at once.
class ComputedOperand {
public:
  virtual ~ComputedOperand() = default;

  /// A power of two that divides the extent along which neighbours lie.
  virtual unsigned getWidth() const = 0;
  /// Loads all that the elements need; their number is the same everywhere.
  virtual llvm::SmallVector<mlir::Value>
  load(const ElementPosition &position) = 0;
  /// The elements in their storage type, a scalar or a vector.
  virtual mlir::Value compute(const ElementPosition &position,
                              llvm::ArrayRef<mlir::Value> loaded) = 0;
};

class ComputedTileLoader : public TileLoader {
public:
  /// As that of a TileLoader; the layout's width is that of `operand`.
  ComputedTileLoader(mlir::ImplicitLocOpBuilder &b, const OperandLayout &layout,
                     int64_t tileOuter, int64_t tileDepth, unsigned numThreads,
                     Int thread, Int outerStart, llvm::ArrayRef<Int> batch,
                     ComputedOperand &operand)
      : TileLoader(b, layout, tileOuter, tileDepth, numThreads, thread,
                   /*matrix=*/nullptr, outerStart),
        batch(batch), operand(operand) {}

  llvm::SmallVector<mlir::Value> start(mlir::Value shared,
                                       Int depthStart) override;
  void finish(mlir::Value shared, Int depthStart,
              llvm::ArrayRef<mlir::Value> loaded) override;

private:
  ElementPosition getPosition(const Place &place, Int depthStart,
                              mlir::Value &isInside);

  llvm::ArrayRef<Int> batch;
  ComputedOperand &operand;
};

} // namespace graph::cuda

#endif // GRAPH_LIB_CODEGEN_CUDA_COMPUTEDTILE_H
