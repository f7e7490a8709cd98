//===- ScalarConversions.h - Numbers to f32, before a rounding --*- C++ -*-===//
//
// Kernels hold bf16 and f16 as f32 and round each result. Rounding a wider
// number to f32 first, to nearest, may create a tie that was none, or break
// one. The functions here round to odd instead: an inexact result gets an odd
// last bit, which stands for "a little more", and f32 has enough bits for the
// second rounding to come out as if it were the only one.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_DIALECT_GRAPH_IR_SCALARCONVERSIONS_H
#define GRAPH_DIALECT_GRAPH_IR_SCALARCONVERSIONS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace graph {

/// f64 to f32, rounded to odd. `value` is a scalar or a vector.
mlir::Value buildTruncateToOdd(mlir::ImplicitLocOpBuilder &builder,
                               mlir::Value value);

/// A signed integer (a scalar or a vector) to what a kernel holds an `element`
/// as: f64, f32, or f32 that is to be rounded to bf16 or f16.
mlir::Value buildIntToFloat(mlir::ImplicitLocOpBuilder &builder,
                            mlir::Value value, mlir::FloatType element);

} // namespace graph

#endif // GRAPH_DIALECT_GRAPH_IR_SCALARCONVERSIONS_H
