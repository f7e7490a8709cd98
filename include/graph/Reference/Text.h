//===- Text.h - Tensors for people ------------------------------*- C++ -*-===//

#ifndef GRAPH_REFERENCE_TEXT_H
#define GRAPH_REFERENCE_TEXT_H

#include "graph/Reference/ReferenceTensor.h"

namespace graph {

struct TextOptions {
  /// The shortest digits that read back as the same double, instead of six.
  bool fullPrecision = false;
  /// Larger tensors show only the first and last three positions of each
  /// dimension.
  int64_t maxElements = 1000;
};

/// Prints the elements in brackets, one innermost row per line:
///   [[1, 2, 3],
///    [4, 5, 6]]
void printElements(llvm::raw_ostream &os, const ReferenceTensor &tensor,
                   const TextOptions &options = {});

/// A literal such as `0.1`, `-3`, `nan` or `true` as a scalar of `type`.
llvm::FailureOr<ReferenceTensor> parseScalar(llvm::StringRef literal,
                                             mlir::RankedTensorType type);

} // namespace graph

#endif // GRAPH_REFERENCE_TEXT_H
