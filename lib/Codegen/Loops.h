//===- Loops.h - The loop nests of schedules --------------------*- C++ -*-===//

#ifndef GRAPH_LIB_CODEGEN_LOOPS_H
#define GRAPH_LIB_CODEGEN_LOOPS_H

#include "ElementEmitter.h"

namespace graph {

/// `for (i = lower; i < upper; i += step)`. `body` receives i and the carried
/// values and returns their next values; the result is the last ones.
llvm::SmallVector<mlir::Value>
emitFor(ElementEmitter &emitter, mlir::Value lower, mlir::Value upper,
        int64_t step, mlir::ValueRange init,
        llvm::function_ref<llvm::SmallVector<mlir::Value>(
            mlir::Value, llvm::ArrayRef<mlir::Value>)>
            body);
/// The same without carried values.
void emitFor(ElementEmitter &emitter, mlir::Value lower, mlir::Value upper,
             int64_t step, llvm::function_ref<void(mlir::Value)> body);

/// A range of positions; the bounds are index values.
struct IndexRange {
  mlir::Value begin, end;
};

/// Cuts `range` at the last multiple of `step` from its beginning on.
std::pair<IndexRange, IndexRange> splitRange(mlir::ImplicitLocOpBuilder &b,
                                             IndexRange range, int64_t step);

/// The distance between neighbouring vectors of one thread.
int64_t getVectorDistance(ElementEmitter &emitter, unsigned lanes);

/// Loops over the vectors of `lanes` elements in `range`, `count` at once; the
/// threads of a team take turns. `body` as that of emitFor.
llvm::SmallVector<mlir::Value>
emitVectorFor(ElementEmitter &emitter, IndexRange range, unsigned lanes,
              int64_t count, mlir::ValueRange init,
              llvm::function_ref<llvm::SmallVector<mlir::Value>(
                  mlir::Value, llvm::ArrayRef<mlir::Value>)>
                  body);

/// Loops over a range of the lane variable, first with vectors (`unroll` of
/// them at once), then single vectors, then scalars; the threads of a team take
/// turns. `body(count)` emits `count` vectors of `emitter.state.lanes`
/// elements, `getVectorDistance` apart; the lane variable is set to the first
/// one's position.
void emitLaneLoops(ElementEmitter &emitter, IndexRange range, unsigned unroll,
                   llvm::function_ref<void(unsigned count)> body);

/// What one workgroup computes.
struct WorkgroupRanges {
  IndexRange outer, lane, transposed;
};
WorkgroupRanges getWorkgroupRanges(ElementEmitter &emitter);

/// Loops over points of `variables` taken together in row-major order, and
/// sets them. `Dealt` points are those of one team each, `Shared` ones those of
/// all teams together.
enum class Points { Dealt, Shared };
void emitPointLoop(ElementEmitter &emitter, IndexRange range,
                   llvm::ArrayRef<unsigned> variables, Points points,
                   llvm::function_ref<void()> body);

/// Stores, at the current place, the element or vector of every output with one
/// element per point of the domain, or (not `isFull`) of the others; all
/// results before any store, since a result may overwrite an operand.
void emitOutputs(ElementEmitter &emitter, bool isFull = true);

/// Parallel variables other than the lane and the transposed one.
llvm::SmallVector<unsigned> getOuterVariables(const KernelPlan &plan);
VariableSet getSet(llvm::ArrayRef<unsigned> variables);

} // namespace graph

#endif // GRAPH_LIB_CODEGEN_LOOPS_H
