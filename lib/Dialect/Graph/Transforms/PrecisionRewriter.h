//===- PrecisionRewriter.h - f32 values in a lower precision ----*- C++ -*-===//
//
// Goes through a block once, from first to last, and decides for every
// operation whether its f32 values become values of the low type. What is
// narrow so far, and whether an operation may follow, is all it has to know:
//
//   %0 = graph.dot %x, %w      Low        operands cast, %0 becomes narrow
//   %1 = graph.mul %0, %half   Follow     narrow: a number adapts itself
//   %2 = graph.add %1, %x      Follow     f32: %x is f32
//   %3 = graph.exp %1          AsWritten  f32: a cast of %1 is its operand
//
// A value is cast once in each direction, where it is defined. The vector that
// a broadcast adds to a dot is the bias of a linear layer: it is narrow too.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_TRANSFORMS_PRECISIONREWRITER_H
#define GRAPH_TRANSFORMS_PRECISIONREWRITER_H

#include "graph/Dialect/Graph/IR/GraphOps.h"

namespace graph {

class PrecisionRewriter {
public:
  explicit PrecisionRewriter(mlir::FloatType low) : low(low) {}

  /// Returns how many operations compute in the low type now. The terminator
  /// keeps its operand types.
  unsigned run(mlir::Block &block);

private:
  bool isNarrow(mlir::Value value) const { return narrowed.contains(value); }
  /// A number that the low type holds without overflow or underflow.
  bool isNumber(mlir::Value value) const;
  bool canFollow(mlir::Operation *op) const;

  void computeLow(mlir::Operation *op);
  void computeAsWritten(mlir::Operation *op);
  mlir::Value narrow(mlir::Value value);
  mlir::Value widen(mlir::Value value);
  mlir::Value createNarrow(mlir::OpBuilder &builder, mlir::Value value);

  mlir::FloatType low;
  /// f32 once, `low` now.
  llvm::DenseSet<mlir::Value> narrowed;
  /// Casts of f32 values, and of those in `narrowed`.
  llvm::DenseMap<mlir::Value, mlir::Value> narrowCopies, wideCopies;
};

} // namespace graph

#endif // GRAPH_TRANSFORMS_PRECISIONREWRITER_H
