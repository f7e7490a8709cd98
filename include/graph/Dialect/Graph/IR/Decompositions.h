//===- Decompositions.h - Formulas shared with derivatives ------*- C++ -*-===//
//
// A derivative recomputes parts of a composite's forward pass. Written by the
// same function they are the same operations, which --cse merges.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_DIALECT_GRAPH_IR_DECOMPOSITIONS_H
#define GRAPH_DIALECT_GRAPH_IR_DECOMPOSITIONS_H

#include "graph/Dialect/Graph/IR/Tensor.h"

namespace graph {

/// The type that composites compute in: bf16 and f16 are cast to f32, any other
/// type stays.
Tensor widen(Tensor x);

/// softmax(scale * query keyᵀ, masked) of shape [..., S, T], in the widened
/// element type. The row of a query with no key left is zeros.
Tensor attentionWeights(AttentionOp op, mlir::ImplicitLocOpBuilder &b);

} // namespace graph

#endif // GRAPH_DIALECT_GRAPH_IR_DECOMPOSITIONS_H
