//===- MathLowering.h - Math operations as arithmetic -----------*- C++ -*-===//

#ifndef GRAPH_CODEGEN_MATHLOWERING_H
#define GRAPH_CODEGEN_MATHLOWERING_H

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace graph {

/// exp, log, tanh, erf, sin, cos and powf of f32 scalars and vectors as
/// polynomials (errors of a few units in the last place; infinities, NaN and
/// denormal numbers as in the C library; sin and cos up to 2^50). Those of f64
/// as calls of the C library, element by element: the patterns add function
/// declarations to the module. fma must be an instruction of the target.
void populateMathLoweringPatterns(mlir::RewritePatternSet &patterns);

} // namespace graph

#endif // GRAPH_CODEGEN_MATHLOWERING_H
