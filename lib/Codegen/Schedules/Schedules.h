//===- Schedules.h - One loop nest per hero ---------------------*- C++ -*-===//

#ifndef GRAPH_LIB_CODEGEN_SCHEDULES_SCHEDULES_H
#define GRAPH_LIB_CODEGEN_SCHEDULES_SCHEDULES_H

#include "../Loops.h"

namespace graph {

/// Emits what workgroup number `workgroup` computes.
using Schedule = void (*)(ElementEmitter &emitter, mlir::Value workgroup);

/// Vectors along the innermost variable, one after the other.
void emitPointwise(ElementEmitter &emitter, mlir::Value workgroup);

/// Row by row; within a row one pass per phase, with several vector
/// accumulators per reduction that are combined in a fixed order.
void emitRowReduction(ElementEmitter &emitter, mlir::Value workgroup);

/// Strips of several vectors along a parallel variable; for each strip one
/// pass over the reduced variables per phase, with accumulators in registers.
void emitColumnReduction(ElementEmitter &emitter, mlir::Value workgroup);

/// Square tiles: vectors are loaded along one variable, transposed in
/// registers, and stored along the other.
void emitTranspose(ElementEmitter &emitter, mlir::Value workgroup);

/// Strips of columns: the initial table is copied, then rows are added in
/// order.
void emitScatter(ElementEmitter &emitter, mlir::Value workgroup);

} // namespace graph

#endif // GRAPH_LIB_CODEGEN_SCHEDULES_SCHEDULES_H
