//===- TensorMapLoader.h - Tiles copied by the TMA unit ---------*- C++ -*-===//

#ifndef GRAPH_LIB_CODEGEN_CUDA_TENSORMAPLOADER_H
#define GRAPH_LIB_CODEGEN_CUDA_TENSORMAPLOADER_H

#include "TensorCore.h"

#include "graph/Planning/OperandTensorMap.h"

namespace graph::cuda {

/// Copies tiles of `tileOuter` x `tileDepth` elements of one operand.
class TensorMapLoader {
public:
  /// `pointer` is the kernel's parameter with the tensor map. The tile starts
  /// at `outerStart` of the matrix at `batch`, one index per batch dimension of
  /// the product.
  TensorMapLoader(mlir::ImplicitLocOpBuilder &b, OperandTensorMap map,
                  int64_t tileOuter, int64_t tileDepth, mlir::Value pointer,
                  llvm::ArrayRef<Int> batch, Int outerStart);

  int64_t getBytes() const { return numBoxes * boxRows * kTensorMapRowBytes; }
  /// The tile at `pointer`.
  SharedTile getTile(mlir::Value pointer) const {
    return {pointer, static_cast<unsigned>(numBoxes * kTensorMapRowBytes),
            static_cast<unsigned>(boxRows)};
  }
  /// Asks for the map before it is needed.
  void prefetch();
  /// Starts to copy the tile at `depthStart` into the one at `shared`, a
  /// multiple of 1024; its bytes count for `barrier`. By one thread.
  void start(mlir::Value shared, Int depthStart, mlir::Value barrier);

private:
  mlir::ImplicitLocOpBuilder &b;
  OperandTensorMap map;
  int64_t boxRows, numBoxes;
  mlir::Value pointer;
  llvm::SmallVector<Int> batch;
  Int outerStart;
};

} // namespace graph::cuda

#endif // GRAPH_LIB_CODEGEN_CUDA_TENSORMAPLOADER_H
