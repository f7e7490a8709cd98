//===- StageBarriers.cpp - When a place in the ring is whose --------------===//

#include "StageBarriers.h"
#include "ControlFlow.h"
#include "TensorCore.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace graph;
using namespace graph::cuda;

static constexpr int64_t kBarrierBytes = 8;

Value StageBarriers::getFull(Int stage) const {
  return advance(b, pointer, stage * kBarrierBytes);
}

Value StageBarriers::getFree(Int stage) const {
  return advance(b, pointer, (stage + stages) * kBarrierBytes);
}

void StageBarriers::initialize(unsigned numWarps) {
  for (unsigned stage = 0; stage < stages; ++stage) {
    NVVM::MBarrierInitOp::create(b, getFull(Int(b, stage)), Int(b, 1),
                                 /*predicate=*/Value());
    NVVM::MBarrierInitOp::create(b, getFree(Int(b, stage)), Int(b, numWarps),
                                 /*predicate=*/Value());
  }
  // The TMA unit sees them after this.
  NVVM::FenceMbarrierInitOp::create(b);
}

void StageBarriers::await(Value barrier, Int parity) {
  emitUntil(b, [&] {
    return NVVM::MBarrierTryWaitOp::create(b, b.getI1Type(), barrier, parity,
                                           /*ticks=*/Value());
  });
}

void StageBarriers::awaitFree(Int tile) {
  // A new mbarrier counts as one whose phase before, of parity 1, has ended.
  Int round = tile / stages;
  await(getFree(getStage(tile)), (round & 1) ^ 1);
}

Value StageBarriers::expect(Int tile, int64_t bytes) {
  Value barrier = getFull(getStage(tile));
  NVVM::MBarrierArriveExpectTxOp::create(
      b, /*res=*/Type(), barrier, Int(b, bytes), NVVM::MemScopeKind::CTA,
      /*relaxed=*/false, /*predicate=*/Value());
  return barrier;
}

void StageBarriers::awaitFull(Int tile) {
  await(getFull(getStage(tile)), (tile / stages) & 1);
}

void StageBarriers::release(Int tile) {
  NVVM::MBarrierArriveOp::create(b, b.getI64Type(), getFree(getStage(tile)),
                                 /*count=*/Value());
}
