//===- DepthSum.cpp - Sums of an operand beside its product ---------------===//

#include "DepthSum.h"

#include "../Arithmetic.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace graph;
using namespace graph::cuda;

static int64_t getChunk(Type element) {
  return 16 / (element.getIntOrFloatBitWidth() / 8);
}

DepthSum::DepthSum(ImplicitLocOpBuilder &b, Type element, int64_t tileOuter,
                   int64_t tileDepth, bool isDepthContiguous,
                   unsigned numThreads, Int thread)
    : b(b), element(element), sumType(getComputeType(element)),
      sumBytes(sumType.getIntOrFloatBitWidth() / 8), tileOuter(tileOuter),
      tileDepth(tileDepth), isDepthContiguous(isDepthContiguous),
      thread(thread), chunk(getChunk(element)), numParts(1), part(thread),
      place(thread) {
  int64_t places = isDepthContiguous ? tileOuter : tileOuter / chunk;
  numParts = numThreads / places;
  part = thread / places;
  place = thread % places;
  assert(numParts * places == numThreads && numThreads >= tileOuter &&
         (isDepthContiguous ? tileDepth / chunk : tileDepth) % numParts == 0 &&
         "all threads add equally many chunks");
}

Value DepthSum::getZero() {
  return createConstant(b, VectorType::get({chunk}, sumType),
                        cast<TypedAttr>(b.getZeroAttr(sumType)));
}

Value DepthSum::accumulate(const SharedTile &tile, Value sums) {
  auto loaded = VectorType::get({chunk}, getStorageType(element));
  int64_t count = isDepthContiguous ? tileDepth / chunk : tileDepth;
  for (int64_t i = 0; i < count; i += numParts) {
    Int step = part + i;
    Int offset = isDepthContiguous ? tile.getOffset(place, step)
                                   : tile.getOffset(step, place);
    Value elements = loadFrom(b, loaded, advance(b, tile.pointer, offset),
                              /*alignment=*/16);
    sums = arith::AddFOp::create(b, sums, fromStorage(b, elements, element));
  }
  return sums;
}

Value DepthSum::getPointer(Value shared, Int index) {
  int64_t perUnit = 16 / sumBytes;
  Int unit = index / perUnit;
  Int moved = unit ^ ((unit >> 3) & 1);
  return advance(b, shared, moved * 16 + (index % perUnit) * sumBytes);
}

void DepthSum::finish(Value shared, Value sums,
                      function_ref<void(Int, Value)> store) {
  emitBarrier(b);
  if (isDepthContiguous) {
    storeTo(b, combineLanes(b, ReduceKind::sum, sums),
            getPointer(shared, part * tileOuter + place), sumBytes);
  } else {
    int64_t perUnit = 16 / sumBytes;
    for (int64_t i = 0; i < chunk; i += perUnit) {
      auto elements = llvm::to_vector(llvm::seq(i, i + perUnit));
      storeTo(b, vector::ShuffleOp::create(b, sums, sums, elements),
              getPointer(shared, part * tileOuter + place * chunk + i),
              /*alignment=*/16);
    }
  }
  emitBarrier(b);
  auto branch = scf::IfOp::create(b, thread < tileOuter);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Value sum;
    for (int64_t i = 0; i < numParts; ++i) {
      Value next = loadFrom(
          b, sumType, getPointer(shared, thread + i * tileOuter), sumBytes);
      sum = sum ? Value(arith::AddFOp::create(b, sum, next)) : next;
    }
    store(thread, sum);
  }
}
