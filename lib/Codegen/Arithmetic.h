//===- Arithmetic.h - Scalars and vectors of a kernel -----------*- C++ -*-===//
//
// A kernel computes on scalars and on vectors of the *compute type* of an
// element: f32 for bf16 and f16, the element type itself for all others. In
// memory i1 is a byte.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_LIB_CODEGEN_ARITHMETIC_H
#define GRAPH_LIB_CODEGEN_ARITHMETIC_H

#include "graph/Dialect/Graph/IR/GraphOps.h"

namespace graph {

mlir::Type getComputeType(mlir::Type element);
mlir::Type getStorageType(mlir::Type element);

/// `type` itself for one lane, otherwise a vector of it.
mlir::Type getLanesType(mlir::Type type, unsigned lanes);

/// A constant of `type`, a scalar or a vector of one value.
mlir::Value createConstant(mlir::ImplicitLocOpBuilder &b, mlir::Type type,
                           mlir::TypedAttr value);
mlir::Value createInteger(mlir::ImplicitLocOpBuilder &b, mlir::Type type,
                          int64_t value);
mlir::Value createIndex(mlir::ImplicitLocOpBuilder &b, int64_t value);

/// The vector of `lanes` times `value`; vectors are returned as they are.
mlir::Value splat(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                  unsigned lanes);

/// From memory to the compute type and back. `element` is the element type of
/// the tensor; a value that goes to memory is one that it can hold (`roundTo`).
mlir::Value fromStorage(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                        mlir::Type element);
mlir::Value toStorage(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                      mlir::Type element);
/// The nearest value that an element can hold.
mlir::Value roundTo(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                    mlir::Type element);

/// The neutral element of a reduction in the compute type of `element`.
mlir::TypedAttr getNeutral(ReduceKind kind, mlir::Type element);
mlir::Value combine(mlir::ImplicitLocOpBuilder &b, ReduceKind kind,
                    mlir::Value lhs, mlir::Value rhs);
/// All lanes of `vector` combined: halves, then halves of these, ...
mlir::Value combineLanes(mlir::ImplicitLocOpBuilder &b, ReduceKind kind,
                         mlir::Value vector);

/// The columns of a square matrix of which `rows` are the rows. Their number,
/// equal to that of lanes, is a power of two.
llvm::SmallVector<mlir::Value>
transposeSquare(mlir::ImplicitLocOpBuilder &b,
                llvm::ArrayRef<mlir::Value> rows);

} // namespace graph

#endif // GRAPH_LIB_CODEGEN_ARITHMETIC_H
