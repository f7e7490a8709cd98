//===- MixedPrecisionPolicy.h - Which types operations like -----*- C++ -*-===//
//
// The one table of mixed precision, after the practice of the field: what gains
// from a low precision, what is exact enough in any, and what must be left
// alone. MixedPrecisionPolicy.cpp lists the operations.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_TRANSFORMS_MIXEDPRECISIONPOLICY_H
#define GRAPH_TRANSFORMS_MIXEDPRECISIONPOLICY_H

#include "mlir/IR/OperationSupport.h"

namespace graph {

enum class PrecisionClass {
  /// Computed in low precision: fast there, and accumulated in f32 anyway.
  Low,
  /// Computed in the widest type of the operands.
  Follow,
  /// Computed in the type it was written in: sums, or functions that magnify
  /// the error of their operand. Also every operation that is not listed.
  AsWritten,
};

PrecisionClass getPrecisionClass(mlir::OperationName name);

} // namespace graph

#endif // GRAPH_TRANSFORMS_MIXEDPRECISIONPOLICY_H
