//===- ComputedTile.cpp - Tiles of operands that are computed -------------===//

#include "ComputedTile.h"

using namespace mlir;
using namespace graph;
using namespace graph::cuda;

/// The position of a place, moved to the operand's last elements where it is
/// outside; `isInside` is null where that cannot be.
ElementPosition ComputedTileLoader::getPosition(const Place &place,
                                                Int depthStart,
                                                Value &isInside) {
  bool depthRuns = layout.isDepthContiguous();
  int64_t rows = depthRuns ? layout.outer : layout.depth;
  int64_t columns = depthRuns ? layout.depth : layout.outer;
  Int row = place.row + place.rowStep + (depthRuns ? outerStart : depthStart);
  Int column =
      place.column + place.columnStep + (depthRuns ? depthStart : outerStart);
  isInside = nullptr;
  if (needsRowCheck) {
    isInside = row < rows;
    row = row.min(rows - 1);
  }
  if (needsColumnCheck) {
    Value isColumn = column < columns;
    isInside = isInside ? Value(arith::AndIOp::create(b, isInside, isColumn))
                        : isColumn;
    column = column.min(columns - layout.width);
  }
  return {batch, depthRuns ? row : column, depthRuns ? column : row};
}

SmallVector<Value> ComputedTileLoader::start(Value, Int depthStart) {
  SmallVector<Value> loaded;
  for (int64_t pass = 0; pass < getNumPasses(); ++pass) {
    Value isInside;
    llvm::append_range(loaded, operand.load(getPosition(getPlace(pass),
                                                        depthStart, isInside)));
  }
  return loaded;
}

void ComputedTileLoader::finish(Value shared, Int depthStart,
                                ArrayRef<Value> loaded) {
  int64_t passes = getNumPasses();
  size_t perPass = loaded.size() / passes;
  for (int64_t pass = 0; pass < passes; ++pass) {
    Place place = getPlace(pass);
    Value isInside;
    ElementPosition position = getPosition(place, depthStart, isInside);
    Value elements =
        operand.compute(position, loaded.slice(pass * perPass, perPass));
    if (isInside) {
      Value zero =
          arith::ConstantOp::create(b, b.getZeroAttr(elements.getType()));
      elements = arith::SelectOp::create(b, isInside, elements, zero);
    }
    storeTo(b, elements, getTarget(shared, place),
            layout.width * layout.elementBytes);
  }
}
