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

Value TileEmitter::add(Value lhs, Value rhs) {
  return b.createOrFold<arith::AddIOp>(lhs, rhs);
}

Value TileEmitter::multiply(Value lhs, int64_t factor) {
  return b.createOrFold<arith::MulIOp>(lhs, createIndex(b, factor));
}

Value TileEmitter::constant(double number, bool isVector) {
  return createConstant(b, getLanesType(b.getF32Type(), isVector ? lanes : 1),
                        b.getF32FloatAttr(number));
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

int64_t TileEmitter::getRowStride(int64_t columns, TileUse use) {
  if (workgroup.isSerial())
    return columns;
  // A warp is four teams of eight threads. Their places are different modulo
  // 32 when each has an element of its own and rows are an odd multiple of 8
  // apart, or of 4 for an element of the transpose; the elements of one column
  // when rows are an odd number apart.
  switch (use) {
  case TileUse::Rows:
    return columns | columnStep;
  case TileUse::TransposedFactor:
    return columns | 1;
  case TileUse::TransposedRows:
    return columns | columnStep / 2;
  }
  llvm_unreachable("unknown use of a tile");
}

Tile TileEmitter::allocate(int64_t rows, int64_t columns, TileUse use) {
  rows = llvm::alignTo(rows, workgroup.getShape().teams);
  columns = llvm::alignTo(columns, columnStep);
  int64_t stride = getRowStride(columns, use);
  int64_t space = std::max(stride, getRowStride(columns, TileUse::Rows));
  return {workgroup.allocate(b.getF32Type(), rows * space), rows, columns,
          stride, 1};
}

Tile TileEmitter::useAs(Tile tile, TileUse use) {
  tile.rowStride = getRowStride(tile.columns, use);
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
  return add(multiply(row, tile.rowStride),
             multiply(column, tile.columnStride));
}

Value TileEmitter::getPlace(const BufferMatrix &matrix, Value row,
                            Value column) {
  Value place = add(matrix.offset, multiply(row, matrix.matrix->rowStride));
  return add(place, multiply(column, matrix.matrix->columnStride));
}

Value TileEmitter::loadPart(const Tile &tile, Value place, unsigned width) {
  if (width == 1)
    return memref::LoadOp::create(b, tile.memory, place);
  return vector::LoadOp::create(b, VectorType::get(width, b.getF32Type()),
                                tile.memory, place);
}

void TileEmitter::storePart(Value memory, Value place, Value value) {
  if (isa<VectorType>(value.getType()))
    vector::StoreOp::create(b, value, memory, place);
  else
    memref::StoreOp::create(b, value, memory, place);
}

Value TileEmitter::loadVector(const Tile &tile, Value row, Value column) {
  return loadPart(tile, getPlace(tile, row, column), lanes);
}

void TileEmitter::storeVector(const Tile &tile, Value row, Value column,
                              Value value) {
  storePart(tile.memory, getPlace(tile, row, column), value);
}

Value TileEmitter::getRowPlace(Value row) {
  return add(multiply(row, workgroup.getShape().teamSize),
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

//===----------------------------------------------------------------------===//
// Rows and columns
//===----------------------------------------------------------------------===//

void TileEmitter::forEachRow(const Tile &tile, function_ref<void(Value)> body) {
  emitFor(emitter, workgroup.getTeam(), index(tile.rows),
          workgroup.getShape().teams, body);
}

SmallVector<Value> TileEmitter::getVectorColumns(int64_t columns) {
  SmallVector<Value> result;
  Value first = multiply(workgroup.getThread(), lanes);
  for (int64_t column = 0; column < columns; column += columnStep)
    result.push_back(add(first, index(column)));
  return result;
}

void TileEmitter::forEachVector(const Tile &tile, Value row,
                                function_ref<Value(Value)> change) {
  Value first = multiply(workgroup.getThread(), lanes);
  emitFor(emitter, first, index(tile.columns), columnStep, [&](Value column) {
    storeVector(tile, row, column, change(loadVector(tile, row, column)));
  });
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
        rows.push_back(loadVector(tile, add(row, index(i)), column));
      for (auto [i, vector] : llvm::enumerate(transposeSquare(b, rows)))
        storeVector(scratch, add(column, index(i)), row, vector);
    });
  });
  return scratch;
}

void TileEmitter::productBlock(const Tile &c, const Tile &a, const Tile &rhs,
                               Value row, Value column, int64_t numRows,
                               int64_t numVectors, bool accumulate) {
  SmallVector<Value> rows, columns, sums;
  for (int64_t i = 0; i < numRows; ++i)
    rows.push_back(add(row, index(i * workgroup.getShape().teams)));
  for (int64_t j = 0; j < numVectors; ++j)
    columns.push_back(add(column, index(j * columnStep)));
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
    Value first = multiply(workgroup.getThread(), lanes);
    int64_t whole = numVectors / blockVectors * blockVectors;
    emitFor(emitter, first, index(whole * columnStep),
            blockVectors * columnStep, [&](Value column) {
              productBlock(c, a, rhs, row, column, rows, blockVectors,
                           accumulate);
            });
    if (whole != numVectors)
      productBlock(c, a, rhs, row, add(first, index(whole * columnStep)), rows,
                   numVectors - whole, accumulate);
  };
  int64_t whole = numRows / blockRows * blockRows;
  emitFor(emitter, workgroup.getTeam(), index(whole * teams), blockRows * teams,
          [&](Value row) { emitColumns(row, blockRows); });
  if (whole != numRows)
    emitColumns(add(workgroup.getTeam(), index(whole * teams)),
                numRows - whole);
}
