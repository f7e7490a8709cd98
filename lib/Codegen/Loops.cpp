//===- Loops.cpp - The loop nests of schedules ----------------------------===//

#include "Loops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace graph;

SmallVector<Value>
graph::emitFor(ElementEmitter &emitter, Value lower, Value upper, int64_t step,
               ValueRange init,
               function_ref<SmallVector<Value>(Value, ArrayRef<Value>)> body) {
  ImplicitLocOpBuilder &b = emitter.getBuilder();
  auto loop = scf::ForOp::create(b, lower, upper, createIndex(b, step), init);
  OpBuilder::InsertionGuard insertion(b);
  ElementEmitter::Scope scope(emitter);
  if (init.empty())
    b.setInsertionPoint(loop.getBody()->getTerminator());
  else
    b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> carried(loop.getRegionIterArgs());
  SmallVector<Value> next = body(loop.getInductionVar(), carried);
  if (!init.empty())
    scf::YieldOp::create(b, next);
  return SmallVector<Value>(loop.getResults());
}

void graph::emitFor(ElementEmitter &emitter, Value lower, Value upper,
                    int64_t step, function_ref<void(Value)> body) {
  emitFor(emitter, lower, upper, step, {},
          [&](Value i, ArrayRef<Value>) -> SmallVector<Value> {
            body(i);
            return {};
          });
}

std::pair<IndexRange, IndexRange>
graph::splitRange(ImplicitLocOpBuilder &b, IndexRange range, int64_t step) {
  Value size = b.createOrFold<arith::SubIOp>(range.end, range.begin);
  Value rest = b.createOrFold<arith::RemUIOp>(size, createIndex(b, step));
  Value middle = b.createOrFold<arith::SubIOp>(range.end, rest);
  return {{range.begin, middle}, {middle, range.end}};
}

/// Whether the range is known to have no point.
static bool isEmpty(IndexRange range) {
  return range.begin == range.end ||
         (getConstantIntValue(range.begin) &&
          getConstantIntValue(range.begin) == getConstantIntValue(range.end));
}

int64_t graph::getVectorDistance(ElementEmitter &emitter, unsigned lanes) {
  return int64_t(lanes) * emitter.getWorkgroup().getShape().teamSize;
}

/// `begin`, or for thread (team) number `dealt` of several its own first place.
static Value getOwnBegin(ImplicitLocOpBuilder &b, Value begin, Value dealt,
                         unsigned count, int64_t distance) {
  if (count == 1)
    return begin;
  Value offset = b.createOrFold<arith::MulIOp>(dealt, createIndex(b, distance));
  return b.createOrFold<arith::AddIOp>(begin, offset);
}

SmallVector<Value> graph::emitVectorFor(
    ElementEmitter &emitter, IndexRange range, unsigned lanes, int64_t count,
    ValueRange init,
    function_ref<SmallVector<Value>(Value, ArrayRef<Value>)> body) {
  Workgroup &workgroup = emitter.getWorkgroup();
  Value begin =
      getOwnBegin(emitter.getBuilder(), range.begin, workgroup.getThread(),
                  workgroup.getShape().teamSize, lanes);
  return emitFor(emitter, begin, range.end,
                 count * getVectorDistance(emitter, lanes), init, body);
}

void graph::emitLaneLoops(ElementEmitter &emitter, IndexRange range,
                          unsigned unroll, function_ref<void(unsigned)> body) {
  ImplicitLocOpBuilder &b = emitter.getBuilder();
  const KernelPlan &plan = emitter.getPlan();
  auto loop = [&](IndexRange part, unsigned lanes, unsigned count) {
    if (isEmpty(part))
      return;
    emitVectorFor(emitter, part, lanes, count, {},
                  [&](Value i, ArrayRef<Value>) -> SmallVector<Value> {
                    emitter.state.lanes = lanes;
                    emitter.state.variables[*plan.lane] = i;
                    body(count);
                    return {};
                  });
  };
  unsigned lanes = plan.numLanes;
  if (unroll > 1) {
    auto [whole, rest] =
        splitRange(b, range, getVectorDistance(emitter, lanes) * unroll);
    loop(whole, lanes, unroll);
    range = rest;
  }
  if (lanes > 1) {
    auto [whole, rest] = splitRange(b, range, lanes);
    loop(whole, lanes, 1);
    range = rest;
    // Chunks are multiples of vectors, hence the size decides.
    if (plan.variables[*plan.lane].size % lanes == 0)
      return;
  }
  loop(range, 1, 1);
}

static IndexRange getChunk(ImplicitLocOpBuilder &b, Value number,
                           int64_t points, int64_t chunk) {
  if (points <= chunk)
    return {createIndex(b, 0), createIndex(b, points)};
  Value size = createIndex(b, chunk);
  Value begin = arith::MulIOp::create(b, number, size);
  Value end = arith::AddIOp::create(b, begin, size);
  if (points % chunk != 0)
    end = arith::MinUIOp::create(b, end, createIndex(b, points));
  return {begin, end};
}

WorkgroupRanges graph::getWorkgroupRanges(ElementEmitter &emitter) {
  ImplicitLocOpBuilder &b = emitter.getBuilder();
  const Partition &partition = emitter.getPlan().partition;
  Value workgroup = emitter.getWorkgroup().getNumber();
  auto take = [&](int64_t points, int64_t chunk) {
    int64_t chunks = llvm::divideCeil(points, chunk);
    if (chunks <= 1)
      return getChunk(b, workgroup, points, std::max(points, chunk));
    Value count = createIndex(b, chunks);
    IndexRange range =
        getChunk(b, arith::RemUIOp::create(b, workgroup, count), points, chunk);
    workgroup = arith::DivUIOp::create(b, workgroup, count);
    return range;
  };
  WorkgroupRanges ranges;
  ranges.lane = take(partition.lanePoints, partition.laneChunk);
  ranges.transposed =
      take(partition.transposedPoints, partition.transposedChunk);
  ranges.outer =
      getChunk(b, workgroup, partition.outerPoints, partition.outerChunk);
  return ranges;
}

void graph::emitPointLoop(ElementEmitter &emitter, IndexRange range,
                          ArrayRef<unsigned> variables, Points points,
                          function_ref<void()> body) {
  ImplicitLocOpBuilder &b = emitter.getBuilder();
  const KernelPlan &plan = emitter.getPlan();
  Workgroup &workgroup = emitter.getWorkgroup();
  unsigned teams = points == Points::Dealt ? workgroup.getShape().teams : 1;
  if (variables.empty()) {
    assert(teams == 1 && "several teams would compute the only point");
    body();
    return;
  }
  Value begin = getOwnBegin(b, range.begin, workgroup.getTeam(), teams, 1);
  emitFor(emitter, begin, range.end, teams, [&](Value i) {
    for (unsigned variable : llvm::reverse(variables.drop_front())) {
      Value size = createIndex(b, plan.variables[variable].size);
      emitter.state.variables[variable] = arith::RemUIOp::create(b, i, size);
      i = arith::DivUIOp::create(b, i, size);
    }
    emitter.state.variables[variables.front()] = i;
    body();
  });
}

void graph::emitOutputs(ElementEmitter &emitter, bool isFull) {
  SmallVector<std::pair<unsigned, Value>> values;
  for (auto [number, output] : llvm::enumerate(emitter.getPlan().outputs))
    if (output.isFull == isFull)
      values.push_back({number, emitter.evaluateLanes(output.node)});
  for (auto [number, value] : values)
    emitter.store(number, value);
}

SmallVector<unsigned> graph::getOuterVariables(const KernelPlan &plan) {
  SmallVector<unsigned> result = plan.getDomain(KernelVariable::Parallel);
  llvm::erase_if(result, [&](unsigned variable) {
    return variable == plan.lane || variable == plan.transposed;
  });
  return result;
}

VariableSet graph::getSet(ArrayRef<unsigned> variables) {
  VariableSet set = 0;
  for (unsigned variable : variables)
    set |= VariableSet(1) << variable;
  return set;
}
