//===- OperandTensorMap.cpp - Operands of products for TMA ----------------===//

#include "graph/Planning/OperandTensorMap.h"
#include "graph/Analysis/OperandLayout.h"

#include <limits>
#include <tuple>

using namespace mlir;
using namespace graph;

using Dimension = OperandTensorMap::Dimension;

/// Whether a device takes the map (cuTensorMapEncodeTiled): every stride is a
/// multiple of 16 bytes and of the one before. Coordinates are i32.
static bool isLegal(const OperandTensorMap &map) {
  constexpr int64_t kAlignment = 16, kMaxRank = 5;
  constexpr int64_t kMaxStride = int64_t(1) << 40;
  if (map.dimensions.size() > kMaxRank ||
      map.offset * map.elementBytes % kAlignment != 0)
    return false;
  int64_t previous = kAlignment / map.elementBytes;
  for (const Dimension &dimension : llvm::drop_begin(map.dimensions)) {
    if (dimension.stride % previous != 0 ||
        dimension.stride * map.elementBytes >= kMaxStride)
      return false;
    previous = dimension.stride;
  }
  return llvm::all_of(map.dimensions, [](const Dimension &dimension) {
    return dimension.size <= std::numeric_limits<int32_t>::max();
  });
}

static std::optional<OperandTensorMap>
getTensorMap(const MatrixView &view, const OperandLayout &layout,
             ArrayRef<int64_t> batch, int64_t tileOuter, int64_t tileDepth) {
  int64_t rowElements = kTensorMapRowBytes / layout.elementBytes;
  OperandTensorMap map = {{}, view.offset, layout.elementBytes};
  Dimension outer = {Dimension::Outer, 0, layout.outer, layout.outerStride,
                     tileOuter};
  Dimension depth = {Dimension::Depth, 0, layout.depth, layout.depthStride,
                     tileDepth};
  Dimension &inner = layout.isDepthContiguous() ? depth : outer;
  inner.box = rowElements;
  // Of a single row or column the stride is any.
  for (Dimension *dimension : {&outer, &depth})
    if (dimension->size == 1 && dimension != &inner)
      dimension->stride = rowElements;
  map.dimensions = {outer, depth};
  for (auto [i, size] : llvm::enumerate(batch))
    if (size > 1 && view.batchStrides[i] != 0)
      map.dimensions.push_back({Dimension::Batch, unsigned(i), size,
                                view.batchStrides[i], /*box=*/1});
  auto getKey = [&](const Dimension &dimension) {
    bool isInner = dimension.kind == inner.kind;
    return std::tuple(!isInner, dimension.stride, dimension.kind,
                      dimension.batch);
  };
  llvm::sort(map.dimensions, [&](const Dimension &lhs, const Dimension &rhs) {
    return getKey(lhs) < getKey(rhs);
  });
  if (!isLegal(map))
    return std::nullopt;
  return map;
}

std::optional<OperandTensorMap>
graph::getLhsTensorMap(const GemmForm &form, const ContractionTiling &tiling) {
  return getTensorMap(form.a, getLhsLayout(form, tiling.elementBytes),
                      form.batch, tiling.blockM, tiling.blockK);
}

std::optional<OperandTensorMap>
graph::getRhsTensorMap(const GemmForm &form, const ContractionTiling &tiling) {
  return getTensorMap(form.b, getRhsLayout(form, tiling.elementBytes),
                      form.batch, tiling.blockN, tiling.blockK);
}
