//===- OperandLayout.h - Operands of products in memory ---------*- C++ -*-===//

#ifndef GRAPH_ANALYSIS_OPERANDLAYOUT_H
#define GRAPH_ANALYSIS_OPERANDLAYOUT_H

#include "graph/Analysis/GemmForm.h"

namespace graph {

/// An operand of a product in global memory: `outer` (m of a, n of b) times
/// `depth` elements. One of the strides is 1.
struct OperandLayout {
  int64_t outer, depth;
  int64_t outerStride, depthStride;
  unsigned elementBytes;
  /// Elements of one access: as many as are always aligned, at most 16 bytes.
  unsigned width;

  bool isDepthContiguous() const {
    return depthStride == 1 && (outerStride != 1 || depth > 1);
  }
};

/// The elements, at most 16 bytes, that lie at multiples of their number in all
/// lines of a matrix: `lines` rows or columns `lineStride` elements apart, in
/// every batch, from `offset` on.
unsigned getAccessWidth(unsigned elementBytes, int64_t offset,
                        llvm::ArrayRef<int64_t> batch,
                        llvm::ArrayRef<int64_t> batchStrides, int64_t lines,
                        int64_t lineStride);

/// The layouts of a and b.
OperandLayout getLhsLayout(const GemmForm &form, unsigned elementBytes);
OperandLayout getRhsLayout(const GemmForm &form, unsigned elementBytes);

} // namespace graph

#endif // GRAPH_ANALYSIS_OPERANDLAYOUT_H
