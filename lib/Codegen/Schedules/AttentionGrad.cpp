//===- AttentionGrad.cpp - The derivative of attention --------------------===//
//
// Two kinds of workgroups. One kind has some keys and goes through the queries
// that see them: it sums dkey and dvalue. The other has some queries and goes
// through the keys that they see: it sums dquery. Both compute the weights of a
// block again, exp(score - log_sum_exp), and the derivatives of its scores;
// nothing is added up between workgroups, so the order of all sums is fixed.
//
// With X the own rows and U the columns' rows (query and key, or key and
// query), Y and W likewise (cotangent and value, or value and cotangent):
//
//   P  = exp(scale X Uᵀ - log_sum_exp)
//   dS = scale P (Y Wᵀ - sum(cotangent * result))
//   dX = dS U, and for keys  dY = P W
//
//===----------------------------------------------------------------------===//

#include "AttentionEmitter.h"
#include "Schedules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace graph;

namespace {
class GradEmitter : AttentionEmitter {
public:
  explicit GradEmitter(ElementEmitter &emitter)
      : AttentionEmitter(emitter),
        maxBlock(std::max(plan.queryBlock, plan.keyBlock)),
        x(tiles.allocate(maxBlock, form.headSize)),
        y(tiles.allocate(maxBlock, form.valueSize)),
        dx(tiles.allocate(maxBlock, form.headSize)),
        dy(tiles.allocate(maxBlock, form.valueSize)),
        u(tiles.allocate(maxBlock, form.headSize, TileUse::TransposedFactor)),
        w(tiles.allocate(maxBlock, form.valueSize, TileUse::TransposedFactor)),
        transposedU(u), transposedW(w),
        weights(tiles.allocate(maxBlock, maxBlock)),
        dscores(tiles.allocate(maxBlock, maxBlock)),
        rowLogSumExps(tiles.allocateRowNumbers(x.rows)),
        rowCommon(tiles.allocateRowNumbers(x.rows)),
        columnLogSumExps(tiles.allocateColumnNumbers(maxBlock)),
        columnCommon(tiles.allocateColumnNumbers(maxBlock)) {
    if (!tiles.copiesTransposed())
      return;
    transposedU = tiles.allocate(u.columns, maxBlock);
    transposedW = tiles.allocate(w.columns, maxBlock);
  }

  void emit() {
    Value number = emitter.getWorkgroup().getNumber();
    if (plan.numKeyBlocks == 0)
      return emitQueryBlock(number);
    if (plan.numQueryBlocks == 0)
      return emitKeyBlock(number);
    Value numOfKeys = createIndex(b, form.getNumBatches() * plan.numKeyBlocks);
    Value isOfKeys =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, number, numOfKeys);
    auto branch = scf::IfOp::create(b, isOfKeys, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard insertion(b);
    b.setInsertionPointToStart(branch.thenBlock());
    emitKeyBlock(number);
    b.setInsertionPointToStart(branch.elseBlock());
    emitQueryBlock(arith::SubIOp::create(b, number, numOfKeys));
  }

private:
  /// Makes all tiles those of `rows` own rows and `columns` columns.
  void resize(int64_t rows, int64_t columns) {
    for (Tile *tile : {&x, &y, &dx, &dy, &weights, &dscores})
      tile->rows = rows;
    for (Tile *tile : {&u, &w})
      tile->rows = columns;
    for (Tile *tile : {&weights, &dscores})
      tile->columns = columns;
    for (Tile *tile : {&transposedU, &transposedW})
      if (tiles.copiesTransposed())
        tile->columns = columns;
  }

  void loadBoth(const Tile &head, const AttentionMatrix &from, const Tile &tail,
                const AttentionMatrix &other, Span span, double factor = 1) {
    Value zero = createIndex(b, 0);
    tiles.load(head, open(from), span.begin, span.count, zero,
               createIndex(b, form.headSize), factor);
    tiles.load(tail, open(other), span.begin, span.count, zero,
               createIndex(b, form.valueSize));
  }

  /// The log_sum_exp of a query, as a finite number so that exp(-inf - it) is
  /// 0, and the sum of cotangent * result. `row` may be beyond `queries`.
  std::pair<Value, Value> getOfQuery(Value row, Span queries) {
    Value last = arith::SubIOp::create(b, queries.count, createIndex(b, 1));
    row = arith::AddIOp::create(b, queries.begin,
                                arith::MinSIOp::create(b, row, last));
    Value logSumExp = tiles.loadElement(open(*form.logSumExp), row);
    return {combine(b, ReduceKind::max, logSumExp, lowest()),
            tiles.dotRows(open(*form.cotangent), open(*form.result), row,
                          form.valueSize)};
  }

  void emitProducts() {
    tiles.product(weights, x, tiles.transpose(u, transposedU),
                  /*accumulate=*/false);
    tiles.product(dscores, y, tiles.transpose(w, transposedW),
                  /*accumulate=*/false);
  }

  /// A vector of weights and of derivatives of scores.
  std::pair<Value, Value> derive(Value score, Value logSumExp, Value dweight,
                                 Value common) {
    Value weight = exp(subtract(score, logSumExp));
    Value dscore = multiply(weight, subtract(dweight, common));
    return {weight, multiply(dscore, tiles.constant(form.scale, true))};
  }

  void emitQueryBlock(Value number) {
    resize(plan.queryBlock, plan.keyBlock);
    tiles.fill(dx, 0);
    Span queries = openBlock(number, plan.numQueryBlocks, plan.queryBlock,
                             form.numQueries);
    loadBoth(x, form.query, y, *form.cotangent, queries, form.scale);
    tiles.forEachRow(x, [&](Value row) {
      auto [logSumExp, common] = getOfQuery(row, queries);
      tiles.storeRowNumber(rowLogSumExps, row, logSumExp);
      tiles.storeRowNumber(rowCommon, row, common);
    });
    emitFor(emitter, createIndex(b, 0), getKeysEnd(queries), plan.keyBlock,
            [&](Value begin) {
              Span keys = getSpan(begin, plan.keyBlock, form.numKeys);
              tiles.synchronize();
              loadBoth(u, form.key, w, form.value, keys);
              loadMask(Orientation::RowsAreQueries, queries, keys);
              tiles.synchronize();
              emitProducts();
              deriveRows(queries, keys);
              tiles.synchronize();
              tiles.product(dx, dscores, u, /*accumulate=*/true);
            });
    tiles.store(dx, open(*form.dquery), queries.begin, queries.count,
                form.headSize);
  }

  void deriveRows(Span queries, Span keys) {
    forEachScoreRow(
        weights, Orientation::RowsAreQueries, queries, keys,
        [&](Value row, ArrayRef<Value> scores) {
          Value logSumExp = splatted(tiles.loadRowNumber(rowLogSumExps, row));
          Value common = splatted(tiles.loadRowNumber(rowCommon, row));
          for (auto [column, score] : llvm::zip_equal(
                   tiles.getVectorColumns(weights.columns), scores)) {
            Value dweight = tiles.loadVector(dscores, row, column);
            tiles.storeVector(dscores, row, column,
                              derive(score, logSumExp, dweight, common).second);
          }
        });
  }

  void emitKeyBlock(Value number) {
    resize(plan.keyBlock, plan.queryBlock);
    tiles.fill(dx, 0);
    tiles.fill(dy, 0);
    Span keys =
        openBlock(number, plan.numKeyBlocks, plan.keyBlock, form.numKeys);
    loadBoth(x, form.key, y, form.value, keys, form.scale);
    emitFor(emitter, getQueriesBegin(keys), createIndex(b, form.numQueries),
            plan.queryBlock, [&](Value begin) {
              Span queries = getSpan(begin, plan.queryBlock, form.numQueries);
              tiles.synchronize();
              loadBoth(u, form.query, w, *form.cotangent, queries);
              loadMask(Orientation::RowsAreKeys, queries, keys);
              tiles.forEachRow(u, [&](Value row) {
                auto [logSumExp, common] = getOfQuery(row, queries);
                tiles.storeColumnNumber(columnLogSumExps, row, logSumExp);
                tiles.storeColumnNumber(columnCommon, row, common);
              });
              tiles.synchronize();
              emitProducts();
              deriveColumns(queries, keys);
              tiles.synchronize();
              tiles.product(dy, weights, w, /*accumulate=*/true);
              tiles.product(dx, dscores, u, /*accumulate=*/true);
            });
    if (form.dkey)
      tiles.store(dx, open(*form.dkey), keys.begin, keys.count, form.headSize);
    if (form.dvalue)
      tiles.store(dy, open(*form.dvalue), keys.begin, keys.count,
                  form.valueSize);
  }

  void deriveColumns(Span queries, Span keys) {
    forEachScoreRow(
        weights, Orientation::RowsAreKeys, keys, queries,
        [&](Value row, ArrayRef<Value> scores) {
          for (auto [column, score] : llvm::zip_equal(
                   tiles.getVectorColumns(weights.columns), scores)) {
            auto [weight, dscore] =
                derive(score, tiles.loadColumnNumbers(columnLogSumExps, column),
                       tiles.loadVector(dscores, row, column),
                       tiles.loadColumnNumbers(columnCommon, column));
            tiles.storeVector(weights, row, column, weight);
            tiles.storeVector(dscores, row, column, dscore);
          }
        });
  }

  int64_t maxBlock;
  Tile x, y, dx, dy, u, w, transposedU, transposedW, weights, dscores;
  Value rowLogSumExps, rowCommon, columnLogSumExps, columnCommon;
};
} // namespace

void graph::emitAttentionGrad(ElementEmitter &emitter) {
  GradEmitter(emitter).emit();
}
