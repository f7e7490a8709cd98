//===- Transpose.cpp - Loads along one variable, stores along another -----===//

#include "Schedules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace graph;

/// Positions per side of a block that stays in the first-level cache.
static constexpr int64_t kBlock = 64;

namespace {
/// One thread: a tile is as many vectors as they have lanes.
class RegisterTranspose {
public:
  explicit RegisterTranspose(ElementEmitter &emitter)
      : emitter(emitter), b(emitter.getBuilder()), plan(emitter.getPlan()),
        roots(getPhaseRoots(plan, 0)), outer(getOuterVariables(plan)),
        lane(*plan.lane), transposed(*plan.transposed), lanes(plan.numLanes) {}

  void emit() {
    WorkgroupRanges ranges = getWorkgroupRanges(emitter);
    emitPointLoop(emitter, ranges.outer, outer, Points::Shared, [&] {
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
      emitOutputs(emitter);
    }
    emitter.tile = nullptr;
  }

  /// The border: what does not fill a tile.
  void emitRows(IndexRange rows, IndexRange columns) {
    emitFor(emitter, rows.begin, rows.end, 1, [&](Value row) {
      emitter.state.variables[transposed] = row;
      emitLaneLoops(emitter, columns, /*unroll=*/1,
                    [&](unsigned) { emitOutputs(emitter); });
    });
  }

  ElementEmitter &emitter;
  ImplicitLocOpBuilder &b;
  const KernelPlan &plan;
  SmallVector<unsigned> roots, outer;
  unsigned lane, transposed, lanes;
};

/// Several threads: a tile lies in shared memory, teams take its rows. Loads
/// and stores of a warp are contiguous; the rows of the tile are one element
/// longer than they need be, so that a column's elements lie in different
/// banks.
class SharedTranspose {
public:
  explicit SharedTranspose(ElementEmitter &emitter)
      : emitter(emitter), b(emitter.getBuilder()), plan(emitter.getPlan()),
        workgroup(emitter.getWorkgroup()), lane(*plan.lane),
        transposed(*plan.transposed), side(workgroup.getShape().teamSize) {}

  void emit() {
    ranges = getWorkgroupRanges(emitter);
    SmallVector<unsigned> outer = getOuterVariables(plan);
    emitPointLoop(emitter, ranges.outer, outer, Points::Shared, [&] {
      emitter.hoist(getPhaseRoots(plan, 0), getSet(outer));
      allocateTiles();
      emitPositions(transposed, lane, [&] {
        for (auto &[node, tile] : tiles)
          emitter.storeBuffer(tile, emitter.evaluate(node));
      });
      workgroup.synchronize();
      for (auto &[node, tile] : tiles)
        emitter.setBuffer(node, tile);
      emitPositions(lane, transposed, [&] { emitOutputs(emitter); });
    });
  }

private:
  /// One for every node that is contiguous along the transposed variable, as
  /// long as there is memory.
  void allocateTiles() {
    constexpr size_t kMostTiles = 8;
    int64_t pitch = side + 1;
    AffineIndex index =
        AffineIndex::variable(lane) * pitch + AffineIndex::variable(transposed);
    Value base =
        arith::MulIOp::create(b, ranges.lane.begin, createIndex(b, -pitch));
    base = arith::SubIOp::create(b, base, ranges.transposed.begin);
    for (auto [number, node] : llvm::enumerate(plan.nodes)) {
      std::optional<int64_t> step = getLaneStep(plan, node.index, lane);
      if (node.kind != KernelNode::Load || tiles.size() == kMostTiles ||
          step == 0 || step == 1 || node.index.getCoefficient(transposed) != 1)
        continue;
      Type type = getComputeType(node.getElementType());
      Value memory = workgroup.allocate(type, side * pitch);
      tiles.emplace_back(number, ElementEmitter::Buffer{memory, index, base});
    }
  }

  /// Runs `body` where the variables are inside: threads along one of them, the
  /// teams' rows along the other.
  void emitPositions(unsigned alongThreads, unsigned alongTeams,
                     function_ref<void()> body) {
    auto getRange = [&](unsigned variable) {
      return variable == lane ? ranges.lane : ranges.transposed;
    };
    IndexRange threads = getRange(alongThreads), rows = getRange(alongTeams);
    Value column =
        arith::AddIOp::create(b, threads.begin, workgroup.getThread());
    Value isColumn = isLess(column, threads.end);
    for (unsigned first = 0; first < side;
         first += workgroup.getShape().teams) {
      Value row = arith::AddIOp::create(b, rows.begin, workgroup.getTeam());
      row = arith::AddIOp::create(b, row, createIndex(b, first));
      Value isInside =
          arith::AndIOp::create(b, isColumn, isLess(row, rows.end));
      auto branch = scf::IfOp::create(b, isInside, /*withElseRegion=*/false);
      OpBuilder::InsertionGuard insertion(b);
      ElementEmitter::Scope scope(emitter);
      b.setInsertionPointToStart(branch.thenBlock());
      emitter.state.variables[alongThreads] = column;
      emitter.state.variables[alongTeams] = row;
      body();
    }
  }

  Value isLess(Value position, Value end) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, position, end);
  }

  ElementEmitter &emitter;
  ImplicitLocOpBuilder &b;
  const KernelPlan &plan;
  Workgroup &workgroup;
  unsigned lane, transposed, side;
  WorkgroupRanges ranges;
  SmallVector<std::pair<unsigned, ElementEmitter::Buffer>> tiles;
};
} // namespace

void graph::emitTranspose(ElementEmitter &emitter) {
  if (emitter.getWorkgroup().isSerial())
    RegisterTranspose(emitter).emit();
  else
    SharedTranspose(emitter).emit();
}
