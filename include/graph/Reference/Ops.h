//===- Ops.h - What each operation means, one function each -----*- C++ -*-===//
//
// The semantics of the graph dialect in double precision. Every function is
// pure and takes the operands and attributes of the operation of its name;
// where the result's type does not follow from them it is the last argument.
// Operands and attributes are those of a verified operation.
//
// Composites are computed from the formula in their description, not through
// their decomposition: the two check each other.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_REFERENCE_OPS_H
#define GRAPH_REFERENCE_OPS_H

#include "graph/Dialect/Graph/IR/GraphOps.h"
#include "graph/Reference/ReferenceTensor.h"

namespace graph::reference {

// Elementwise.
ReferenceTensor neg(const ReferenceTensor &x);
ReferenceTensor abs(const ReferenceTensor &x);
ReferenceTensor exp(const ReferenceTensor &x);
ReferenceTensor log(const ReferenceTensor &x);
ReferenceTensor sqrt(const ReferenceTensor &x);
ReferenceTensor rsqrt(const ReferenceTensor &x);
ReferenceTensor tanh(const ReferenceTensor &x);
ReferenceTensor erf(const ReferenceTensor &x);
ReferenceTensor logistic(const ReferenceTensor &x);
ReferenceTensor sin(const ReferenceTensor &x);
ReferenceTensor cos(const ReferenceTensor &x);
ReferenceTensor add(const ReferenceTensor &x, const ReferenceTensor &y);
ReferenceTensor sub(const ReferenceTensor &x, const ReferenceTensor &y);
ReferenceTensor mul(const ReferenceTensor &x, const ReferenceTensor &y);
ReferenceTensor div(const ReferenceTensor &x, const ReferenceTensor &y);
ReferenceTensor max(const ReferenceTensor &x, const ReferenceTensor &y);
ReferenceTensor min(const ReferenceTensor &x, const ReferenceTensor &y);
ReferenceTensor pow(const ReferenceTensor &x, const ReferenceTensor &y);
ReferenceTensor compare(ComparePredicate predicate, const ReferenceTensor &x,
                        const ReferenceTensor &y);
ReferenceTensor select(const ReferenceTensor &predicate,
                       const ReferenceTensor &onTrue,
                       const ReferenceTensor &onFalse);
/// Without `round`, floats keep the precision they have.
ReferenceTensor cast(const ReferenceTensor &x, mlir::RankedTensorType type,
                     bool round = true);

// Sources. `key` is a scalar.
ReferenceTensor iota(int64_t dim, mlir::RankedTensorType type);
ReferenceTensor randomUniform(const ReferenceTensor &key, int64_t stream,
                              mlir::RankedTensorType type);
ReferenceTensor randomNormal(const ReferenceTensor &key, int64_t stream,
                             mlir::RankedTensorType type);

// Movements.
ReferenceTensor broadcast(const ReferenceTensor &x,
                          llvm::ArrayRef<int64_t> dims,
                          mlir::RankedTensorType type);
ReferenceTensor reshape(const ReferenceTensor &x, mlir::RankedTensorType type);
ReferenceTensor transpose(const ReferenceTensor &x,
                          llvm::ArrayRef<int64_t> perm);
ReferenceTensor slice(const ReferenceTensor &x, llvm::ArrayRef<int64_t> starts,
                      llvm::ArrayRef<int64_t> strides,
                      mlir::RankedTensorType type);
ReferenceTensor pad(const ReferenceTensor &x, mlir::Attribute value,
                    llvm::ArrayRef<int64_t> low,
                    llvm::ArrayRef<int64_t> interior,
                    mlir::RankedTensorType type);
ReferenceTensor concat(llvm::ArrayRef<const ReferenceTensor *> xs, int64_t dim,
                       mlir::RankedTensorType type);
ReferenceTensor gather(const ReferenceTensor &table,
                       const ReferenceTensor &indices, IndexMode mode,
                       mlir::RankedTensorType type);
ReferenceTensor scatterAdd(const ReferenceTensor &init,
                           const ReferenceTensor &indices,
                           const ReferenceTensor &updates, IndexMode mode);

// Reductions and contractions.
ReferenceTensor reduce(ReduceKind kind, const ReferenceTensor &x,
                       llvm::ArrayRef<int64_t> dims);
ReferenceTensor dot(const ReferenceTensor &lhs, const ReferenceTensor &rhs,
                    llvm::ArrayRef<int64_t> lhsBatch,
                    llvm::ArrayRef<int64_t> rhsBatch,
                    llvm::ArrayRef<int64_t> lhsContract,
                    llvm::ArrayRef<int64_t> rhsContract,
                    mlir::RankedTensorType type);

// Composites. `mask` may be null.
ReferenceTensor relu(const ReferenceTensor &x);
ReferenceTensor silu(const ReferenceTensor &x);
ReferenceTensor gelu(GeluForm form, const ReferenceTensor &x);
ReferenceTensor softmax(const ReferenceTensor &x, int64_t dim);
ReferenceTensor logSoftmax(const ReferenceTensor &x, int64_t dim);
ReferenceTensor layerNorm(const ReferenceTensor &x,
                          const ReferenceTensor &scale,
                          const ReferenceTensor &bias, double epsilon);
ReferenceTensor crossEntropy(const ReferenceTensor &logits,
                             const ReferenceTensor &targets);
/// The result and log_sum_exp.
llvm::SmallVector<ReferenceTensor> attention(const ReferenceTensor &query,
                                             const ReferenceTensor &key,
                                             const ReferenceTensor &value,
                                             const ReferenceTensor *mask,
                                             bool causal, double scale);
/// The cotangents of query, key and value.
llvm::SmallVector<ReferenceTensor>
attentionGrad(const ReferenceTensor &query, const ReferenceTensor &key,
              const ReferenceTensor &value, const ReferenceTensor &result,
              const ReferenceTensor &logSumExp,
              const ReferenceTensor &cotangent, const ReferenceTensor *mask,
              bool causal, double scale);

} // namespace graph::reference

#endif // GRAPH_REFERENCE_OPS_H
