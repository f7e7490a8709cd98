//===- MmaProduct.cpp - Tiles multiplied by tensor cores ------------------===//

#include "MmaProduct.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace graph;
using namespace graph::cuda;

MmaProduct::MmaProduct(ImplicitLocOpBuilder &b, const ContractionTiling &tiling,
                       Layout layout, Int thread, MmaType type)
    : BlockProduct(b, tiling, layout, thread), type(type),
      rowFragments(warpRows / 16), columnFragments(warpColumns / 8) {}

SmallVector<Value> MmaProduct::accumulate(const SharedTile &lhs,
                                          const SharedTile &rhs,
                                          ArrayRef<Value> sums) {
  FragmentReader lhsReader(b, MmaOperand::A, type, lhs,
                           layout.isLhsDepthContiguous, lane);
  FragmentReader rhsReader(b, MmaOperand::B, type, rhs,
                           layout.isRhsDepthContiguous, lane);
  SmallVector<Value> result(sums);
  for (int64_t depth = 0; depth < tiling.blockK; depth += getDepth(type)) {
    SmallVector<Fragment> rows, columns;
    for (unsigned i = 0; i < rowFragments; ++i)
      rows.push_back(lhsReader.read(warpRow + i * 16, depth));
    for (unsigned j = 0; j < columnFragments / 2; ++j)
      columns.push_back(rhsReader.read(warpColumn + j * 16, depth));
    for (unsigned i = 0; i < rowFragments; ++i)
      for (unsigned j = 0; j < columnFragments; ++j) {
        Value *sum = &result[(i * columnFragments + j) * 4];
        Accumulator next = multiply(b, type, rows[i], columns[j / 2], j % 2,
                                    {sum[0], sum[1], sum[2], sum[3]});
        llvm::copy(next, sum);
      }
  }
  return result;
}

void MmaProduct::store(const SumTile &tile, ArrayRef<Value> sums) {
  auto pair = VectorType::get({2}, b.getF32Type());
  for (unsigned i = 0; i < rowFragments; ++i)
    for (unsigned j = 0; j < columnFragments; ++j)
      for (unsigned half = 0; half < 2; ++half) {
        unsigned first = (i * columnFragments + j) * 4 + half * 2;
        Int row = warpRow + (lane >> 2) + (i * 16 + half * 8);
        Int column = warpColumn + (lane & 3) * 2 + j * 8;
        Value value =
            vector::FromElementsOp::create(b, pair, sums.slice(first, 2));
        storeTo(b, value, tile.getPointer(b, row, column),
                /*alignment=*/8);
      }
}

std::unique_ptr<BlockProduct>
cuda::createMmaProduct(ImplicitLocOpBuilder &b, const ContractionTiling &tiling,
                       BlockProduct::Layout layout, Int thread, MmaType type) {
  return std::make_unique<MmaProduct>(b, tiling, layout, thread, type);
}
