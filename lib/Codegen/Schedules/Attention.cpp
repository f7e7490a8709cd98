//===- Attention.cpp - Attention without its weights in memory ------------===//
//
// A workgroup has some queries of one batch and goes through the keys that they
// see, a block at a time. Of each query it keeps the maximum m of the scores so
// far, the sum of exp(score - m), and the sum of exp(score - m) value; where a
// block raises m, the sums are scaled by exp(old m - m).
//
//===----------------------------------------------------------------------===//

#include "AttentionEmitter.h"
#include "Schedules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace graph;

namespace {
class ForwardEmitter : AttentionEmitter {
public:
  explicit ForwardEmitter(ElementEmitter &emitter)
      : AttentionEmitter(emitter),
        query(tiles.allocate(plan.queryBlock, form.headSize)),
        key(tiles.allocate(plan.keyBlock, form.headSize,
                           TileUse::TransposedFactor)),
        transposedKey(key),
        value(tiles.allocate(plan.keyBlock, form.valueSize)),
        scores(tiles.allocate(plan.queryBlock, plan.keyBlock)),
        result(tiles.allocate(plan.queryBlock, form.valueSize)),
        highest(tiles.allocateRowNumbers(query.rows)),
        total(tiles.allocateRowNumbers(query.rows)) {
    if (tiles.copiesTransposed())
      transposedKey = tiles.allocate(key.columns, plan.keyBlock);
  }

  void emit() {
    Value number = emitter.getWorkgroup().getNumber();
    Span queries = openBlock(number, plan.numQueryBlocks, plan.queryBlock,
                             form.numQueries);

    tiles.load(query, open(form.query), queries.begin, queries.count,
               createIndex(b, 0), createIndex(b, form.headSize), form.scale);
    tiles.fill(result, 0);
    tiles.forEachRow(query, [&](Value row) {
      // Finite, so that exp(-inf - m) is 0 and not NaN.
      tiles.storeRowNumber(highest, row, lowest());
      tiles.storeRowNumber(total, row, tiles.constant(0));
    });
    BufferMatrix keyMatrix = open(form.key), valueMatrix = open(form.value);
    emitFor(emitter, createIndex(b, 0), getKeysEnd(queries), plan.keyBlock,
            [&](Value begin) {
              emitKeys(queries, getSpan(begin, plan.keyBlock, form.numKeys),
                       keyMatrix, valueMatrix);
            });
    if (form.result)
      storeResult(queries);
    if (form.logSumExp)
      storeLogSumExp(queries);
  }

private:
  void emitKeys(Span queries, Span keys, const BufferMatrix &keyMatrix,
                const BufferMatrix &valueMatrix) {
    Value zero = createIndex(b, 0);
    tiles.synchronize();
    tiles.load(key, keyMatrix, keys.begin, keys.count, zero,
               createIndex(b, form.headSize));
    tiles.load(value, valueMatrix, keys.begin, keys.count, zero,
               createIndex(b, form.valueSize));
    loadMask(Orientation::RowsAreQueries, queries, keys);
    tiles.synchronize();
    tiles.product(scores, query, tiles.transpose(key, transposedKey),
                  /*accumulate=*/false);
    forEachScoreRow(
        scores, Orientation::RowsAreQueries, queries, keys,
        [&](Value row, ArrayRef<Value> values) { emitRow(row, values); });
    tiles.synchronize();
    tiles.product(result, scores, value, /*accumulate=*/true);
  }

  /// The scores of one query become exp(score - m), and the sums follow m.
  void emitRow(Value row, ArrayRef<Value> values) {
    Value blockHighest = values[0];
    for (Value vector : values.drop_front())
      blockHighest = combine(b, ReduceKind::max, blockHighest, vector);
    Value before = tiles.loadRowNumber(highest, row);
    Value after = combine(b, ReduceKind::max, before,
                          tiles.combineRow(ReduceKind::max, blockHighest));
    Value sum;
    for (auto [column, vector] :
         llvm::zip_equal(tiles.getVectorColumns(scores.columns), values)) {
      Value weight = exp(subtract(vector, splatted(after)));
      tiles.storeVector(scores, row, column, weight);
      sum = sum ? combine(b, ReduceKind::sum, sum, weight) : weight;
    }
    Value factor = exp(subtract(before, after));
    Value scaled = multiply(tiles.loadRowNumber(total, row), factor);
    tiles.storeRowNumber(highest, row, after);
    tiles.storeRowNumber(total, row,
                         combine(b, ReduceKind::sum, scaled,
                                 tiles.combineRow(ReduceKind::sum, sum)));
    tiles.forEachVector(result, row, [&](Value vector) {
      return multiply(vector, splatted(factor));
    });
  }

  void storeResult(Span queries) {
    tiles.forEachRow(result, [&](Value row) {
      // 0 for a query with no key; otherwise there is a term exp(0).
      Value sum = combine(b, ReduceKind::max, tiles.loadRowNumber(total, row),
                          tiles.constant(1));
      Value factor = arith::DivFOp::create(b, tiles.constant(1), sum);
      tiles.forEachVector(result, row, [&](Value vector) {
        return multiply(vector, splatted(factor));
      });
    });
    tiles.store(result, open(*form.result), queries.begin, queries.count,
                form.valueSize);
  }

  void storeLogSumExp(Span queries) {
    BufferMatrix matrix = open(*form.logSumExp);
    Workgroup &workgroup = emitter.getWorkgroup();
    emitFor(emitter, workgroup.getTeam(), queries.count,
            workgroup.getShape().teams, [&](Value row) {
              Value log =
                  math::LogOp::create(b, tiles.loadRowNumber(total, row));
              Value value = arith::AddFOp::create(
                  b, tiles.loadRowNumber(highest, row), log);
              tiles.storeElement(
                  matrix, arith::AddIOp::create(b, queries.begin, row), value);
            });
  }

  Tile query, key, transposedKey, value, scores, result;
  Value highest, total;
};
} // namespace

void graph::emitAttention(ElementEmitter &emitter) {
  const AttentionPlan &plan = *emitter.getPlan().attention;
  if (plan.form.isGrad)
    emitAttentionGrad(emitter);
  else if (plan.usesTensorCores)
    emitAttentionMma(emitter);
  else
    ForwardEmitter(emitter).emit();
}
