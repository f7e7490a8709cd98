//===- AttentionMma.cpp - Attention on tensor cores -----------------------===//
//
// What Attention.cpp does, for bf16 and f16 on a GPU. A workgroup has 64
// queries and goes through blocks of 64 keys; a warp has 16 of the queries.
// Scores and sums stay in registers, where each row is spread over a team of
// four lanes (Accumulator): exp(score - m), rounded to the operands' type, is
// in the right lanes to be multiplied with the values. While keys are
// multiplied the values are on their way, and the other way round.
//
//===----------------------------------------------------------------------===//

#include "../CUDA/ControlFlow.h"
#include "../CUDA/TileLoader.h"
#include "AttentionEmitter.h"
#include "Schedules.h"

#include "graph/Dialect/Exec/IR/ExecOps.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace graph;
using namespace graph::cuda;

static constexpr unsigned kElementBytes = 2;
/// Moves the rows of the result's tile apart: eight of them are in different
/// banks.
static constexpr int64_t kPaddingBytes = 16;

/// The columns of a tile in shared memory with `size` elements to a row.
static int64_t getTileColumns(int64_t size) {
  return std::max<int64_t>(llvm::PowerOf2Ceil(size), 16);
}

namespace {
/// What a lane knows of its two rows, `lane / 4` and that plus 8.
using RowPair = std::array<Value, 2>;

/// What the loop over the keys carries: of the rows the maximum of the scores
/// and the sum of exp(score - maximum), and the sums of these times the values,
/// 8 columns each.
struct RowSums {
  RowPair highest, total;
  SmallVector<Accumulator> results;

  SmallVector<Value> flatten() const {
    SmallVector<Value> values;
    llvm::append_range(values, highest);
    llvm::append_range(values, total);
    for (const Accumulator &result : results)
      llvm::append_range(values, result);
    return values;
  }
  static RowSums from(ArrayRef<Value> values) {
    RowSums sums = {{values[0], values[1]}, {values[2], values[3]}, {}};
    for (size_t i = 4; i < values.size(); i += 4)
      sums.results.push_back(
          {values[i], values[i + 1], values[i + 2], values[i + 3]});
    return sums;
  }
};

class MmaEmitter : AttentionEmitter {
public:
  explicit MmaEmitter(ElementEmitter &emitter);
  void emit();

private:
  unsigned getWidth(const AttentionMatrix &matrix, int64_t rows) const;
  OperandLayout getLayout(const AttentionMatrix &matrix, int64_t rows,
                          int64_t columns) const;
  Value getMatrix(const AttentionMatrix &matrix, unsigned elementBytes);
  /// A loader of 64 rows of queries or keys, or of all columns of values.
  TileLoader getLoader(const OperandLayout &layout, Value matrix,
                       int64_t columns, Int begin);
  TileLoader getValueLoader();
  /// Start to copy the keys or values from `begin` on, if it is below `end`.
  void startKeys(Value begin, Value end);
  void startValues(Value begin, Value end);

  RowSums emitKeys(Span queries, Value begin, Value end, RowSums sums);
  SmallVector<Accumulator> getScores();
  /// Scales the scores; those that a query does not see become -inf.
  void scaleVisible(MutableArrayRef<Accumulator> scores, Span queries,
                    Value begin);
  /// The scores become exp(score - highest).
  void followHighest(MutableArrayRef<Accumulator> scores, RowSums &sums);
  void addValues(ArrayRef<Accumulator> weights, RowSums &sums);
  void storeResult(Span queries, const RowSums &sums);
  void storeRows(Span queries, int64_t rowBytes);
  void storeLogSumExp(Span queries, const RowSums &sums);

  Value getShared(int64_t offset) { return advance(b, shared, Int(b, offset)); }
  /// The lane's row number `half` in the workgroup's tile.
  Int getRow(unsigned half) { return warpRow + (lane >> 2) + half * 8; }

  Workgroup &workgroup;
  MmaType type;
  Int thread, lane, warpRow;
  OperandLayout queryLayout, keyLayout, valueLayout;
  /// Tiles of queries, keys and values, one after the other.
  Value shared;
  int64_t keyOffset, valueOffset;
  Value queryMatrix, keyMatrix, valueMatrix;
};
} // namespace

static Int getThread(ImplicitLocOpBuilder &b, Workgroup &workgroup) {
  return Int(b, workgroup.getTeam()) * workgroup.getShape().teamSize +
         Int(b, workgroup.getThread());
}

MmaEmitter::MmaEmitter(ElementEmitter &emitter)
    : AttentionEmitter(emitter), workgroup(emitter.getWorkgroup()),
      type(form.query.elementType.isF16() ? MmaType::F16 : MmaType::BF16),
      thread(getThread(b, workgroup)), lane(thread % 32),
      warpRow((thread / 32) * 16),
      queryLayout(getLayout(form.query, form.numQueries, form.headSize)),
      keyLayout(getLayout(form.key, form.numKeys, form.headSize)),
      valueLayout(getLayout(form.value, form.numKeys, form.valueSize)),
      shared(getSharedMemory(b)) {
  // What is summed over are the values' rows.
  std::swap(valueLayout.outer, valueLayout.depth);
  std::swap(valueLayout.outerStride, valueLayout.depthStride);
  int64_t headBytes = getTileColumns(form.headSize) * kElementBytes;
  int64_t valueBytes = getTileColumns(form.valueSize) * kElementBytes;
  keyOffset = plan.queryBlock * headBytes;
  valueOffset = keyOffset + plan.keyBlock * headBytes;
  int64_t bytes = std::max(valueOffset + plan.keyBlock * valueBytes,
                           plan.queryBlock * (valueBytes + kPaddingBytes));
  workgroup.getFunction()->setAttr(exec::kSharedBytesAttr,
                                   b.getI64IntegerAttr(bytes));
}

void MmaEmitter::emit() {
  Value number = workgroup.getNumber();
  Span queries =
      openBlock(number, plan.numQueryBlocks, plan.queryBlock, form.numQueries);
  queryMatrix = getMatrix(form.query, kElementBytes);
  keyMatrix = getMatrix(form.key, kElementBytes);
  valueMatrix = getMatrix(form.value, kElementBytes);

  Value zero = createIndex(b, 0), end = getKeysEnd(queries);
  getLoader(queryLayout, queryMatrix, form.headSize, Int(b, queries.begin))
      .start(shared, Int(b, 0));
  startKeys(zero, end);
  commitCopies(b);
  startValues(zero, end);
  commitCopies(b);

  Value none = tiles.constant(0);
  // Finite, so that exp(-inf - m) is 0 and not NaN.
  RowSums first = {{lowest(), lowest()}, {none, none}, {}};
  first.results.assign(llvm::divideCeil(form.valueSize, 16) * 2,
                       {none, none, none, none});
  RowSums sums = RowSums::from(emitFor(
      emitter, zero, end, plan.keyBlock, first.flatten(),
      [&](Value begin, ArrayRef<Value> carried) {
        return emitKeys(queries, begin, end, RowSums::from(carried)).flatten();
      }));
  if (form.result)
    storeResult(queries, sums);
  if (form.logSumExp)
    storeLogSumExp(queries, sums);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

unsigned MmaEmitter::getWidth(const AttentionMatrix &matrix,
                              int64_t rows) const {
  return getAccessWidth(kElementBytes, matrix.offset, form.batch,
                        matrix.batchStrides, rows, matrix.rowStride);
}

OperandLayout MmaEmitter::getLayout(const AttentionMatrix &matrix, int64_t rows,
                                    int64_t columns) const {
  return {rows,
          columns,
          matrix.rowStride,
          /*depthStride=*/1,
          kElementBytes,
          getWidth(matrix, rows)};
}

Value MmaEmitter::getMatrix(const AttentionMatrix &matrix,
                            unsigned elementBytes) {
  BufferMatrix opened = open(matrix);
  Int offset(b, arith::IndexCastOp::create(b, b.getI64Type(), opened.offset));
  return advance(b, getGlobalPointer(b, opened.memory), offset * elementBytes);
}

TileLoader MmaEmitter::getLoader(const OperandLayout &layout, Value matrix,
                                 int64_t columns, Int begin) {
  return TileLoader(b, layout, plan.keyBlock, getTileColumns(columns),
                    workgroup.getShape().getNumThreads(), thread, matrix,
                    begin);
}

TileLoader MmaEmitter::getValueLoader() {
  return TileLoader(b, valueLayout, getTileColumns(form.valueSize),
                    plan.keyBlock, workgroup.getShape().getNumThreads(), thread,
                    valueMatrix, Int(b, 0));
}

static Value isBelow(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, lhs, rhs);
}

void MmaEmitter::startKeys(Value begin, Value end) {
  emitIf(b, isBelow(b, begin, end), [&] {
    getLoader(keyLayout, keyMatrix, form.headSize, Int(b, begin))
        .start(getShared(keyOffset), Int(b, 0));
  });
}

void MmaEmitter::startValues(Value begin, Value end) {
  emitIf(b, isBelow(b, begin, end), [&] {
    getValueLoader().start(getShared(valueOffset), Int(b, begin));
  });
}

//===----------------------------------------------------------------------===//
// One block of keys
//===----------------------------------------------------------------------===//

RowSums MmaEmitter::emitKeys(Span queries, Value begin, Value end,
                             RowSums sums) {
  Value next = arith::AddIOp::create(b, begin, createIndex(b, plan.keyBlock));
  // The keys are there; the values may still be on their way.
  waitForCopies(b, 1);
  emitBarrier(b);
  SmallVector<Accumulator> scores = getScores();
  emitBarrier(b);
  startKeys(next, end);
  commitCopies(b);

  scaleVisible(scores, queries, begin);
  followHighest(scores, sums);
  waitForCopies(b, 1);
  emitBarrier(b);
  addValues(scores, sums);
  emitBarrier(b);
  startValues(next, end);
  commitCopies(b);
  return sums;
}

SmallVector<Accumulator> MmaEmitter::getScores() {
  Int zero(b, 0);
  SharedTile queryTile =
      getLoader(queryLayout, queryMatrix, form.headSize, zero).getTile(shared);
  SharedTile keyTile = getLoader(keyLayout, keyMatrix, form.headSize, zero)
                           .getTile(getShared(keyOffset));
  FragmentReader queryReader(b, MmaOperand::A, type, queryTile,
                             queryLayout.isDepthContiguous(), lane);
  FragmentReader keyReader(b, MmaOperand::B, type, keyTile,
                           keyLayout.isDepthContiguous(), lane);
  Value none = tiles.constant(0);
  SmallVector<Accumulator> scores(plan.keyBlock / 8, {none, none, none, none});
  for (int64_t depth = 0; depth < form.headSize; depth += getDepth(type)) {
    Fragment rows = queryReader.read(warpRow, depth);
    for (int64_t key = 0; key < plan.keyBlock; key += 16) {
      Fragment columns = keyReader.read(Int(b, key), depth);
      for (unsigned half = 0; half < 2; ++half) {
        Accumulator &score = scores[key / 8 + half];
        score = cuda::multiply(b, type, rows, columns, half, score);
      }
    }
  }
  return scores;
}

void MmaEmitter::scaleVisible(MutableArrayRef<Accumulator> scores, Span queries,
                              Value begin) {
  Value scale = tiles.constant(form.scale);
  if (!form.causal && form.numKeys % plan.keyBlock == 0) {
    for (Accumulator &score : scores)
      for (Value &x : score)
        x = multiply(x, scale);
    return;
  }
  Value hidden = tiles.constant(-std::numeric_limits<double>::infinity());
  Value firstColumn = (Int(b, begin) + (lane & 3) * 2).getValue();
  RowPair ends;
  for (unsigned half = 0; half < 2; ++half) {
    Value row = (Int(b, queries.begin) + getRow(half)).toIndex();
    ends[half] = Int(b, getKeysEnd({row, createIndex(b, 1)}));
  }
  for (auto [block, score] : llvm::enumerate(scores))
    for (unsigned i = 0; i < 4; ++i) {
      Int column = Int(b, firstColumn) + (block * 8 + i % 2);
      Value isVisible = isBelow(b, column, ends[i / 2]);
      score[i] = arith::SelectOp::create(b, isVisible,
                                         multiply(score[i], scale), hidden);
    }
}

void MmaEmitter::followHighest(MutableArrayRef<Accumulator> scores,
                               RowSums &sums) {
  for (unsigned half = 0; half < 2; ++half) {
    Value highest;
    for (const Accumulator &score : scores)
      for (Value x : ArrayRef(score).slice(2 * half, 2))
        highest = highest ? combine(b, ReduceKind::max, highest, x) : x;
    Value before = sums.highest[half];
    Value after = combine(b, ReduceKind::max, before,
                          workgroup.combine(ReduceKind::max, highest));
    Value total;
    for (Accumulator &score : scores)
      for (Value &x : MutableArrayRef(score).slice(2 * half, 2)) {
        x = exp(subtract(x, after));
        total = total ? combine(b, ReduceKind::sum, total, x) : x;
      }
    Value factor = exp(subtract(before, after));
    sums.highest[half] = after;
    sums.total[half] =
        combine(b, ReduceKind::sum, multiply(sums.total[half], factor),
                workgroup.combine(ReduceKind::sum, total));
    for (Accumulator &result : sums.results)
      for (Value &x : MutableArrayRef(result).slice(2 * half, 2))
        x = multiply(x, factor);
  }
}

void MmaEmitter::addValues(ArrayRef<Accumulator> weights, RowSums &sums) {
  SharedTile tile = getValueLoader().getTile(getShared(valueOffset));
  FragmentReader reader(b, MmaOperand::B, type, tile,
                        valueLayout.isDepthContiguous(), lane);
  for (int64_t key = 0; key < plan.keyBlock; key += getDepth(type)) {
    // Two blocks of 8 keys, each with the rows of both halves.
    Fragment rows;
    for (unsigned i = 0; i < 4; ++i) {
      const Accumulator &weight = weights[key / 8 + i / 2];
      rows[i] = packPair(b, type, weight[i % 2 * 2], weight[i % 2 * 2 + 1]);
    }
    for (size_t i = 0; i < sums.results.size(); i += 2) {
      Fragment columns = reader.read(Int(b, i * 8), key);
      for (unsigned half = 0; half < 2; ++half) {
        Accumulator &result = sums.results[i + half];
        result = cuda::multiply(b, type, rows, columns, half, result);
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void MmaEmitter::storeResult(Span queries, const RowSums &sums) {
  int64_t rowBytes =
      getTileColumns(form.valueSize) * kElementBytes + kPaddingBytes;
  // The queries' copies too, where there was no key to wait for them.
  waitForCopies(b, 0);
  emitBarrier(b);
  for (unsigned half = 0; half < 2; ++half) {
    // 0 for a query with no key; otherwise there is a term exp(0).
    Value total =
        combine(b, ReduceKind::max, sums.total[half], tiles.constant(1));
    Value factor = arith::DivFOp::create(b, tiles.constant(1), total);
    Int place = getRow(half) * rowBytes + (lane & 3) * (2 * kElementBytes);
    for (auto [block, result] : llvm::enumerate(sums.results)) {
      Value low = multiply(result[2 * half], factor);
      Value high = multiply(result[2 * half + 1], factor);
      storeTo(b, packPair(b, type, low, high),
              advance(b, shared, place + block * 8 * kElementBytes),
              /*alignment=*/4);
    }
  }
  emitBarrier(b);
  storeRows(queries, rowBytes);
}

/// Neighbouring threads store neighbouring elements of the result's tile.
void MmaEmitter::storeRows(Span queries, int64_t rowBytes) {
  const AttentionMatrix &matrix = *form.result;
  int64_t width =
      std::gcd<int64_t>(getWidth(matrix, form.numQueries), form.valueSize);
  int64_t perRow = form.valueSize / width;
  unsigned bytes = width * kElementBytes;
  Type word = b.getIntegerType(8 * kElementBytes);
  Type access = width == 1 ? word : VectorType::get({width}, word);
  Value target = getMatrix(matrix, kElementBytes);
  Int begin(b, queries.begin), count(b, queries.count);
  emitFor(emitter, createIndex(b, 0), createIndex(b, plan.queryBlock * perRow),
          workgroup.getShape().getNumThreads(), [&](Value first) {
            Int place = Int(b, first) + thread;
            Int row = place / perRow, column = (place % perRow) * bytes;
            emitIf(b, row < count, [&] {
              Value part =
                  loadFrom(b, access,
                           advance(b, shared, row * rowBytes + column), bytes);
              Int offset =
                  (begin + row).extend() * (matrix.rowStride * kElementBytes) +
                  column.extend();
              storeTo(b, part, advance(b, target, offset), bytes);
            });
          });
}

void MmaEmitter::storeLogSumExp(Span queries, const RowSums &sums) {
  BufferMatrix matrix = open(*form.logSumExp);
  for (unsigned half = 0; half < 2; ++half) {
    Int row = getRow(half);
    Value log = math::LogOp::create(b, sums.total[half]);
    Value value = arith::AddFOp::create(b, sums.highest[half], log);
    emitIf(b, row < Int(b, queries.count), [&] {
      tiles.storeElement(matrix,
                         arith::AddIOp::create(b, queries.begin, row.toIndex()),
                         value);
    });
  }
}

void graph::emitAttentionMma(ElementEmitter &emitter) {
  MmaEmitter(emitter).emit();
}
