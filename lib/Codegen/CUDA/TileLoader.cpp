//===- TileLoader.cpp - Tiles from global to shared memory ----------------===//

#include "TileLoader.h"

using namespace mlir;
using namespace graph;
using namespace graph::cuda;

TileLoader::TileLoader(ImplicitLocOpBuilder &b, const OperandLayout &layout,
                       int64_t tileOuter, int64_t tileDepth,
                       unsigned numThreads, Int thread, Value matrix,
                       Int outerStart)
    : b(b), layout(layout), numRows(tileOuter), numColumns(tileDepth),
      numThreads(numThreads), thread(thread), matrix(matrix),
      outerStart(outerStart) {
  needsRowCheck = layout.outer % tileOuter != 0;
  needsColumnCheck = layout.depth % tileDepth != 0;
  if (!layout.isDepthContiguous()) {
    std::swap(numRows, numColumns);
    std::swap(needsRowCheck, needsColumnCheck);
  }
  assert(numRows * numColumns % (layout.width * numThreads) == 0 &&
         "every thread copies the same number of accesses");
}

SharedTile TileLoader::getTile(Value pointer) const {
  // 4-byte elements of one column are multiplied together, but cannot be
  // transposed by ldmatrix.
  bool isReadAcrossRows =
      layout.elementBytes == 4 && !layout.isDepthContiguous();
  return {pointer, static_cast<unsigned>(numColumns * layout.elementBytes),
          static_cast<unsigned>(numRows), isReadAcrossRows};
}

TileLoader::Place TileLoader::getPlace(int64_t pass) const {
  int64_t perRow = numColumns / layout.width;
  if (perRow <= numThreads)
    return {thread / perRow, (thread % perRow) * layout.width,
            pass * (numThreads / perRow), 0};
  int64_t passesPerRow = perRow / numThreads;
  return {Int(b, 0), thread * layout.width, pass / passesPerRow,
          pass % passesPerRow * numThreads * layout.width};
}

/// How many bytes of an access lie inside of the matrix; null if always all.
Value TileLoader::getValidBytes(const Place &place, Int depthStart) {
  bool depthRuns = layout.isDepthContiguous();
  Int bytes(b, layout.width * layout.elementBytes);
  auto clear = [&](Value isInside) {
    bytes = Int(b, arith::SelectOp::create(b, isInside, bytes, Int(b, 0)));
  };
  if (needsColumnCheck) {
    int64_t extent = depthRuns ? layout.depth : layout.outer;
    Int column =
        place.column + place.columnStep + (depthRuns ? depthStart : outerStart);
    if (extent % layout.width != 0)
      bytes = bytes.min((Int(b, extent) - column) * layout.elementBytes);
    clear(column < extent);
  }
  if (needsRowCheck) {
    Int row = place.row + place.rowStep + (depthRuns ? outerStart : depthStart);
    clear(row < (depthRuns ? layout.outer : layout.depth));
  }
  return needsColumnCheck || needsRowCheck ? bytes.getValue() : Value();
}

/// One 2-byte element: too small for an asynchronous copy.
Value TileLoader::loadOrZero(Value pointer, Value validBytes) {
  Type type = b.getIntegerType(16);
  if (!validBytes)
    return loadFrom(b, type, pointer, /*alignment=*/2);
  Value isInside = Int(b, 0) < Int(b, validBytes);
  pointer = arith::SelectOp::create(b, isInside, pointer, matrix);
  Value loaded = loadFrom(b, type, pointer, /*alignment=*/2);
  return arith::SelectOp::create(b, isInside, loaded, Int(b, 0, 16));
}

Value TileLoader::getTarget(Value shared, const Place &place) const {
  int64_t chunkElements = 16 / layout.elementBytes;
  Int column = place.column + place.columnStep;
  Int offset = getTile(shared).getOffset(place.row + place.rowStep,
                                         column / chunkElements);
  if (layout.width < chunkElements)
    offset = offset + (column % chunkElements) * layout.elementBytes;
  return advance(b, shared, offset);
}

SmallVector<Value> TileLoader::start(Value shared, Int depthStart) {
  bool depthRuns = layout.isDepthContiguous();
  int64_t rowStride = depthRuns ? layout.outerStride : layout.depthStride;
  unsigned accessBytes = layout.width * layout.elementBytes;
  SmallVector<std::pair<Value, Value>> stores;
  for (int64_t pass = 0; pass < getNumPasses(); ++pass) {
    Place place = getPlace(pass);
    // Apart from the constant at the end all passes have the same address.
    Int row = (place.row + (depthRuns ? outerStart : depthStart)).extend();
    Int column =
        (place.column + (depthRuns ? depthStart : outerStart)).extend();
    Value global =
        advance(b, matrix, (row * rowStride + column) * layout.elementBytes);
    int64_t step = place.rowStep * rowStride + place.columnStep;
    if (step != 0)
      global = advance(b, global, Int(b, step * layout.elementBytes, 64));

    Value target = getTarget(shared, place);
    Value validBytes = getValidBytes(place, depthStart);
    if (accessBytes >= 4)
      copyAsync(b, target, global, accessBytes, validBytes);
    else
      stores.push_back({target, loadOrZero(global, validBytes)});
  }
  // All loads are under way before the first store waits for one.
  for (auto [target, value] : stores)
    storeTo(b, value, target, /*alignment=*/2);
  return {};
}
