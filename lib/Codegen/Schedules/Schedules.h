//===- Schedules.h - One loop nest per hero ---------------------*- C++ -*-===//

#ifndef GRAPH_LIB_CODEGEN_SCHEDULES_SCHEDULES_H
#define GRAPH_LIB_CODEGEN_SCHEDULES_SCHEDULES_H

#include "../Loops.h"

namespace graph {

/// Emits what one workgroup computes.
using Schedule = void (*)(ElementEmitter &emitter);

/// Vectors along the innermost variable: those of an outer point are dealt to
/// the threads of a team, outer points to teams.
void emitPointwise(ElementEmitter &emitter);

/// A team computes row by row; within a row one pass per phase, with several
/// vector accumulators per thread and reduction that are combined in a fixed
/// order.
void emitRowReduction(ElementEmitter &emitter);

/// Strips of several vectors along a parallel variable; for each strip one
/// pass over the reduced variables per phase, with accumulators in registers.
/// Teams take turns in the outermost reduced variable.
void emitColumnReduction(ElementEmitter &emitter);

/// Square tiles: elements are loaded along one variable, transposed, and stored
/// along the other. One thread does that with vectors in registers, a workgroup
/// of several through shared memory.
void emitTranspose(ElementEmitter &emitter);

/// Strips of columns, some rows of the table: the initial rows are copied, then
/// the updates that go there are added in order.
void emitScatter(ElementEmitter &emitter);

/// Blocks of a matrix product (CUDA/Contraction.h); everything else is computed
/// from their elements.
void emitContraction(ElementEmitter &emitter);

/// Blocks of queries (and of keys, for the derivative) against all that they
/// see, with tiles in the workgroup's memory.
void emitAttention(ElementEmitter &emitter);
void emitAttentionGrad(ElementEmitter &emitter);
void emitAttentionMma(ElementEmitter &emitter);

} // namespace graph

#endif // GRAPH_LIB_CODEGEN_SCHEDULES_SCHEDULES_H
