//===- Transpose.cpp - Loads along one variable, stores along another -----===//

#include "Schedules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace graph;

/// Positions per side of a block that stays in the first-level cache.
static constexpr int64_t kBlock = 64;

namespace {
class TransposeEmitter {
public:
  explicit TransposeEmitter(ElementEmitter &emitter)
      : emitter(emitter), b(emitter.getBuilder()), plan(emitter.getPlan()),
        roots(getPhaseRoots(plan, 0)), outer(getOuterVariables(plan)),
        lane(*plan.lane), transposed(*plan.transposed), lanes(plan.numLanes) {}

  void emit(Value workgroup) {
    WorkgroupRanges ranges = getWorkgroupRanges(b, plan.partition, workgroup);
    emitPointLoop(emitter, ranges.outer, outer, [&] {
      emitter.hoist(roots, getSet(outer));
      emitBlocks(ranges.lane, [&](IndexRange laneBlock) {
        emitBlocks(ranges.transposed, [&](IndexRange transposedBlock) {
          emitBlock(laneBlock, transposedBlock);
        });
      });
    });
  }

private:
  void emitBlocks(IndexRange range, function_ref<void(IndexRange)> body) {
    emitFor(emitter, range.begin, range.end, kBlock, [&](Value begin) {
      Value end = arith::AddIOp::create(b, begin, createIndex(b, kBlock));
      body({begin, arith::MinUIOp::create(b, end, range.end)});
    });
  }

  void emitBlock(IndexRange laneBlock, IndexRange transposedBlock) {
    auto [tiles, rest] = splitRange(b, transposedBlock, lanes);
    auto [laneTiles, laneRest] = splitRange(b, laneBlock, lanes);
    emitFor(emitter, tiles.begin, tiles.end, lanes, [&](Value start) {
      emitFor(emitter, laneTiles.begin, laneTiles.end, lanes, [&](Value i) {
        emitter.state.lanes = lanes;
        emitter.state.variables[lane] = i;
        emitTile(start);
      });
      Value end = arith::AddIOp::create(b, start, createIndex(b, lanes));
      emitRows({start, end}, laneRest);
    });
    emitRows(rest, laneBlock);
  }

  /// `lanes` rows of one vector each.
  void emitTile(Value start) {
    emitter.hoist(roots, getSet(outer) | VariableSet(1) << lane);
    ElementEmitter::Tile tile;
    tile.start = start;
    emitter.tile = &tile;
    for (unsigned row = 0; row < lanes; ++row) {
      ElementEmitter::Scope scope(emitter);
      tile.row = row;
      emitter.state.variables[transposed] =
          arith::AddIOp::create(b, start, createIndex(b, row));
      emitElements();
    }
    emitter.tile = nullptr;
  }

  /// The border: what does not fill a tile.
  void emitRows(IndexRange rows, IndexRange columns) {
    emitFor(emitter, rows.begin, rows.end, 1, [&](Value row) {
      emitter.state.variables[transposed] = row;
      emitLaneLoops(emitter, columns, /*unroll=*/1,
                    [&](unsigned) { emitElements(); });
    });
  }

  void emitElements() {
    SmallVector<Value> values;
    for (const KernelOutput &output : plan.outputs)
      values.push_back(emitter.evaluateLanes(output.node));
    for (auto [number, value] : llvm::enumerate(values))
      emitter.store(number, value);
  }

  ElementEmitter &emitter;
  ImplicitLocOpBuilder &b;
  const KernelPlan &plan;
  SmallVector<unsigned> roots, outer;
  unsigned lane, transposed, lanes;
};
} // namespace

void graph::emitTranspose(ElementEmitter &emitter, Value workgroup) {
  TransposeEmitter(emitter).emit(workgroup);
}
