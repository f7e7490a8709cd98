//===- MathLowering.h - Math operations as arithmetic -----------*- C++ -*-===//

#ifndef GRAPH_CODEGEN_MATHLOWERING_H
#define GRAPH_CODEGEN_MATHLOWERING_H

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace graph {

/// exp, log, tanh, erf, sin, cos and powf of f32 and f64 scalars and vectors as
/// arithmetic: no library is called, and every target computes the same.
/// Errors of a few units in the last place; infinities, NaN and denormal
/// numbers as in the C library; sin and cos up to 2^50 (f32) or 2^30 (f64). fma
/// must be an instruction of the target.
void populateMathLoweringPatterns(mlir::RewritePatternSet &patterns);

} // namespace graph

#endif // GRAPH_CODEGEN_MATHLOWERING_H
