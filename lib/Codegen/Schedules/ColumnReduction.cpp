//===- ColumnReduction.cpp - Reductions across the vectors ----------------===//

#include "Schedules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace graph;

static Value isZero(ElementEmitter &emitter, Value number) {
  ImplicitLocOpBuilder &b = emitter.getBuilder();
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number,
                               createIndex(b, 0));
}

namespace {
/// Some neighbouring vectors of columns and everything computed for them. Each
/// vector has a state of its own.
class ColumnStrip {
public:
  ColumnStrip(ElementEmitter &emitter, unsigned count)
      : emitter(emitter), b(emitter.getBuilder()), plan(emitter.getPlan()),
        workgroup(emitter.getWorkgroup()),
        reduced(plan.getDomain(KernelVariable::Reduced)),
        states(count, emitter.state) {
    unsigned lanes = emitter.state.lanes;
    for (unsigned i = 1; i < count; ++i) {
      Value &position = states[i].variables[*plan.lane];
      position = arith::AddIOp::create(b, position, createIndex(b, i * lanes));
    }
  }

  void emit() {
    ElementEmitter::Scope scope(emitter);
    for (unsigned phase = 0; phase < plan.numPhases; ++phase)
      emitPhase(phase);
    for (auto [number, output] : llvm::enumerate(plan.outputs)) {
      if (output.isFull)
        continue;
      for (ElementEmitter::State &state : states) {
        emitter.state = state;
        if (workgroup.getShape().teams > 1)
          emitter.restrict(isZero(emitter, workgroup.getTeam()));
        emitter.store(number, emitter.evaluateLanes(output.node));
        state = emitter.state;
      }
    }
  }

private:
  ReduceKind getKind(unsigned reduction) {
    return plan.nodes[reduction].getReduceKind();
  }

  void emitPhase(unsigned phase) {
    reductions = getPhaseReductions(plan, phase);
    outputs = getPhaseOutputs(plan, phase);
    if (reductions.empty() && outputs.empty())
      return;

    for (ElementEmitter::State &state : states) {
      emitter.state = state;
      emitter.hoist(getPhaseRoots(plan, phase),
                    getSet(plan.getDomain(KernelVariable::Parallel)));
      state = emitter.state;
    }
    SmallVector<Value> carried;
    for (unsigned reduction : reductions) {
      Type element = plan.nodes[reduction].getElementType();
      Type type = getLanesType(getComputeType(element), emitter.state.lanes);
      carried.append(
          states.size(),
          createConstant(b, type, getNeutral(getKind(reduction), element)));
    }
    SmallVector<Value> results = emitLoops(0, carried);
    for (auto [r, reduction] : llvm::enumerate(reductions)) {
      const KernelNode &node = plan.nodes[reduction];
      for (auto [i, state] : llvm::enumerate(states)) {
        Value result = workgroup.combineTeams(getKind(reduction),
                                              results[r * states.size() + i]);
        // What is the same in every lane is a scalar to those that use it.
        if (isa<VectorType>(result.getType()) && !emitter.isVector(node))
          result = vector::ExtractOp::create(b, result, ArrayRef<int64_t>{0});
        state.nodes[reduction] = roundTo(b, result, node.getElementType());
      }
    }
  }

  SmallVector<Value> emitLoops(size_t level, ArrayRef<Value> carried) {
    if (level == reduced.size())
      return emitVectors(carried);
    Value size = createIndex(b, plan.variables[reduced[level]].size);
    bool isDealt = level == 0;
    return emitFor(emitter, isDealt ? workgroup.getTeam() : createIndex(b, 0),
                   size, isDealt ? workgroup.getShape().teams : 1, carried,
                   [&](Value i, ArrayRef<Value> values) {
                     counters[reduced[level]] = i;
                     return emitLoops(level + 1, values);
                   });
  }

  SmallVector<Value> emitVectors(ArrayRef<Value> carried) {
    SmallVector<Value> next(carried);
    for (auto [i, state] : llvm::enumerate(states)) {
      emitter.state = state;
      for (auto [variable, value] : counters)
        emitter.state.variables[variable] = value;
      // All values before any store: a result may overwrite an operand.
      SmallVector<Value> results;
      for (unsigned output : outputs)
        results.push_back(emitter.evaluateLanes(plan.outputs[output].node));
      for (auto [r, reduction] : llvm::enumerate(reductions)) {
        Value operand =
            emitter.evaluateLanes(plan.nodes[reduction].operands[0]);
        Value &accumulator = next[r * states.size() + i];
        accumulator = combine(b, getKind(reduction), accumulator, operand);
      }
      for (auto [output, value] : llvm::zip_equal(outputs, results))
        emitter.store(output, value);
    }
    return next;
  }

  ElementEmitter &emitter;
  ImplicitLocOpBuilder &b;
  const KernelPlan &plan;
  Workgroup &workgroup;
  SmallVector<unsigned> reduced;
  SmallVector<ElementEmitter::State> states;
  SmallVector<unsigned> reductions, outputs;
  llvm::DenseMap<unsigned, Value> counters;
};
} // namespace

/// As many vectors at once as leave their accumulators in registers.
static unsigned getStripWidth(const KernelPlan &plan) {
  constexpr size_t kRegisters = 8, kWidest = 8;
  return std::clamp<size_t>(
      kRegisters / std::max<size_t>(1, plan.getNumReductions()), 1, kWidest);
}

/// One vector per thread. Threads without columns compute those of the last
/// ones, since they must reach the barriers, and store nothing.
static void emitTeamStrip(ElementEmitter &emitter, IndexRange range) {
  ImplicitLocOpBuilder &b = emitter.getBuilder();
  const KernelPlan &plan = emitter.getPlan();
  emitter.state.lanes = plan.numLanes;
  Value thread = emitter.getWorkgroup().getThread();
  if (!plan.lane) {
    emitter.restrict(isZero(emitter, thread));
  } else {
    Value lanes = createIndex(b, plan.numLanes);
    Value position = arith::AddIOp::create(
        b, range.begin, arith::MulIOp::create(b, thread, lanes));
    emitter.restrict(arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                           position, range.end));
    Value last = arith::SubIOp::create(b, range.end, lanes);
    emitter.state.variables[*plan.lane] =
        arith::MinUIOp::create(b, position, last);
  }
  ColumnStrip(emitter, 1).emit();
}

void graph::emitColumnReduction(ElementEmitter &emitter) {
  const KernelPlan &plan = emitter.getPlan();
  WorkgroupRanges ranges = getWorkgroupRanges(emitter);
  SmallVector<unsigned> outer = getOuterVariables(plan);
  auto emitStrip = [&](unsigned count) { ColumnStrip(emitter, count).emit(); };
  emitPointLoop(emitter, ranges.outer, outer, Points::Shared, [&] {
    if (!emitter.getWorkgroup().isSerial())
      return emitTeamStrip(emitter, ranges.lane);
    if (!plan.lane)
      return emitStrip(1);
    emitLaneLoops(emitter, ranges.lane, getStripWidth(plan), emitStrip);
  });
}
