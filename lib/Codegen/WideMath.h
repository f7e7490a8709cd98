//===- WideMath.h - Functions of f64 as arithmetic --------------*- C++ -*-===//
//
// Errors of about one unit in the last place (tanh, erf: three); exceptional
// arguments as in C. Sums of two numbers carry what one cannot hold: "hi + lo",
// where lo is at most half a unit in the last place of hi.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_LIB_CODEGEN_WIDEMATH_H
#define GRAPH_LIB_CODEGEN_WIDEMATH_H

#include "RealBuilder.h"

namespace graph {

Real emitWideExp(Real x);
Real emitWideLog(Real x);
Real emitWideTanh(Real x);
Real emitWideErf(Real x);
/// Accurate up to 2^30.
Real emitWideSin(Real x);
Real emitWideCos(Real x);
/// |x|^y where neither is NaN; 1^y is 1, x^0 unspecified where |x| is infinite
/// or 0.
Real emitWidePowMagnitude(Real x, Real y);

} // namespace graph

#endif // GRAPH_LIB_CODEGEN_WIDEMATH_H
