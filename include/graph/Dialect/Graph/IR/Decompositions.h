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

/// The weights exp(score - log_sum_exp) of shape [..., S, T] in the widened
/// element type, 0 where not kept. `logSumExp` [..., S] is that of the
/// attention; -inf, of a query with no key left, gives zeros.
Tensor attentionWeights(AttentionOpInterface op, Tensor logSumExp);

struct AttentionCotangents {
  Tensor query, key, value;
};

/// The derivative of an attention, given its weights, its result, the cotangent
/// of the result and, if there is one, the cotangent of its log_sum_exp.
/// Products are in the operands' element type.
AttentionCotangents attentionCotangents(AttentionOpInterface op, Tensor weights,
                                        Tensor result, Tensor cotangent,
                                        Tensor logSumExpCotangent);

} // namespace graph

#endif // GRAPH_DIALECT_GRAPH_IR_DECOMPOSITIONS_H
