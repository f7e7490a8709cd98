//===- TileMemory.cpp - Tiles and rows from and to buffers ----------------===//

#include "Tiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace graph;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Value TileEmitter::loadFrom(const BufferMatrix &from, Value place,
                            unsigned width) {
  Type element = from.matrix->elementType;
  Type storage = getStorageType(element);
  Value value;
  if (width == 1) {
    value = memref::LoadOp::create(b, from.memory, place);
  } else {
    int64_t bytes = width * storage.getIntOrFloatBitWidth() / 8;
    llvm::MaybeAlign alignment;
    if (workgroup.needsAlignment())
      alignment = llvm::Align(bytes);
    value =
        vector::LoadOp::create(b, VectorType::get(width, storage), from.memory,
                               place, /*nontemporal=*/false, alignment);
  }
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
// Tiles
//===----------------------------------------------------------------------===//

/// Whether i < rows and j < columns.
static Value isBelow(ImplicitLocOpBuilder &b, Value i, Value rows, Value j,
                     Value columns) {
  Value isRow = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, i, rows);
  Value isColumn =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, j, columns);
  return arith::AndIOp::create(b, isRow, isColumn);
}

void TileEmitter::forEachElement(const Tile &tile,
                                 function_ref<void(Value, Value)> body) {
  ThreadShape shape = workgroup.getShape();
  Value thread =
      add(multiply(workgroup.getTeam(), shape.teamSize), workgroup.getThread());
  Value columns = index(tile.columns);
  emitFor(emitter, index(0), index(tile.rows * tile.columns),
          shape.getNumThreads(), [&](Value first) {
            Value element = add(first, thread);
            body(arith::DivUIOp::create(b, element, columns),
                 arith::RemUIOp::create(b, element, columns));
          });
}

void TileEmitter::forEachColumn(Value count, bool hasVectors,
                                function_ref<void(Value, unsigned)> body) {
  Value begin = index(0);
  if (hasVectors && lanes > 1) {
    auto [whole, rest] = splitRange(b, {begin, count}, lanes);
    emitFor(emitter, whole.begin, whole.end, lanes,
            [&](Value column) { body(column, lanes); });
    begin = rest.begin;
  }
  emitFor(emitter, begin, count, 1, [&](Value column) { body(column, 1); });
}

void TileEmitter::load(const Tile &tile, const BufferMatrix &from, Value row,
                       Value numRows, Value column, Value numColumns,
                       double factor) {
  if (!workgroup.isSerial())
    return loadElements(tile, from, row, numRows, column, numColumns, factor);
  auto clear = [&](Value i) {
    forEachVector(tile, i,
                  [&](Value) { return constant(0, /*isVector=*/true); });
  };
  bool isPadded = getConstantIntValue(numColumns) != tile.columns;
  bool hasVectors = from.matrix->columnStride == 1;
  emitFor(emitter, index(0), numRows, 1, [&](Value i) {
    if (isPadded)
      clear(i);
    Value place = getPlace(from, add(row, i), column);
    forEachColumn(numColumns, hasVectors, [&](Value j, unsigned width) {
      Value value = loadFrom(
          from, add(place, multiply(j, from.matrix->columnStride)), width);
      if (factor != 1)
        value =
            arith::MulFOp::create(b, value, splat(b, constant(factor), width));
      storePart(tile.memory, getPlace(tile, i, j), value);
    });
  });
  emitFor(emitter, numRows, index(tile.rows), 1, clear);
}

void TileEmitter::loadElements(const Tile &tile, const BufferMatrix &from,
                               Value row, Value numRows, Value column,
                               Value numColumns, double factor) {
  Value one = index(1), zero = constant(0);
  Value lastRow = arith::SubIOp::create(b, numRows, one);
  Value lastColumn = arith::SubIOp::create(b, numColumns, one);
  forEachElement(tile, [&](Value i, Value j) {
    // A place inside in any case, so that no load waits for a branch.
    Value fromRow = add(row, arith::MinUIOp::create(b, i, lastRow));
    Value fromColumn = add(column, arith::MinUIOp::create(b, j, lastColumn));
    Value value = loadFrom(from, getPlace(from, fromRow, fromColumn), 1);
    if (factor != 1)
      value = arith::MulFOp::create(b, value, constant(factor));
    Value isInside = isBelow(b, i, numRows, j, numColumns);
    value = arith::SelectOp::create(b, isInside, value, zero);
    storePart(tile.memory, getPlace(tile, i, j), value);
  });
}

void TileEmitter::store(const Tile &tile, const BufferMatrix &to, Value row,
                        Value numRows, int64_t numColumns) {
  if (!workgroup.isSerial())
    return storeElements(tile, to, row, numRows, numColumns);
  Type element = to.matrix->elementType;
  emitFor(emitter, index(0), numRows, 1, [&](Value i) {
    Value place = getPlace(to, add(row, i), index(0));
    forEachColumn(index(numColumns), to.matrix->columnStride == 1,
                  [&](Value j, unsigned width) {
                    Value value = loadPart(tile, getPlace(tile, i, j), width);
                    value = toStorage(b, roundTo(b, value, element), element);
                    storePart(to.memory,
                              add(place, multiply(j, to.matrix->columnStride)),
                              value);
                  });
  });
}

void TileEmitter::storeElements(const Tile &tile, const BufferMatrix &to,
                                Value row, Value numRows, int64_t numColumns) {
  Type element = to.matrix->elementType;
  synchronize();
  forEachElement(tile, [&](Value i, Value j) {
    auto branch =
        scf::IfOp::create(b, isBelow(b, i, numRows, j, index(numColumns)),
                          /*withElseRegion=*/false);
    OpBuilder::InsertionGuard insertion(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Value value = loadPart(tile, getPlace(tile, i, j), 1);
    storePart(to.memory, getPlace(to, add(row, i), j),
              toStorage(b, roundTo(b, value, element), element));
  });
}

//===----------------------------------------------------------------------===//
// Products of rows
//===----------------------------------------------------------------------===//

/// Whether vectors of `width` elements of a row lie at multiples of their size.
static bool isAligned(const AttentionMatrix &matrix, int64_t width) {
  auto isMultiple = [&](int64_t stride) { return stride % width == 0; };
  return matrix.columnStride == 1 && isMultiple(matrix.offset) &&
         isMultiple(matrix.rowStride) &&
         llvm::all_of(matrix.batchStrides, isMultiple);
}

unsigned TileEmitter::getDotWidth(const AttentionMatrix &lhs,
                                  const AttentionMatrix &rhs) {
  if (workgroup.isSerial())
    return lhs.columnStride == 1 && rhs.columnStride == 1 ? lanes : 1;
  // A team of eight threads reads whole sectors with four bytes each.
  unsigned width = 32 / lhs.elementType.getIntOrFloatBitWidth();
  return isAligned(lhs, width) && isAligned(rhs, width) ? width : 1;
}

Value TileEmitter::dotRows(const BufferMatrix &lhs, const BufferMatrix &rhs,
                           Value row, int64_t columns) {
  Value lhsPlace = getPlace(lhs, row, index(0));
  Value rhsPlace = getPlace(rhs, row, index(0));
  Value thread = workgroup.getThread();
  int64_t teamSize = workgroup.getShape().teamSize;
  auto accumulate = [&](int64_t begin, int64_t end, unsigned width, Value sum) {
    Value first = add(multiply(thread, width), index(begin));
    return emitFor(
        emitter, first, index(end), width * teamSize, {sum},
        [&](Value j, ArrayRef<Value> carried) -> SmallVector<Value> {
          auto at = [&](const BufferMatrix &m, Value place) {
            return loadFrom(m, add(place, multiply(j, m.matrix->columnStride)),
                            width);
          };
          Value factor = at(lhs, lhsPlace);
          return {
              math::FmaOp::create(b, factor, at(rhs, rhsPlace), carried[0])};
        })[0];
  };
  unsigned width = getDotWidth(*lhs.matrix, *rhs.matrix);
  int64_t whole = columns / (width * teamSize) * (width * teamSize);
  Value sum = constant(0);
  if (width > 1 && whole > 0)
    sum =
        combineLanes(b, ReduceKind::sum,
                     accumulate(0, whole, width, splat(b, constant(0), width)));
  else
    whole = 0;
  if (whole < columns)
    sum = accumulate(whole, columns, 1, sum);
  return workgroup.combine(ReduceKind::sum, sum);
}
