//===- ScalarProduct.cpp - Tiles multiplied by single threads -------------===//
//
// The lanes of a warp are a grid of 4 rows by 8 columns. A lane's sums lie at
// the rows r = 4 c i + c y + 0..c-1 and at the columns of equal form (8 c j + c
// x + 0..c-1), where y, x is the lane's place and c the elements of a chunk.
// Where b has its depth contiguous, the columns are 8 j + x instead: then eight
// lanes read chunks of eight neighbouring rows of the tile, which the tile's
// permutation keeps apart. All lanes of a row read the same elements of a.
//
//===----------------------------------------------------------------------===//

#include "BlockProduct.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace graph;
using namespace graph::cuda;

static constexpr int64_t kLaneRows = 4, kLaneColumns = 8;

namespace {
class ScalarProduct : public BlockProduct {
public:
  ScalarProduct(ImplicitLocOpBuilder &b, const ContractionTiling &tiling,
                Layout layout, Int thread, Type type)
      : BlockProduct(b, tiling, layout, thread), type(type),
        chunk(16 / tiling.elementBytes), numRows(warpRows / kLaneRows),
        numColumns(warpColumns / kLaneColumns), laneRow(lane / kLaneColumns),
        laneColumn(lane % kLaneColumns) {}

  unsigned getNumSums() const override { return numRows * numColumns; }

  SmallVector<Value> accumulate(const SharedTile &lhs, const SharedTile &rhs,
                                ArrayRef<Value> sums) override {
    SmallVector<Value> result(sums);
    for (int64_t depth = 0; depth < tiling.blockK; depth += chunk) {
      Columns rows = readOperand(lhs, layout.isLhsDepthContiguous, depth,
                                 numRows, [&](int64_t i) { return getRow(i); });
      Columns columns =
          readOperand(rhs, layout.isRhsDepthContiguous, depth, numColumns,
                      [&](int64_t j) { return getColumn(j); });
      for (int64_t k = 0; k < chunk; ++k)
        for (int64_t i = 0; i < numRows; ++i)
          for (int64_t j = 0; j < numColumns; ++j) {
            Value &sum = result[i * numColumns + j];
            sum = math::FmaOp::create(b, rows[k][i], columns[k][j], sum);
          }
    }
    return result;
  }

  unsigned getRowShift() const override { return llvm::Log2_64(chunk); }

  void store(const SumTile &tile, ArrayRef<Value> sums) override {
    int64_t width = layout.isRhsDepthContiguous ? 1 : chunk;
    auto vector = VectorType::get({width}, type);
    for (int64_t i = 0; i < numRows; ++i)
      for (int64_t j = 0; j < numColumns; j += width) {
        ArrayRef<Value> values = sums.slice(i * numColumns + j, width);
        Value value = width == 1
                          ? values[0]
                          : vector::FromElementsOp::create(b, vector, values);
        storeTo(b, value, tile.getPointer(b, getRow(i), getColumn(j)),
                width * tiling.elementBytes);
      }
  }

private:
  /// Elements by their depth, then by their number along the outer dimension.
  using Columns = SmallVector<SmallVector<Value>>;

  Int getRow(int64_t i) {
    return warpRow + laneRow * chunk +
           (i / chunk * chunk * kLaneRows + i % chunk);
  }
  Int getColumn(int64_t j) {
    if (layout.isRhsDepthContiguous)
      return warpColumn + laneColumn + j * kLaneColumns;
    return warpColumn + laneColumn * chunk +
           (j / chunk * chunk * kLaneColumns + j % chunk);
  }

  SmallVector<Value> readChunk(const SharedTile &tile, Int row, Int column) {
    Value loaded =
        loadFrom(b, VectorType::get({chunk}, type),
                 advance(b, tile.pointer, tile.getOffset(row, column / chunk)),
                 /*alignment=*/16);
    SmallVector<Value> elements;
    for (int64_t i = 0; i < chunk; ++i)
      elements.push_back(vector::ExtractOp::create(b, loaded, i));
    return elements;
  }

  /// `chunk` columns of `count` elements, from `depth` on.
  Columns readOperand(const SharedTile &tile, bool isDepthContiguous,
                      int64_t depth, int64_t count,
                      function_ref<Int(int64_t)> getOuter) {
    Columns columns(chunk);
    if (isDepthContiguous) {
      for (int64_t i = 0; i < count; ++i)
        for (auto [k, value] :
             llvm::enumerate(readChunk(tile, getOuter(i), Int(b, depth))))
          columns[k].push_back(value);
      return columns;
    }
    for (int64_t k = 0; k < chunk; ++k)
      for (int64_t i = 0; i < count; i += chunk)
        llvm::append_range(columns[k],
                           readChunk(tile, Int(b, depth + k), getOuter(i)));
    return columns;
  }

  Type type;
  int64_t chunk;
  /// Of the sums of one lane.
  int64_t numRows, numColumns;
  Int laneRow, laneColumn;
};
} // namespace

std::unique_ptr<BlockProduct>
cuda::createScalarProduct(ImplicitLocOpBuilder &b,
                          const ContractionTiling &tiling,
                          BlockProduct::Layout layout, Int thread, Type type) {
  return std::make_unique<ScalarProduct>(b, tiling, layout, thread, type);
}
