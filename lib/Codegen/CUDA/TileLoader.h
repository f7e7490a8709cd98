//===- TileLoader.h - Tiles from global to shared memory --------*- C++ -*-===//

#ifndef GRAPH_LIB_CODEGEN_CUDA_TILELOADER_H
#define GRAPH_LIB_CODEGEN_CUDA_TILELOADER_H

#include "TensorCore.h"

#include "graph/Analysis/OperandLayout.h"

namespace graph::cuda {

/// Copies tiles of `tileOuter` x `tileDepth` elements, with all threads of a
/// block. What lies outside of the matrix becomes 0. Copies are asynchronous
/// (`commitCopies`, `waitForCopies`) where memory is accessed by at least 4
/// bytes; in any case a barrier makes them visible.
class TileLoader {
public:
  /// `matrix` points to the first element of the matrix; the tile starts at
  /// `outerStart`.
  TileLoader(mlir::ImplicitLocOpBuilder &b, const OperandLayout &layout,
             int64_t tileOuter, int64_t tileDepth, unsigned numThreads,
             Int thread, mlir::Value matrix, Int outerStart);
  virtual ~TileLoader() = default;

  int64_t getBytes() const {
    return numRows * numColumns * layout.elementBytes;
  }
  /// The tile at `pointer`.
  SharedTile getTile(mlir::Value pointer) const;
  /// Starts to load the tile at `depthStart` into the one at `shared`. Returns
  /// what is on its way in registers.
  virtual llvm::SmallVector<mlir::Value> start(mlir::Value shared,
                                               Int depthStart);
  /// Puts into the tile what `start` returned.
  virtual void finish(mlir::Value shared, Int depthStart,
                      llvm::ArrayRef<mlir::Value> loaded) {}

protected:
  /// A place in the tile: what depends on the thread, and what does not.
  struct Place {
    Int row, column;
    int64_t rowStep, columnStep;
  };
  Place getPlace(int64_t pass) const;
  int64_t getNumPasses() const {
    return numRows * numColumns / (layout.width * numThreads);
  }
  /// Where in a tile at `shared` the elements of a place go.
  mlir::Value getTarget(mlir::Value shared, const Place &place) const;
  mlir::Value getValidBytes(const Place &place, Int depthStart);
  mlir::Value loadOrZero(mlir::Value pointer, mlir::Value validBytes);

  mlir::ImplicitLocOpBuilder &b;
  OperandLayout layout;
  /// Rows are contiguous in memory.
  int64_t numRows, numColumns;
  unsigned numThreads;
  Int thread;
  mlir::Value matrix;
  Int outerStart;
  bool needsRowCheck, needsColumnCheck;
};

} // namespace graph::cuda

#endif // GRAPH_LIB_CODEGEN_CUDA_TILELOADER_H
