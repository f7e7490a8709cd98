//===- MemoryPlanning.h - The steps of the memory planner -------*- C++ -*-===//

#ifndef GRAPH_LIB_DIALECT_EXEC_TRANSFORMS_MEMORYPLANNING_H
#define GRAPH_LIB_DIALECT_EXEC_TRANSFORMS_MEMORYPLANNING_H

#include "CommandGraph.h"

namespace exec {

/// Replaces scratch memory that is only copied to an output or a state by that
/// output or state, where no command then sees other values. Adds the edges
/// that make the readers of a state's old value run first.
void forwardCopies(CommandGraph &graph);

/// An order of the commands with a low peak of scratch memory.
llvm::SmallVector<unsigned> scheduleCommands(const CommandGraph &graph);

/// Bytes of scratch memory that are alive together in every order.
int64_t getLowerBound(const CommandGraph &graph);

/// Checks on the finished function, without the planner's data, that no two
/// arena buffers overlap while both are alive, except where a command may write
/// one over the other. Emits an error on the second of two such buffers.
llvm::LogicalResult verifyMemoryPlan(FuncOp function);

} // namespace exec

#endif // GRAPH_LIB_DIALECT_EXEC_TRANSFORMS_MEMORYPLANNING_H
