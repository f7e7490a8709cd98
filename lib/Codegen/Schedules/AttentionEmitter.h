//===- AttentionEmitter.h - What both attention kernels share ---*- C++ -*-===//

#ifndef GRAPH_LIB_CODEGEN_SCHEDULES_ATTENTIONEMITTER_H
#define GRAPH_LIB_CODEGEN_SCHEDULES_ATTENTIONEMITTER_H

#include "Tiles.h"

namespace graph {

/// Some queries or keys: `count` from position `begin` on.
struct Span {
  mlir::Value begin, count;
};

/// The scores of a workgroup's own rows (queries or keys) against the columns
/// (keys or queries) that it goes through.
enum class Orientation { RowsAreQueries, RowsAreKeys };

class AttentionEmitter {
protected:
  explicit AttentionEmitter(ElementEmitter &emitter);

  /// Block number `number` of all batches, each of which has `numBlocks` of
  /// `block` queries or keys, `size` in all. `open` means its batch from now
  /// on.
  Span openBlock(mlir::Value number, int64_t numBlocks, int64_t block,
                 int64_t size);
  BufferMatrix open(const AttentionMatrix &matrix) const;

  /// Positions from `begin` on, `block` at most.
  Span getSpan(mlir::Value begin, int64_t block, int64_t size);

  /// A query of `queries` sees keys below this position only.
  mlir::Value getKeysEnd(Span queries);
  /// Queries before this position see no key of `keys`.
  mlir::Value getQueriesBegin(Span keys);

  /// Loads the mask's tile for these queries and keys, if there is a mask, for
  /// `forEachScoreRow`; before a barrier.
  void loadMask(Orientation orientation, Span queries, Span keys);
  /// Calls `body` for every row of the tile `scores`, with its number and the
  /// vectors of its scores, -inf where a query does not look.
  void forEachScoreRow(
      const Tile &scores, Orientation orientation, Span rows, Span columns,
      llvm::function_ref<void(mlir::Value row, llvm::ArrayRef<mlir::Value>)>
          body);

  mlir::Value exp(mlir::Value value);
  mlir::Value subtract(mlir::Value lhs, mlir::Value rhs);
  mlir::Value multiply(mlir::Value lhs, mlir::Value rhs);
  mlir::Value splatted(mlir::Value number) {
    return splat(b, number, tiles.getLanes());
  }
  /// The finite number closest to -inf.
  mlir::Value lowest();

  ElementEmitter &emitter;
  mlir::ImplicitLocOpBuilder &b;
  const AttentionPlan &plan;
  const AttentionForm &form;
  TileEmitter tiles;

private:
  void openBatch(mlir::Value batch);
  /// The columns that row `row` sees are [begin, end) of the tile.
  IndexRange getVisible(Orientation orientation, mlir::Value position,
                        Span columns);
  mlir::Value isVisible(IndexRange visible, mlir::Value column);
  /// The mask's tile, queries by keys.
  Tile getMask(Orientation orientation);

  mlir::SmallVector<mlir::Value> batchIndices;
  /// 1 where the mask is true; queries by keys, and for the other orientation
  /// keys by queries.
  std::optional<Tile> mask, transposedMask;
};

} // namespace graph

#endif // GRAPH_LIB_CODEGEN_SCHEDULES_ATTENTIONEMITTER_H
