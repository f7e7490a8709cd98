//===- IterationSpace.h - What points an operation computes -----*- C++ -*-===//
//
// The iteration space of an operation is a list of factors and, for every
// dimension of every operand and result, the ordered list of factors whose
// product is that dimension. Examples:
//
//   graph.dot  [B,M,K] x [B,K,N] -> [B,M,N]
//     factors   b m n k+            (k+ is a reduction factor, combiner sum)
//     operands  (b,m,k) (b,k,n)     results (b,m,n)
//
//   graph.broadcast [5] -> [4,5]
//     factors   i j                 operands (j)          results (i,j)
//
//   graph.reshape [B,S,H*D] -> [B,S,H,D]
//     factors   b s h d             operands (b,s,h*d)    results (b,s,h,d)
//
//   graph.slice [10] starts=2 limits=8 -> [6]
//     factors   i~                  operands (2 + i)      results (i)
//     (i~ is a window: a position in the result is not the same position in
//     the operand, so the factor cannot be split without a halo)
//
// Fusion composes these maps, sharding rules put mesh axes on factors, the
// cost model multiplies their sizes, and the transpose of a map is the
// derivative of a contraction, a broadcast or a reduction.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_DIALECT_GRAPH_IR_ITERATIONSPACE_H
#define GRAPH_DIALECT_GRAPH_IR_ITERATIONSPACE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace mlir {
class Operation;
} // namespace mlir

namespace graph {
enum class ReduceKind : uint32_t;

enum class FactorKind {
  /// Points are independent.
  Parallel,
  /// Points are combined; the result does not have this factor.
  Reduction,
  /// Points are independent, but an operand's position differs from the
  /// result's by an offset or a stride.
  Window,
  /// Points depend on each other or on data (the rows of a gathered table):
  /// never split.
  Whole,
};

struct Factor {
  int64_t size;
  FactorKind kind = FactorKind::Parallel;
  /// How points are combined; read only when `kind` is Reduction.
  ReduceKind combiner = ReduceKind();
};

/// One dimension of an operand or result: `offset + stride * i` where `i` is
/// the row-major index over `factors`, outermost first. A dimension without
/// factors is of size 1, or where it is read is no product of factors (a
/// reshape without a common refinement: the result's factors are Whole).
struct DimMap {
  llvm::SmallVector<unsigned, 2> factors;
  int64_t offset = 0;
  int64_t stride = 1;
};

/// The dimensions of one operand or result.
using TensorMap = llvm::SmallVector<DimMap, 4>;

struct IterationSpace {
  llvm::SmallVector<Factor, 6> factors;
  llvm::SmallVector<TensorMap, 3> operands;
  llvm::SmallVector<TensorMap, 1> results;

  /// Adds a factor and returns its number.
  unsigned addFactor(int64_t size, FactorKind kind = FactorKind::Parallel,
                     ReduceKind combiner = ReduceKind());

  /// The product of all factor sizes: the points of the space.
  int64_t getNumPoints() const;

  /// One parallel factor per result dimension, the same map everywhere.
  static IterationSpace elementwise(mlir::Operation *op);

  /// Checks the space against the shapes of `op`: every operand and result has
  /// a map of its rank, every dimension outside a window is the product of its
  /// factors. Emits an error on `op` otherwise.
  llvm::LogicalResult verify(mlir::Operation *op) const;
};

/// The common refinement of two factorisations of the same number of points:
/// the coarsest list of sizes of which consecutive groups multiply to each
/// element of `lhs` and also to each element of `rhs`. Sizes of 1 belong to no
/// factor. Fails where the shapes have none ([6] groups as 2x3 and as 3x2 at
/// the same place).
llvm::FailureOr<llvm::SmallVector<int64_t>>
getCommonRefinement(llvm::ArrayRef<int64_t> lhs, llvm::ArrayRef<int64_t> rhs);

} // namespace graph

#endif // GRAPH_DIALECT_GRAPH_IR_ITERATIONSPACE_H
