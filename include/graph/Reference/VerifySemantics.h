//===- VerifySemantics.h - Which pass changed the meaning -------*- C++ -*-===//

#ifndef GRAPH_REFERENCE_VERIFYSEMANTICS_H
#define GRAPH_REFERENCE_VERIFYSEMANTICS_H

#include "mlir/Pass/PassManager.h"

namespace graph {

/// Makes `passes` interpret every public function on random inputs before the
/// first and after every pass, as long as the function consists of operations
/// of the graph dialect (one that is not expanded by `--graph-autodiff` yet is
/// left out until then). The first difference that rounding cannot explain is
/// reported as an error that names pass, function, result and element, and
/// sets `foundDifference`, which must outlive `passes`.
///
/// Passes run on one thread then.
void verifySemantics(mlir::PassManager &passes, uint64_t seed,
                     bool &foundDifference);

} // namespace graph

#endif // GRAPH_REFERENCE_VERIFYSEMANTICS_H
