//===- ViewChain.h - Views between an operation and memory ------*- C++ -*-===//
//
// An operation that reads or writes memory with strides needs no copy of an
// operand that is a view of another tensor, nor of a result of which only a
// view is used: the views move into a fusion with it.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_LIB_DIALECT_GRAPH_TRANSFORMS_VIEWCHAIN_H
#define GRAPH_LIB_DIALECT_GRAPH_TRANSFORMS_VIEWCHAIN_H

#include "graph/Analysis/StridedView.h"

namespace graph {

struct ViewChain {
  /// The operand or result as a view of the memory.
  StridedView view;
  /// The view operations between it and the memory, in program order.
  llvm::SmallVector<mlir::Operation *> ops = {};
};

/// The views above `operand` down from the memory that they look at. Reshapes
/// next to it are left out: they are that memory under another shape.
ViewChain getOperandViews(mlir::Value operand);

/// The transposes and reshapes that alone use `result`, as far as one view
/// expresses them. Reshapes at the end are left out: they cost nothing.
ViewChain getResultViews(mlir::Value result);

/// Builds the operations `ops` again, the first one on `value`; returns the
/// result of the last.
mlir::Value cloneViews(mlir::OpBuilder &builder,
                       llvm::ArrayRef<mlir::Operation *> ops,
                       mlir::Value value);

/// Erases the views of operands that nobody uses any more.
void eraseUnusedViews(llvm::ArrayRef<llvm::ArrayRef<mlir::Operation *>> chains);

} // namespace graph

#endif // GRAPH_LIB_DIALECT_GRAPH_TRANSFORMS_VIEWCHAIN_H
