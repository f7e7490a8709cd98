//===- AttentionEmitter.cpp - What both attention kernels share -----------===//

#include "AttentionEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace graph;

AttentionEmitter::AttentionEmitter(ElementEmitter &emitter)
    : emitter(emitter), b(emitter.getBuilder()),
      plan(*emitter.getPlan().attention), form(plan.form),
      tiles(emitter, emitter.getPlan().numLanes) {
  if (!form.mask)
    return;
  mask = tiles.allocate(plan.queryBlock, plan.keyBlock,
                        form.isGrad ? TileUse::TransposedRows : TileUse::Rows);
  transposedMask = *mask;
  if (form.isGrad && tiles.copiesTransposed())
    transposedMask = tiles.allocate(plan.keyBlock, plan.queryBlock);
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

void AttentionEmitter::openBatch(Value batch) {
  batchIndices.clear();
  for (int64_t size : llvm::reverse(form.batch)) {
    batchIndices.push_back(
        arith::RemUIOp::create(b, batch, createIndex(b, size)));
    batch = arith::DivUIOp::create(b, batch, createIndex(b, size));
  }
  std::reverse(batchIndices.begin(), batchIndices.end());
}

BufferMatrix AttentionEmitter::open(const AttentionMatrix &matrix) const {
  Value offset = createIndex(b, matrix.offset);
  for (auto [i, stride] : llvm::zip_equal(batchIndices, matrix.batchStrides))
    offset = arith::AddIOp::create(
        b, offset, arith::MulIOp::create(b, i, createIndex(b, stride)));
  return {&matrix, emitter.getWorkgroup().getBuffers()[matrix.buffer], offset};
}

Span AttentionEmitter::getSpan(Value begin, int64_t block, int64_t size) {
  Value rest = arith::SubIOp::create(b, createIndex(b, size), begin);
  return {begin, arith::MinSIOp::create(b, rest, createIndex(b, block))};
}

Span AttentionEmitter::openBlock(Value number, int64_t numBlocks, int64_t block,
                                 int64_t size) {
  Value blocks = createIndex(b, numBlocks);
  openBatch(arith::DivUIOp::create(b, number, blocks));
  number = arith::RemUIOp::create(b, number, blocks);
  return getSpan(arith::MulIOp::create(b, number, createIndex(b, block)), block,
                 size);
}

Value AttentionEmitter::getKeysEnd(Span queries) {
  Value all = createIndex(b, form.numKeys);
  if (!form.causal)
    return all;
  // Query s sees the keys t <= s + (T - S).
  Value end = arith::AddIOp::create(b, queries.begin, queries.count);
  end = arith::AddIOp::create(b, end,
                              createIndex(b, form.numKeys - form.numQueries));
  return arith::MinSIOp::create(b, end, all);
}

Value AttentionEmitter::getQueriesBegin(Span keys) {
  Value zero = createIndex(b, 0);
  if (!form.causal)
    return zero;
  Value begin = arith::AddIOp::create(
      b, keys.begin, createIndex(b, form.numQueries - form.numKeys));
  return arith::MaxSIOp::create(b, begin, zero);
}

IndexRange AttentionEmitter::getVisible(Orientation orientation, Value position,
                                        Span columns) {
  IndexRange visible = {createIndex(b, 0), columns.count};
  if (!form.causal)
    return visible;
  auto clamp = [&](Value bound) -> Value {
    bound = arith::SubIOp::create(b, bound, columns.begin);
    bound = arith::MaxSIOp::create(b, bound, createIndex(b, 0));
    return arith::MinSIOp::create(b, bound, columns.count);
  };
  Span row = {position, createIndex(b, 1)};
  if (orientation == Orientation::RowsAreQueries)
    visible.end = clamp(getKeysEnd(row));
  else
    visible.begin = clamp(getQueriesBegin(row));
  return visible;
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

Tile AttentionEmitter::getMask(Orientation orientation) {
  return tiles.useAs(*mask, orientation == Orientation::RowsAreQueries
                                ? TileUse::Rows
                                : TileUse::TransposedRows);
}

void AttentionEmitter::loadMask(Orientation orientation, Span queries,
                                Span keys) {
  if (mask)
    tiles.load(getMask(orientation), open(*form.mask), queries.begin,
               queries.count, keys.begin, keys.count);
}

Value AttentionEmitter::isVisible(IndexRange visible, Value column) {
  unsigned lanes = tiles.getLanes();
  Type type = getLanesType(b.getI32Type(), lanes);
  auto toLanes = [&](Value index) {
    return splat(b, arith::IndexCastOp::create(b, b.getI32Type(), index),
                 lanes);
  };
  Value position = toLanes(column);
  if (lanes > 1) {
    auto steps = llvm::to_vector(llvm::seq<int32_t>(0, lanes));
    Value step = arith::ConstantOp::create(
        b, DenseElementsAttr::get(cast<VectorType>(type),
                                  ArrayRef<int32_t>(steps)));
    position = arith::AddIOp::create(b, position, step);
  }
  return arith::AndIOp::create(
      b,
      arith::CmpIOp::create(b, arith::CmpIPredicate::sge, position,
                            toLanes(visible.begin)),
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, position,
                            toLanes(visible.end)));
}

void AttentionEmitter::forEachScoreRow(
    const Tile &scores, Orientation orientation, Span rows, Span columns,
    function_ref<void(Value, ArrayRef<Value>)> body) {
  std::optional<Tile> kept;
  if (mask)
    kept = getMask(orientation);
  if (mask && orientation == Orientation::RowsAreKeys)
    kept = tiles.transpose(*kept, *transposedMask);
  Value hidden = tiles.constant(-std::numeric_limits<double>::infinity(), true);
  tiles.forEachRow(scores, [&](Value row) {
    IndexRange visible = getVisible(
        orientation, arith::AddIOp::create(b, rows.begin, row), columns);
    SmallVector<Value> values;
    for (Value column : tiles.getVectorColumns(scores.columns)) {
      Value isKept = isVisible(visible, column);
      if (kept)
        isKept = arith::AndIOp::create(
            b, isKept,
            arith::CmpFOp::create(b, arith::CmpFPredicate::ONE,
                                  tiles.loadVector(*kept, row, column),
                                  tiles.constant(0, true)));
      values.push_back(arith::SelectOp::create(
          b, isKept, tiles.loadVector(scores, row, column), hidden));
    }
    body(row, values);
  });
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value AttentionEmitter::exp(Value value) {
  return math::ExpOp::create(b, value);
}
Value AttentionEmitter::subtract(Value lhs, Value rhs) {
  return arith::SubFOp::create(b, lhs, rhs);
}
Value AttentionEmitter::multiply(Value lhs, Value rhs) {
  return arith::MulFOp::create(b, lhs, rhs);
}
Value AttentionEmitter::lowest() {
  return tiles.constant(std::numeric_limits<float>::lowest());
}
