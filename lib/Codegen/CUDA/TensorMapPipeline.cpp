//===- TensorMapPipeline.cpp - A warp copies, the others multiply ---------===//

#include "TensorMapPipeline.h"
#include "ControlFlow.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace graph;
using namespace graph::cuda;

TensorMapPipeline::TensorMapPipeline(ImplicitLocOpBuilder &b,
                                     const ContractionTiling &tiling,
                                     int64_t numTiles, Value shared, Int thread,
                                     TensorMapLoader lhs, TensorMapLoader rhs)
    : b(b), tiling(tiling), numTiles(numTiles), shared(shared), thread(thread),
      lhs(std::move(lhs)), rhs(std::move(rhs)),
      barriers(b, advance(b, shared, Int(b, tiling.getTileBytes())),
               tiling.stages) {}

Value TensorMapPipeline::getLhs(Int tile) {
  return advance(b, shared,
                 barriers.getStage(tile) * (lhs.getBytes() + rhs.getBytes()));
}

Value TensorMapPipeline::getRhs(Int tile) {
  return advance(b, getLhs(tile), Int(b, lhs.getBytes()));
}

Value TensorMapPipeline::isFirstLane() { return thread % 32 == 0; }

Int TensorMapPipeline::getWarp() {
  Value warp = gpu::ShuffleOp::create(b, thread / 32, /*offset=*/0,
                                      /*width=*/32, gpu::ShuffleMode::IDX)
                   .getShuffleResult();
  return {b, warp};
}

void TensorMapPipeline::emit(BlockProduct &product,
                             function_ref<void(ArrayRef<Value>)> finish) {
  unsigned numProductWarps = tiling.getNumProductThreads() / 32;
  emitIf(b, thread == 0, [&] { barriers.initialize(numProductWarps); });
  emitBarrier(b);
  emitIfElse(
      b, getWarp() < numProductWarps, [&] { finish(emitProducts(product)); },
      [&] { emitIf(b, isFirstLane(), [&] { emitCopies(); }); });
}

void TensorMapPipeline::emitCopies() {
  lhs.prefetch();
  rhs.prefetch();
  emitLoop(b, 0, numTiles, [&](Int tile) {
    barriers.awaitFree(tile);
    Value full = barriers.expect(tile, lhs.getBytes() + rhs.getBytes());
    lhs.start(getLhs(tile), tile * tiling.blockK, full);
    rhs.start(getRhs(tile), tile * tiling.blockK, full);
  });
}

SmallVector<Value> TensorMapPipeline::emitProducts(BlockProduct &product) {
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(b.getF32Type()));
  SmallVector<Value> zeros(product.getNumSums(), zero);
  return emitLoop(b, 0, numTiles, zeros, [&](Int tile, ArrayRef<Value> sums) {
    barriers.awaitFull(tile);
    SmallVector<Value> next = product.accumulate(
        lhs.getTile(getLhs(tile)), rhs.getTile(getRhs(tile)), sums);
    emitIf(b, isFirstLane(), [&] { barriers.release(tile); });
    return next;
  });
}
