//===- OperandTensorMap.h - Operands of products for TMA --------*- C++ -*-===//
//
// The TMA unit of sm_90 copies boxes of a strided tensor into shared memory;
// one thread starts a copy, and what lies outside of the tensor arrives as
// zeros. An operand with its batch is such a tensor:
//
//   a of [B,S,H,D] x [B,T,H,D] -> [B,H,S,T]   m = S, k = D, batch B, H
//     dimension   depth   batch H   outer   batch B
//     size        D       H         S       B
//     stride      1       D         H D     S H D
//     box         64      1         128     1
//
// Boxes have rows of 128 bytes, which TMA permutes as wgmma wants them. A tile
// is one box if its depth is contiguous, else one for every 128 bytes of its
// outer dimension.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_PLANNING_OPERANDTENSORMAP_H
#define GRAPH_PLANNING_OPERANDTENSORMAP_H

#include "graph/Planning/ContractionTiling.h"

#include <optional>

namespace graph {

struct OperandTensorMap {
  struct Dimension {
    enum Kind { Outer, Depth, Batch };
    Kind kind;
    /// Which one of GemmForm::batch.
    unsigned batch;
    int64_t size;
    /// In elements.
    int64_t stride;
    int64_t box;
  };
  /// The innermost first, then in the order of their strides. Batch dimensions
  /// along which the operand does not move are left out.
  llvm::SmallVector<Dimension, 5> dimensions;
  /// Of the first element.
  int64_t offset;
  unsigned elementBytes;

  bool isDepthContiguous() const {
    return dimensions.front().kind == Dimension::Depth;
  }
};

/// Bytes of the rows of boxes.
inline constexpr int64_t kTensorMapRowBytes = 128;

/// The maps of a and b for the tiles of `tiling`; nothing where TMA cannot
/// read them.
std::optional<OperandTensorMap>
getLhsTensorMap(const GemmForm &form, const ContractionTiling &tiling);
std::optional<OperandTensorMap>
getRhsTensorMap(const GemmForm &form, const ContractionTiling &tiling);

} // namespace graph

#endif // GRAPH_PLANNING_OPERANDTENSORMAP_H
