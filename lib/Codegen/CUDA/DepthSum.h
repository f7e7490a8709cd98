//===- DepthSum.h - Sums of an operand beside its product -------*- C++ -*-===//
//
// While a tile of an operand lies in shared memory to be multiplied, the
// threads add its elements along the depth too: the gradient of a bias costs no
// pass over memory of its own. A thread adds 16-byte chunks; those with the
// same place along the outer dimension are *parts*, whose sums meet at the end.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_LIB_CODEGEN_CUDA_DEPTHSUM_H
#define GRAPH_LIB_CODEGEN_CUDA_DEPTHSUM_H

#include "TensorCore.h"

namespace graph::cuda {

class DepthSum {
public:
  /// Tiles have `tileOuter` x `tileDepth` elements; rows run along the depth if
  /// `isDepthContiguous`. There are at least `tileOuter` threads, or as many as
  /// a row has chunks.
  DepthSum(mlir::ImplicitLocOpBuilder &b, mlir::Type element, int64_t tileOuter,
           int64_t tileDepth, bool isDepthContiguous, unsigned numThreads,
           Int thread);

  /// What a thread has at first: a vector of f32 (f64 for f64).
  mlir::Value getZero();
  /// The sums of this thread and the elements of one tile.
  mlir::Value accumulate(const SharedTile &tile, mlir::Value sums);
  /// Calls `store(outer, sum)` for every outer element of the tile, in one
  /// thread each, with the sum of all parts. All threads come here; when they
  /// have, what was at `shared` is overwritten.
  void finish(mlir::Value shared, mlir::Value sums,
              llvm::function_ref<void(Int outer, mlir::Value sum)> store);

private:
  /// Where sum `index` of part 0, and so on, lies: 16-byte units are permuted,
  /// so that threads that write two of them each do not meet in a bank.
  mlir::Value getPointer(mlir::Value shared, Int index);

  mlir::ImplicitLocOpBuilder &b;
  mlir::Type element, sumType;
  unsigned sumBytes;
  int64_t tileOuter, tileDepth;
  bool isDepthContiguous;
  Int thread;
  /// Elements of a chunk.
  int64_t chunk;
  /// Threads that share outer elements.
  int64_t numParts;
  /// The number of this thread among them, and its row or its chunk of a row.
  Int part, place;
};

} // namespace graph::cuda

#endif // GRAPH_LIB_CODEGEN_CUDA_DEPTHSUM_H
