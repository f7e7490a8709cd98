//===- RowReduction.cpp - Reductions along the vectors --------------------===//

#include "Schedules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace graph;

/// Vectors in flight per reduction: hides the latency of the additions.
static constexpr int64_t kAccumulators = 4;

namespace {
/// Where a node that a phase computes is kept for later ones.
struct RowBuffer {
  unsigned node, phase;
  ElementEmitter::Buffer memory;
};

/// One pass over the reduced variables of a row.
class RowPhase {
public:
  RowPhase(ElementEmitter &emitter, unsigned phase, ArrayRef<RowBuffer> buffers)
      : emitter(emitter), b(emitter.getBuilder()), plan(emitter.getPlan()),
        phase(phase), reductions(getPhaseReductions(plan, phase)),
        outputs(getPhaseOutputs(plan, phase)) {
    for (const RowBuffer &buffer : buffers)
      if (buffer.phase == phase)
        stored.push_back(buffer);
    lane = *plan.lane;
    lanes = plan.numLanes;
    int64_t vectors =
        plan.variables[lane].size / getVectorDistance(emitter, lanes);
    unroll =
        reductions.empty() ? 1 : std::clamp<int64_t>(vectors, 1, kAccumulators);
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
    return plan.nodes[reduction].getReduceKind();
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
  /// vectors, single elements. In every phase a thread visits the same ones.
  SmallVector<Value> emitLanes(ArrayRef<Value> carried) {
    int64_t size = plan.variables[lane].size;
    SmallVector<Value> values(carried);
    int64_t begin = 0;
    auto loop = [&](int64_t multiple, unsigned width, int64_t count) {
      int64_t end = begin + (size - begin) / multiple * multiple;
      if (begin == end)
        return;
      IndexRange range{createIndex(b, begin), createIndex(b, end)};
      values = emitVectorFor(emitter, range, width, count, values,
                             [&](Value i, ArrayRef<Value> args) {
                               return emitVectors(i, width, count, args);
                             });
      begin = end;
    };
    if (unroll > 1)
      loop(unroll * getVectorDistance(emitter, lanes), lanes, unroll);
    if (lanes > 1)
      loop(lanes, lanes, 1);
    loop(1, 1, 1);
    return values;
  }

  SmallVector<Value> emitVectors(Value position, unsigned width, int64_t count,
                                 ArrayRef<Value> carried) {
    SmallVector<Value> next(carried);
    int64_t distance = getVectorDistance(emitter, width);
    for (int64_t i = 0; i < count; ++i) {
      ElementEmitter::Scope scope(emitter);
      emitter.state.lanes = width;
      emitter.state.variables[lane] =
          i == 0 ? position
                 : Value(arith::AddIOp::create(b, position,
                                               createIndex(b, i * distance)));
      // All values before any store: a result may overwrite an operand.
      SmallVector<Value> operands, results;
      for (unsigned reduction : reductions)
        operands.push_back(
            emitter.evaluateLanes(plan.nodes[reduction].operands[0]));
      for (unsigned output : outputs)
        results.push_back(emitter.evaluateLanes(plan.outputs[output].node));
      for (const RowBuffer &buffer : stored)
        emitter.storeBuffer(buffer.memory, emitter.evaluateLanes(buffer.node));
      for (auto [output, value] : llvm::zip_equal(outputs, results))
        emitter.store(output, value);
      for (auto [r, operand] : llvm::enumerate(operands)) {
        size_t slot = width == 1 && lanes > 1 ? reductions.size() * unroll + r
                                              : r * unroll + i;
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
      Value value = vectors[0];
      if (lanes > 1) {
        value = combineLanes(b, kind, value);
        if (plan.variables[lane].size % lanes != 0)
          value =
              combine(b, kind, value, carried[reductions.size() * unroll + r]);
      }
      value = emitter.getWorkgroup().combine(kind, value);
      emitter.state.nodes[reduction] =
          roundTo(b, value, plan.nodes[reduction].getElementType());
    }
  }

  ElementEmitter &emitter;
  ImplicitLocOpBuilder &b;
  const KernelPlan &plan;
  unsigned phase;
  SmallVector<unsigned> reductions, outputs, outer;
  SmallVector<RowBuffer> stored;
  unsigned lane, lanes;
  int64_t unroll;
};
} // namespace

/// Buffers hold a row in the order in which loops visit it. Each team has its
/// own part; a thread reads there what it wrote itself.
static SmallVector<RowBuffer> allocateBuffers(ElementEmitter &emitter) {
  ImplicitLocOpBuilder &b = emitter.getBuilder();
  const KernelPlan &plan = emitter.getPlan();
  Workgroup &workgroup = emitter.getWorkgroup();
  AffineIndex index;
  int64_t points = 1;
  auto addVariable = [&](unsigned variable) {
    index += AffineIndex::variable(variable) * points;
    points *= plan.variables[variable].size;
  };
  addVariable(*plan.lane);
  for (unsigned variable : plan.getDomain(KernelVariable::Reduced))
    if (variable != *plan.lane)
      addVariable(variable);
  unsigned teams = workgroup.getShape().teams;
  Value base;
  if (teams > 1 && !plan.buffered.empty()) {
    points = llvm::alignTo(points, plan.numLanes);
    base =
        arith::MulIOp::create(b, workgroup.getTeam(), createIndex(b, points));
  }
  SmallVector<RowBuffer> buffers;
  for (BufferedNode buffered : plan.buffered) {
    Type type = getComputeType(plan.nodes[buffered.node].getElementType());
    Value memory = workgroup.allocate(type, points * teams);
    buffers.push_back({buffered.node, buffered.phase, {memory, index, base}});
  }
  return buffers;
}

void graph::emitRowReduction(ElementEmitter &emitter) {
  ImplicitLocOpBuilder &b = emitter.getBuilder();
  const KernelPlan &plan = emitter.getPlan();
  Workgroup &workgroup = emitter.getWorkgroup();
  SmallVector<RowBuffer> buffers = allocateBuffers(emitter);

  WorkgroupRanges ranges = getWorkgroupRanges(emitter);
  SmallVector<unsigned> rows = plan.getDomain(KernelVariable::Parallel);
  emitter.hoist(getPhaseRoots(plan, 0), 0);
  emitPointLoop(emitter, ranges.outer, rows, Points::Dealt, [&] {
    for (unsigned phase = 0; phase < plan.numPhases; ++phase) {
      RowPhase(emitter, phase, buffers).emit();
      for (const RowBuffer &buffer : buffers)
        if (buffer.phase == phase)
          emitter.setBuffer(buffer.node, buffer.memory);
    }
    if (workgroup.getShape().teamSize > 1)
      emitter.restrict(arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                             workgroup.getThread(),
                                             createIndex(b, 0)));
    for (auto [number, output] : llvm::enumerate(plan.outputs))
      if (!output.isFull)
        emitter.store(number, emitter.evaluate(output.node));
  });
}
