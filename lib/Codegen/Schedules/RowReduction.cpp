//===- RowReduction.cpp - Reductions along the vectors --------------------===//

#include "Schedules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace graph;

/// Vectors in flight per reduction: hides the latency of the additions.
static constexpr int64_t kAccumulators = 4;

namespace {
/// One pass over the reduced variables of a row.
class RowPhase {
public:
  RowPhase(ElementEmitter &emitter, unsigned phase,
           ArrayRef<std::pair<BufferedNode, Value>> buffers,
           const AffineIndex &bufferIndex)
      : emitter(emitter), b(emitter.getBuilder()), plan(emitter.getPlan()),
        phase(phase), bufferIndex(bufferIndex) {
    for (auto [number, node] : llvm::enumerate(plan.nodes))
      if (node.kind == KernelNode::Reduce && node.phase == phase + 1)
        reductions.push_back(number);
    for (auto [number, output] : llvm::enumerate(plan.outputs))
      if (output.isFull && output.phase == phase)
        outputs.push_back(number);
    for (auto &[buffered, memref] : buffers)
      if (buffered.phase == phase)
        stored.push_back({buffered.node, memref});
    lane = *plan.lane;
    lanes = plan.numLanes;
    int64_t vectors = plan.variables[lane].size / lanes;
    unroll = reductions.empty() || lanes == 1
                 ? 1
                 : std::clamp<int64_t>(vectors, 1, kAccumulators);
    for (unsigned variable : plan.getDomain(KernelVariable::Reduced))
      if (variable != lane)
        outer.push_back(variable);
  }

  void emit() {
    if (reductions.empty() && outputs.empty())
      return;
    emitter.hoist(getPhaseRoots(plan, phase),
                  getSet(plan.getDomain(KernelVariable::Parallel)));
    // Vector accumulators of all reductions, then their scalar ones.
    SmallVector<Value> carried;
    for (unsigned reduction : reductions)
      for (int64_t i = 0; i < unroll; ++i)
        carried.push_back(getNeutralValue(reduction, lanes));
    for (unsigned reduction : reductions)
      carried.push_back(getNeutralValue(reduction, 1));
    finish(emitOuterLoops(0, carried));
  }

private:
  ReduceKind getKind(unsigned reduction) {
    return cast<ReduceOp>(plan.nodes[reduction].value.getDefiningOp())
        .getKind();
  }

  Value getNeutralValue(unsigned reduction, unsigned lanes) {
    Type element = plan.nodes[reduction].getElementType();
    return createConstant(b, getLanesType(getComputeType(element), lanes),
                          getNeutral(getKind(reduction), element));
  }

  SmallVector<Value> emitOuterLoops(size_t level, ArrayRef<Value> carried) {
    if (level == outer.size())
      return emitLanes(carried);
    Value size = createIndex(b, plan.variables[outer[level]].size);
    return emitFor(emitter, createIndex(b, 0), size, 1, carried,
                   [&](Value i, ArrayRef<Value> values) {
                     emitter.state.variables[outer[level]] = i;
                     return emitOuterLoops(level + 1, values);
                   });
  }

  /// The loops over the lane variable: `unroll` vectors at once, single
  /// vectors, single elements.
  SmallVector<Value> emitLanes(ArrayRef<Value> carried) {
    int64_t size = plan.variables[lane].size;
    SmallVector<Value> values(carried);
    int64_t begin = 0;
    auto loop = [&](unsigned width, int64_t count) {
      int64_t step = width * count;
      int64_t end = begin + (size - begin) / step * step;
      if (begin == end)
        return;
      values = emitFor(emitter, createIndex(b, begin), createIndex(b, end),
                       step, values, [&](Value i, ArrayRef<Value> args) {
                         return emitVectors(i, width, count, args);
                       });
      begin = end;
    };
    if (lanes > 1 && unroll > 1)
      loop(lanes, unroll);
    if (lanes > 1)
      loop(lanes, 1);
    loop(1, 1);
    return values;
  }

  SmallVector<Value> emitVectors(Value position, unsigned width, int64_t count,
                                 ArrayRef<Value> carried) {
    SmallVector<Value> next(carried);
    for (int64_t i = 0; i < count; ++i) {
      ElementEmitter::Scope scope(emitter);
      emitter.state.lanes = width;
      emitter.state.variables[lane] =
          i == 0 ? position
                 : Value(arith::AddIOp::create(b, position,
                                               createIndex(b, i * width)));
      // All values before any store: a result may overwrite an operand.
      SmallVector<Value> operands, results;
      for (unsigned reduction : reductions)
        operands.push_back(
            emitter.evaluateLanes(plan.nodes[reduction].operands[0]));
      for (unsigned output : outputs)
        results.push_back(emitter.evaluateLanes(plan.outputs[output].node));
      for (auto &[node, memref] : stored)
        emitter.storeBuffer(memref, bufferIndex, emitter.evaluateLanes(node));
      for (auto [output, value] : llvm::zip_equal(outputs, results))
        emitter.store(output, value);
      for (auto [r, operand] : llvm::enumerate(operands)) {
        size_t slot =
            width == 1 ? reductions.size() * unroll + r : r * unroll + i;
        next[slot] = combine(b, getKind(reductions[r]), next[slot], operand);
      }
    }
    return next;
  }

  /// Combines the accumulators of every reduction into its value.
  void finish(ArrayRef<Value> carried) {
    for (auto [r, reduction] : llvm::enumerate(reductions)) {
      ReduceKind kind = getKind(reduction);
      SmallVector<Value> vectors(carried.slice(r * unroll, unroll));
      while (vectors.size() > 1) {
        SmallVector<Value> halves;
        for (size_t i = 0; i + 1 < vectors.size(); i += 2)
          halves.push_back(combine(b, kind, vectors[i], vectors[i + 1]));
        if (vectors.size() % 2)
          halves.push_back(vectors.back());
        vectors = halves;
      }
      Value value = carried[reductions.size() * unroll + r];
      if (lanes > 1) {
        Value all = combineLanes(b, kind, vectors[0]);
        value = plan.variables[lane].size % lanes == 0
                    ? all
                    : combine(b, kind, all, value);
      }
      emitter.state.nodes[reduction] =
          roundTo(b, value, plan.nodes[reduction].getElementType());
    }
  }

  ElementEmitter &emitter;
  ImplicitLocOpBuilder &b;
  const KernelPlan &plan;
  unsigned phase;
  AffineIndex bufferIndex;
  SmallVector<unsigned> reductions, outputs, outer;
  SmallVector<std::pair<unsigned, Value>> stored;
  unsigned lane, lanes;
  int64_t unroll;
};
} // namespace

void graph::emitRowReduction(ElementEmitter &emitter, Value workgroup) {
  ImplicitLocOpBuilder &b = emitter.getBuilder();
  const KernelPlan &plan = emitter.getPlan();

  // Row buffers, in the order in which loops visit the row.
  SmallVector<std::pair<BufferedNode, Value>> buffers;
  AffineIndex bufferIndex;
  int64_t points = 1;
  auto addVariable = [&](unsigned variable) {
    bufferIndex += AffineIndex::variable(variable) * points;
    points *= plan.variables[variable].size;
  };
  addVariable(*plan.lane);
  for (unsigned variable : plan.getDomain(KernelVariable::Reduced))
    if (variable != *plan.lane)
      addVariable(variable);
  constexpr int64_t kAlignment = 64;
  for (BufferedNode buffered : plan.buffered) {
    Type element = plan.nodes[buffered.node].getElementType();
    auto type = MemRefType::get({points}, getComputeType(element));
    buffers.push_back(
        {buffered,
         memref::AllocaOp::create(b, type, b.getI64IntegerAttr(kAlignment))});
  }

  WorkgroupRanges ranges = getWorkgroupRanges(b, plan.partition, workgroup);
  SmallVector<unsigned> rows = plan.getDomain(KernelVariable::Parallel);
  emitter.hoist(getPhaseRoots(plan, 0), 0);
  emitPointLoop(emitter, ranges.outer, rows, [&] {
    for (unsigned phase = 0; phase < plan.numPhases; ++phase) {
      RowPhase(emitter, phase, buffers, bufferIndex).emit();
      for (auto &[buffered, memref] : buffers)
        if (buffered.phase == phase)
          emitter.setBuffer(buffered.node, memref, bufferIndex);
    }
    for (auto [number, output] : llvm::enumerate(plan.outputs))
      if (!output.isFull)
        emitter.store(number, emitter.evaluate(output.node));
  });
}
