//===- MeasuredTolerance.h - What rounding may do to a function -*- C++ -*-===//
//
// How far may a compiled result be from the interpreter's? A fixed tolerance is
// too loose for most functions and too tight for ill-conditioned ones. So the
// interpreter is run several times with the errors that a correct
// implementation may make, at random (Monte Carlo arithmetic): every result of
// an operation gets a relative error of up to two unit roundoffs, and what
// accumulates (reductions, products) sees operands with an error as f32 sums
// make it. Half of the runs then round the result to its type: what depends on
// two numbers being equal shows there. The others do not, because a result near
// a number of its type would be rounded back to it in all of them, as if it had
// no error. Composites are opened for this, as an implementation opens them;
// that opening them alone changes nothing is checked first. The spread of the
// results, per element, is the tolerance.
//
// Movements of elements, extrema and integers are exact, and stay so.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_TEST_UNIT_EQUIVALENCE_MEASUREDTOLERANCE_H
#define GRAPH_TEST_UNIT_EQUIVALENCE_MEASUREDTOLERANCE_H

#include "graph/Reference/ReferenceTensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <optional>

namespace graph {

/// One result of the interpreter, with the distance that another result may
/// have per element: infinite where rounding alone decides.
struct Expectation {
  ReferenceTensor values;
  std::vector<double> distances;
};

/// The results of `function` with measured distances.
llvm::FailureOr<llvm::SmallVector<Expectation>>
interpretWithTolerance(mlir::func::FuncOp function,
                       llvm::ArrayRef<ReferenceTensor> arguments);

/// How many elements were compared, and how many not because their distance is
/// infinite.
struct ComparisonCounts {
  int64_t compared = 0, skipped = 0;
};

/// Describes the first element of `found` that is further from the expected
/// one than its distance; none if all are close.
std::optional<std::string>
describeDifference(llvm::ArrayRef<ReferenceTensor> found,
                   llvm::ArrayRef<Expectation> expected,
                   ComparisonCounts &counts);

} // namespace graph

#endif // GRAPH_TEST_UNIT_EQUIVALENCE_MEASUREDTOLERANCE_H
