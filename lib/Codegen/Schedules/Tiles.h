//===- Tiles.h - Matrices in a workgroup's own memory -----------*- C++ -*-===//
//
// A tile is a small matrix of f32 on the stack (CPU) or in shared memory
// (CUDA). Tiles are loaded from strided matrices in buffers, multiplied,
// changed row by row, and stored.
//
// The elements of a tile are dealt to threads: row r to team r mod teams, and
// within a row vectors of `lanes` elements in turn to the threads of the team.
// What a thread writes of a tile by `fill`, `product` or `forEachVector`, it
// alone writes; others see it after a barrier. Between buffers and tiles
// neighbouring threads move neighbouring elements, whoever has them. One thread
// has everything.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_LIB_CODEGEN_SCHEDULES_TILES_H
#define GRAPH_LIB_CODEGEN_SCHEDULES_TILES_H

#include "../Loops.h"
#include "graph/Analysis/AttentionForm.h"

namespace graph {

/// Element [i, j] is at i * rowStride + j * columnStride of `memory`.
struct Tile {
  mlir::Value memory;
  /// Multiples of what threads and vectors need; the rest is zeros.
  int64_t rows, columns;
  int64_t rowStride, columnStride;
};

/// How threads read a tile together, which decides how far apart rows must be
/// in shared memory to fall into different banks.
enum class TileUse {
  /// Each its own elements, and factors of a product.
  Rows,
  /// The second factor of a product, transposed.
  TransposedFactor,
  /// Each its own elements of the transpose.
  TransposedRows,
};

/// A matrix of one batch in a buffer: element [i, j] is at `offset` + i *
/// matrix->rowStride + j * matrix->columnStride.
struct BufferMatrix {
  const AttentionMatrix *matrix;
  mlir::Value memory, offset;
};

class TileEmitter {
public:
  TileEmitter(ElementEmitter &emitter, unsigned lanes);

  /// A tile of at least these sizes, undefined.
  Tile allocate(int64_t rows, int64_t columns, TileUse use = TileUse::Rows);
  /// The memory of a tile for `Rows`, or for the use it was allocated for.
  Tile useAs(Tile tile, TileUse use);
  /// Numbers, one for each column of a tile, that all threads share.
  mlir::Value allocateColumnNumbers(int64_t count);
  /// Numbers, one for each row of a tile, of which every thread of the row's
  /// team has a copy.
  mlir::Value allocateRowNumbers(int64_t count);

  void fill(const Tile &tile, double number);
  /// Rows [0, numRows) and columns [0, numColumns) of the tile, at least one of
  /// each, become those of `from` that begin at [row, column], times `factor`;
  /// those after them become 0. i1 becomes 0 or 1. Between barriers.
  void load(const Tile &tile, const BufferMatrix &from, mlir::Value row,
            mlir::Value numRows, mlir::Value column, mlir::Value numColumns,
            double factor = 1);
  /// The first numRows rows and numColumns columns of the tile go to `to` from
  /// row `row` on, rounded to its elements. Has a barrier.
  void store(const Tile &tile, const BufferMatrix &to, mlir::Value row,
             mlir::Value numRows, int64_t numColumns);

  /// The transpose of `tile`: itself, read the other way round, where elements
  /// are read one by one, otherwise written to `scratch`.
  Tile transpose(const Tile &tile, const Tile &scratch);
  /// Whether `transpose` writes to its scratch tile.
  bool copiesTransposed() const { return lanes > 1; }

  /// c = a b, or c += a b. Reads all columns of a.
  void product(const Tile &c, const Tile &a, const Tile &b, bool accumulate);

  /// Calls `body` for every row that this thread's team has.
  void forEachRow(const Tile &tile, llvm::function_ref<void(mlir::Value)> body);
  /// The columns at which this thread's vectors of a row begin, when there are
  /// `columns` of them.
  llvm::SmallVector<mlir::Value> getVectorColumns(int64_t columns);
  /// Changes every vector of a row.
  void forEachVector(const Tile &tile, mlir::Value row,
                     llvm::function_ref<mlir::Value(mlir::Value)> change);

  mlir::Value loadVector(const Tile &tile, mlir::Value row, mlir::Value column);
  void storeVector(const Tile &tile, mlir::Value row, mlir::Value column,
                   mlir::Value value);
  mlir::Value loadRowNumber(mlir::Value numbers, mlir::Value row);
  void storeRowNumber(mlir::Value numbers, mlir::Value row, mlir::Value value);
  /// As many as a vector has.
  mlir::Value loadColumnNumbers(mlir::Value numbers, mlir::Value column);
  /// One thread of the team, which has the value, stores it.
  void storeColumnNumber(mlir::Value numbers, mlir::Value column,
                         mlir::Value value);

  /// The first element of a row of a buffer, as f32.
  mlir::Value loadElement(const BufferMatrix &from, mlir::Value row);
  /// One thread of the team stores it there.
  void storeElement(const BufferMatrix &to, mlir::Value row, mlir::Value value);
  /// Of one row of a buffer times one of another, known to all threads of a
  /// team.
  mlir::Value dotRows(const BufferMatrix &lhs, const BufferMatrix &rhs,
                      mlir::Value row, int64_t columns);
  /// The lanes of all threads of a team combined.
  mlir::Value combineRow(ReduceKind kind, mlir::Value value);

  mlir::Value constant(double number, bool isVector = false);
  mlir::Value index(int64_t number) { return createIndex(b, number); }
  unsigned getLanes() const { return lanes; }
  mlir::ImplicitLocOpBuilder &getBuilder() { return b; }
  void synchronize() { workgroup.synchronize(); }

private:
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value multiply(mlir::Value lhs, int64_t factor);
  int64_t getRowStride(int64_t columns, TileUse use);
  mlir::Value getPlace(const Tile &tile, mlir::Value row, mlir::Value column);
  mlir::Value getPlace(const BufferMatrix &matrix, mlir::Value row,
                       mlir::Value column);
  /// Stores a number from one thread of each team.
  void storeOnce(mlir::Value memory, mlir::Value place, mlir::Value value);
  mlir::Value getRowPlace(mlir::Value row);
  mlir::Value loadFrom(const BufferMatrix &from, mlir::Value place,
                       unsigned width);
  /// Several threads: loops over all elements of a tile, neighbouring columns
  /// in neighbouring threads.
  void forEachElement(
      const Tile &tile,
      llvm::function_ref<void(mlir::Value row, mlir::Value column)> body);
  void loadElements(const Tile &tile, const BufferMatrix &from, mlir::Value row,
                    mlir::Value numRows, mlir::Value column,
                    mlir::Value numColumns, double factor);
  void storeElements(const Tile &tile, const BufferMatrix &to, mlir::Value row,
                     mlir::Value numRows, int64_t numColumns);
  /// One thread: loops over [0, count) of a row, vectors, then single elements.
  void
  forEachColumn(mlir::Value count, bool hasVectors,
                llvm::function_ref<void(mlir::Value, unsigned width)> body);
  /// The elements that a thread takes at once of two rows that are multiplied.
  unsigned getDotWidth(const AttentionMatrix &lhs, const AttentionMatrix &rhs);
  mlir::Value loadPart(const Tile &tile, mlir::Value place, unsigned width);
  void storePart(mlir::Value memory, mlir::Value place, mlir::Value value);
  /// `numRows` x `numVectors` results of a product in registers.
  void productBlock(const Tile &c, const Tile &a, const Tile &b,
                    mlir::Value row, mlir::Value column, int64_t numRows,
                    int64_t numVectors, bool accumulate);

  ElementEmitter &emitter;
  mlir::ImplicitLocOpBuilder &b;
  Workgroup &workgroup;
  unsigned lanes;
  /// The distance between the vectors of one thread.
  int64_t columnStep;
};

} // namespace graph

#endif // GRAPH_LIB_CODEGEN_SCHEDULES_TILES_H
