//===- TensorCore.h - Warp-level matrix products ----------------*- C++ -*-===//
//
// A warp multiplies small matrices that its 32 lanes hold in registers:
//
//   d (16 x 8, f32) = a (16 x depth) * b (depth x 8) + c
//
// with depth 16 for bf16 and f16, 8 for tf32: always 32 bytes. In the terms of
// the PTX manual this is mma.sync m16n8k16 and m16n8k8. Operands come from
// tiles in shared memory. A tile's rows are contiguous and consist of 16-byte
// *chunks*, which are permuted within the row (`SharedTile`) so that neither
// writing rows nor reading 8x8 blocks has bank conflicts:
//
//   rows of 64 bytes      rows of 128 bytes
//   0: 0 1 2 3            0: 0 1 2 3 4 5 6 7
//   1: 0 1 2 3            1: 1 0 3 2 5 4 7 6
//   2: 1 0 3 2            2: 2 3 0 1 6 7 4 5
//   3: 1 0 3 2            3: 3 2 1 0 7 6 5 4
//   4: 2 3 0 1            ...
//
// An operand is stored either with the contracted dimension contiguous, or with
// its outer one (m of a, n of b), which `ldmatrix.trans` transposes on the way.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_LIB_CODEGEN_CUDA_TENSORCORE_H
#define GRAPH_LIB_CODEGEN_CUDA_TENSORCORE_H

#include "IntBuilder.h"

namespace graph::cuda {

/// The element type of a and b; accumulators are f32.
enum class MmaType { F16, BF16, TF32 };

unsigned getElementBytes(MmaType type);
/// The extent of the contracted dimension of one product.
unsigned getDepth(MmaType type);

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The pointer to a buffer in global memory.
mlir::Value getGlobalPointer(mlir::ImplicitLocOpBuilder &b, mlir::Value memref);
/// The dynamic shared memory of the block.
mlir::Value getSharedMemory(mlir::ImplicitLocOpBuilder &b);
mlir::Value advance(mlir::ImplicitLocOpBuilder &b, mlir::Value pointer,
                    Int bytes);
/// Loads and stores scalars and vectors at pointers that are multiples of
/// `alignment` bytes.
mlir::Value loadFrom(mlir::ImplicitLocOpBuilder &b, mlir::Type type,
                     mlir::Value pointer, unsigned alignment);
void storeTo(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
             mlir::Value pointer, unsigned alignment);

/// A tile in shared memory with rows of `rowBytes`, a power of two >= 16. What
/// has longer rows than 128 bytes is a sequence of tiles of such rows, which
/// hold 64 columns of 2-byte elements each.
struct SharedTile {
  mlir::Value pointer;
  unsigned rowBytes, numRows;
  /// Chunks of neighbouring rows are moved apart by two: for 4-byte elements
  /// that are read across rows.
  bool isReadAcrossRows = false;

  /// The byte offset of 16-byte chunk `chunk` of `row`.
  Int getOffset(Int row, Int chunk) const;
};

/// Starts a copy of `bytes` (4, 8 or 16) from global to shared memory. Only the
/// first `validBytes` (an i32) are read, where given; the others become 0.
void copyAsync(mlir::ImplicitLocOpBuilder &b, mlir::Value shared,
               mlir::Value global, unsigned bytes,
               mlir::Value validBytes = nullptr);
/// Ends a group of copies of this thread.
void commitCopies(mlir::ImplicitLocOpBuilder &b);
/// Waits until at most the last `pending` groups of this thread are not done.
void waitForCopies(mlir::ImplicitLocOpBuilder &b, unsigned pending);
/// Waits for all threads of the block.
void emitBarrier(mlir::ImplicitLocOpBuilder &b);
/// Waits for `numThreads` threads, whole warps, whose barrier this is alone.
void emitBarrier(mlir::ImplicitLocOpBuilder &b, unsigned numThreads);

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

/// Four registers (i32) of a lane: 16 (outer) x depth elements. As operand a
/// they are one fragment, as operand b two, of 8 columns each.
using Fragment = std::array<mlir::Value, 4>;
/// The lane's part of 16 x 8 results, f32. Lane l holds row l / 4, columns
/// 2 (l % 4) and the next, then the same of row l / 4 + 8.
using Accumulator = std::array<mlir::Value, 4>;

enum class MmaOperand { A, B };

/// Reads fragments of one operand from a tile.
class FragmentReader {
public:
  /// `lane` is the number of the lane in its warp. The tile's rows run along
  /// the contracted dimension if `isDepthContiguous`, else along the outer one.
  FragmentReader(mlir::ImplicitLocOpBuilder &b, MmaOperand operand,
                 MmaType type, SharedTile tile, bool isDepthContiguous,
                 Int lane)
      : b(b), operand(operand), type(type), tile(tile),
        isDepthContiguous(isDepthContiguous), lane(lane) {}

  /// The fragment at `outer` (a multiple of 16) and `depth` (a multiple of
  /// getDepth).
  Fragment read(Int outer, int64_t depth);

private:
  Fragment readMatrices(Int outer, int64_t depth);
  Fragment readElements(Int outer, int64_t depth);

  mlir::ImplicitLocOpBuilder &b;
  MmaOperand operand;
  MmaType type;
  SharedTile tile;
  bool isDepthContiguous;
  Int lane;
};

/// a * b + c; b is one half of a fragment: the first (0) or last (1) 8 columns.
Accumulator multiply(mlir::ImplicitLocOpBuilder &b, MmaType type,
                     const Fragment &lhs, const Fragment &rhs, unsigned half,
                     const Accumulator &sum);

/// Two neighbouring f32 values, rounded to nearest, as one register of a
/// fragment (f16 and bf16).
mlir::Value packPair(mlir::ImplicitLocOpBuilder &b, MmaType type,
                     mlir::Value low, mlir::Value high);

} // namespace graph::cuda

#endif // GRAPH_LIB_CODEGEN_CUDA_TENSORCORE_H
