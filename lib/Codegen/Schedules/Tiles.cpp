//===- Tiles.cpp - Matrices in a workgroup's own memory -------------------===//

#include "Tiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace graph;

TileEmitter::TileEmitter(ElementEmitter &emitter, unsigned lanes)
    : emitter(emitter), b(emitter.getBuilder()),
      workgroup(emitter.getWorkgroup()), lanes(lanes),
      columnStep(lanes * workgroup.getShape().teamSize) {}

Value TileEmitter::constant(double number, bool isVector) {
  return createConstant(b, getLanesType(b.getF32Type(), isVector ? lanes : 1),
                        b.getF32FloatAttr(number));
}

static Value add(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  return b.createOrFold<arith::AddIOp>(lhs, rhs);
}
static Value multiply(ImplicitLocOpBuilder &b, Value lhs, int64_t factor) {
  return b.createOrFold<arith::MulIOp>(lhs, createIndex(b, factor));
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

Tile TileEmitter::allocate(int64_t rows, int64_t columns) {
  rows = llvm::alignTo(rows, workgroup.getShape().teams);
  bool isPadded = columns % columnStep != 0;
  columns = llvm::alignTo(columns, columnStep);
  // An odd stride spreads the columns of a tile in shared memory over banks.
  int64_t stride = workgroup.isSerial() ? columns : columns | 1;
  Tile tile = {workgroup.allocate(b.getF32Type(), rows * stride), rows, columns,
               stride, 1};
  if (isPadded)
    fill(tile, 0);
  return tile;
}

Value TileEmitter::allocateColumnNumbers(int64_t count) {
  return workgroup.allocate(b.getF32Type(), llvm::alignTo(count, lanes));
}

Value TileEmitter::allocateRowNumbers(int64_t count) {
  return workgroup.allocate(b.getF32Type(),
                            count * workgroup.getShape().teamSize);
}

Value TileEmitter::getPlace(const Tile &tile, Value row, Value column) {
  return add(b, multiply(b, row, tile.rowStride),
             multiply(b, column, tile.columnStride));
}

Value TileEmitter::getPlace(const BufferMatrix &matrix, Value row,
                            Value column) {
  Value place =
      add(b, matrix.offset, multiply(b, row, matrix.matrix->rowStride));
  return add(b, place, multiply(b, column, matrix.matrix->columnStride));
}

Value TileEmitter::loadVector(const Tile &tile, Value row, Value column) {
  Value place = getPlace(tile, row, column);
  if (lanes == 1)
    return memref::LoadOp::create(b, tile.memory, place);
  return vector::LoadOp::create(b, VectorType::get(lanes, b.getF32Type()),
                                tile.memory, place);
}

void TileEmitter::storeVector(const Tile &tile, Value row, Value column,
                              Value value) {
  Value place = getPlace(tile, row, column);
  if (lanes == 1)
    memref::StoreOp::create(b, value, tile.memory, place);
  else
    vector::StoreOp::create(b, value, tile.memory, place);
}

Value TileEmitter::getRowPlace(Value row) {
  return add(b, multiply(b, row, workgroup.getShape().teamSize),
             workgroup.getThread());
}

Value TileEmitter::loadRowNumber(Value numbers, Value row) {
  return memref::LoadOp::create(b, numbers, getRowPlace(row));
}

void TileEmitter::storeRowNumber(Value numbers, Value row, Value value) {
  memref::StoreOp::create(b, value, numbers, getRowPlace(row));
}

Value TileEmitter::loadColumnNumbers(Value numbers, Value column) {
  return loadVector({numbers, 1, 0, 0, 1}, index(0), column);
}

void TileEmitter::storeOnce(Value memory, Value place, Value value) {
  if (workgroup.getShape().teamSize == 1) {
    memref::StoreOp::create(b, value, memory, place);
    return;
  }
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                        workgroup.getThread(), index(0));
  auto branch = scf::IfOp::create(b, isFirst, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPointToStart(branch.thenBlock());
  memref::StoreOp::create(b, value, memory, place);
}

void TileEmitter::storeColumnNumber(Value numbers, Value column, Value value) {
  storeOnce(numbers, column, value);
}

Value TileEmitter::loadFrom(const BufferMatrix &from, Value place,
                            unsigned width) {
  Type element = from.matrix->elementType;
  Type type = getLanesType(getStorageType(element), width);
  Value value = width == 1
                    ? Value(memref::LoadOp::create(b, from.memory, place))
                    : Value(vector::LoadOp::create(b, cast<VectorType>(type),
                                                   from.memory, place));
  value = fromStorage(b, value, element);
  if (element.isInteger(1))
    value =
        arith::UIToFPOp::create(b, getLanesType(b.getF32Type(), width), value);
  return value;
}

Value TileEmitter::loadElement(const BufferMatrix &from, Value row) {
  return loadFrom(from, getPlace(from, row, index(0)), 1);
}

void TileEmitter::storeElement(const BufferMatrix &to, Value row, Value value) {
  Type element = to.matrix->elementType;
  storeOnce(to.memory, getPlace(to, row, index(0)),
            toStorage(b, roundTo(b, value, element), element));
}

//===----------------------------------------------------------------------===//
// Rows and columns
//===----------------------------------------------------------------------===//

void TileEmitter::forEachRow(const Tile &tile, function_ref<void(Value)> body) {
  emitFor(emitter, workgroup.getTeam(), index(tile.rows),
          workgroup.getShape().teams, body);
}

SmallVector<Value> TileEmitter::getVectorColumns(int64_t columns) {
  SmallVector<Value> result;
  Value first = multiply(b, workgroup.getThread(), lanes);
  for (int64_t column = 0; column < columns; column += columnStep)
    result.push_back(add(b, first, index(column)));
  return result;
}

void TileEmitter::forEachVector(const Tile &tile, Value row,
                                function_ref<Value(Value)> change) {
  Value first = multiply(b, workgroup.getThread(), lanes);
  emitFor(emitter, first, index(tile.columns), columnStep, [&](Value column) {
    storeVector(tile, row, column, change(loadVector(tile, row, column)));
  });
}

void TileEmitter::forEachColumn(Value count, bool hasVectors,
                                function_ref<void(Value, unsigned)> body) {
  Value begin = index(0);
  unsigned teamSize = workgroup.getShape().teamSize;
  if (hasVectors && lanes > 1) {
    auto [whole, rest] = splitRange(b, {begin, count}, lanes);
    emitFor(emitter, whole.begin, whole.end, lanes,
            [&](Value column) { body(column, lanes); });
    begin = rest.begin;
  }
  emitFor(emitter, add(b, begin, workgroup.getThread()), count, teamSize,
          [&](Value column) { body(column, 1); });
}

Value TileEmitter::combineRow(ReduceKind kind, Value value) {
  return workgroup.combine(kind, combineLanes(b, kind, value));
}

void TileEmitter::fill(const Tile &tile, double number) {
  forEachRow(tile, [&](Value row) {
    forEachVector(tile, row,
                  [&](Value) { return constant(number, /*isVector=*/true); });
  });
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

void TileEmitter::load(const Tile &tile, const BufferMatrix &from, Value row,
                       Value numRows, Value column, Value numColumns,
                       double factor, bool clearColumns) {
  Value team = workgroup.getTeam();
  unsigned teams = workgroup.getShape().teams;
  auto clear = [&](Value i) {
    forEachVector(tile, i,
                  [&](Value) { return constant(0, /*isVector=*/true); });
  };
  bool hasVectors = from.matrix->columnStride == 1;
  emitFor(emitter, team, numRows, teams, [&](Value i) {
    if (clearColumns)
      clear(i);
    Value place = getPlace(from, add(b, row, i), column);
    forEachColumn(numColumns, hasVectors, [&](Value j, unsigned width) {
      Value value = loadFrom(
          from, add(b, place, multiply(b, j, from.matrix->columnStride)),
          width);
      if (factor != 1)
        value =
            arith::MulFOp::create(b, value, splat(b, constant(factor), width));
      Value to = getPlace(tile, i, j);
      if (width == 1)
        memref::StoreOp::create(b, value, tile.memory, to);
      else
        vector::StoreOp::create(b, value, tile.memory, to);
    });
  });
  // The first row after them that this team has.
  Value rest = team;
  if (teams > 1) {
    Value distance =
        arith::SubIOp::create(b, add(b, numRows, index(teams - 1)), team);
    rest = add(
        b, team,
        multiply(b, arith::DivUIOp::create(b, distance, index(teams)), teams));
  } else {
    rest = numRows;
  }
  emitFor(emitter, rest, index(tile.rows), teams, clear);
}

void TileEmitter::store(const Tile &tile, const BufferMatrix &to, Value row,
                        Value numRows, int64_t numColumns) {
  Type element = to.matrix->elementType;
  emitFor(emitter, workgroup.getTeam(), numRows, workgroup.getShape().teams,
          [&](Value i) {
            Value place = getPlace(to, add(b, row, i), index(0));
            forEachColumn(
                index(numColumns), to.matrix->columnStride == 1,
                [&](Value j, unsigned width) {
                  Value from = getPlace(tile, i, j);
                  Value value =
                      width == 1
                          ? Value(memref::LoadOp::create(b, tile.memory, from))
                          : Value(vector::LoadOp::create(
                                b, VectorType::get(width, b.getF32Type()),
                                tile.memory, from));
                  value = toStorage(b, roundTo(b, value, element), element);
                  Value target =
                      add(b, place, multiply(b, j, to.matrix->columnStride));
                  if (width == 1)
                    memref::StoreOp::create(b, value, to.memory, target);
                  else
                    vector::StoreOp::create(b, value, to.memory, target);
                });
          });
}

Value TileEmitter::dotRows(const BufferMatrix &lhs, const BufferMatrix &rhs,
                           Value row, int64_t columns) {
  Value lhsPlace = getPlace(lhs, row, index(0));
  Value rhsPlace = getPlace(rhs, row, index(0));
  auto accumulate = [&](Value begin, int64_t end, int64_t step, unsigned width,
                        Value sum) {
    return emitFor(
        emitter, begin, index(end), step, {sum},
        [&](Value j, ArrayRef<Value> carried) -> SmallVector<Value> {
          auto at = [&](const BufferMatrix &m, Value place) {
            return loadFrom(
                m, add(b, place, multiply(b, j, m.matrix->columnStride)),
                width);
          };
          return {math::FmaOp::create(b, at(lhs, lhsPlace), at(rhs, rhsPlace),
                                      carried[0])};
        })[0];
  };
  int64_t teamSize = workgroup.getShape().teamSize, whole = 0;
  Value sum = constant(0);
  if (lanes > 1 && lhs.matrix->columnStride == 1 &&
      rhs.matrix->columnStride == 1) {
    whole = columns / lanes * lanes;
    sum = combineLanes(b, ReduceKind::sum,
                       accumulate(index(0), whole, lanes, lanes,
                                  constant(0, /*isVector=*/true)));
  }
  sum = accumulate(add(b, workgroup.getThread(), index(whole)), columns,
                   teamSize, 1, sum);
  return workgroup.combine(ReduceKind::sum, sum);
}

//===----------------------------------------------------------------------===//
// Transposes and products
//===----------------------------------------------------------------------===//

Tile TileEmitter::transpose(const Tile &tile, const Tile &scratch) {
  if (!copiesTransposed())
    return {tile.memory, tile.columns, tile.rows, tile.columnStride,
            tile.rowStride};
  emitFor(emitter, index(0), index(tile.rows), lanes, [&](Value row) {
    emitFor(emitter, index(0), index(tile.columns), lanes, [&](Value column) {
      SmallVector<Value> rows;
      for (unsigned i = 0; i < lanes; ++i)
        rows.push_back(loadVector(tile, add(b, row, index(i)), column));
      for (auto [i, vector] : llvm::enumerate(transposeSquare(b, rows)))
        storeVector(scratch, add(b, column, index(i)), row, vector);
    });
  });
  return scratch;
}

void TileEmitter::productBlock(const Tile &c, const Tile &a, const Tile &rhs,
                               Value row, Value column, int64_t numRows,
                               int64_t numVectors, bool accumulate) {
  SmallVector<Value> rows, columns, sums;
  for (int64_t i = 0; i < numRows; ++i)
    rows.push_back(add(b, row, index(i * workgroup.getShape().teams)));
  for (int64_t j = 0; j < numVectors; ++j)
    columns.push_back(add(b, column, index(j * columnStep)));
  for (Value i : rows)
    for (Value j : columns)
      sums.push_back(accumulate ? loadVector(c, i, j)
                                : constant(0, /*isVector=*/true));
  sums = emitFor(
      emitter, index(0), index(std::min(a.columns, rhs.rows)), 1, sums,
      [&](Value k, ArrayRef<Value> carried) {
        SmallVector<Value> factors, next;
        for (Value j : columns)
          factors.push_back(loadVector(rhs, k, j));
        for (auto [i, r] : llvm::enumerate(rows)) {
          Value factor = splat(
              b, memref::LoadOp::create(b, a.memory, getPlace(a, r, k)), lanes);
          for (auto [j, other] : llvm::enumerate(factors))
            next.push_back(math::FmaOp::create(b, factor, other,
                                               carried[i * numVectors + j]));
        }
        return next;
      });
  for (auto [i, r] : llvm::enumerate(rows))
    for (auto [j, column] : llvm::enumerate(columns))
      storeVector(c, r, column, sums[i * numVectors + j]);
}

void TileEmitter::product(const Tile &c, const Tile &a, const Tile &rhs,
                          bool accumulate) {
  // With 32 vector registers 8 x 2 sums, else 4 x 2; a GPU thread has more.
  constexpr int64_t kMaxSums = 64;
  int64_t teams = workgroup.getShape().teams;
  int64_t numRows = c.rows / teams, numVectors = c.columns / columnStep;
  int64_t blockRows = workgroup.isSerial() ? (lanes >= 16 ? 8 : 4) : numRows;
  int64_t blockVectors =
      workgroup.isSerial() ? 2 : std::max<int64_t>(kMaxSums / numRows, 1);
  auto emitColumns = [&](Value row, int64_t rows) {
    Value first = multiply(b, workgroup.getThread(), lanes);
    int64_t whole = numVectors / blockVectors * blockVectors;
    emitFor(emitter, first, index(whole * columnStep),
            blockVectors * columnStep, [&](Value column) {
              productBlock(c, a, rhs, row, column, rows, blockVectors,
                           accumulate);
            });
    if (whole != numVectors)
      productBlock(c, a, rhs, row, add(b, first, index(whole * columnStep)),
                   rows, numVectors - whole, accumulate);
  };
  int64_t whole = numRows / blockRows * blockRows;
  emitFor(emitter, workgroup.getTeam(), index(whole * teams), blockRows * teams,
          [&](Value row) { emitColumns(row, blockRows); });
  if (whole != numRows)
    emitColumns(add(b, workgroup.getTeam(), index(whole * teams)),
                numRows - whole);
}
