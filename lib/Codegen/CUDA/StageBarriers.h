//===- StageBarriers.h - When a place in the ring is whose ------*- C++ -*-===//
//
// Tile t lies in place t % stages of a ring in shared memory. Two mbarriers per
// place hand it from the thread that copies to the warps that multiply and
// back:
//
//   copying thread                  warps
//   awaitFree(t)
//   expect(t, bytes), copies  --->  awaitFull(t)
//                                   multiply
//   awaitFree(t + stages)     <---  release(t)
//
// An mbarrier's phase ends when all have arrived, and all bytes that were
// announced; who waits names the phase by its parity.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_LIB_CODEGEN_CUDA_STAGEBARRIERS_H
#define GRAPH_LIB_CODEGEN_CUDA_STAGEBARRIERS_H

#include "IntBuilder.h"

namespace graph::cuda {

class StageBarriers {
public:
  /// The mbarriers lie at `pointer`, a multiple of 8, in shared memory.
  StageBarriers(mlir::ImplicitLocOpBuilder &b, mlir::Value pointer,
                unsigned stages)
      : b(b), pointer(pointer), stages(stages) {}

  /// For places that `numWarps` warps release. By one thread, before a barrier
  /// of the block.
  void initialize(unsigned numWarps);

  Int getStage(Int tile) const { return tile % stages; }

  /// Waits until the tile that lay in the place before is released.
  void awaitFree(Int tile);
  /// Announces the bytes of a tile; returns the mbarrier that its copies count
  /// for.
  mlir::Value expect(Int tile, int64_t bytes);
  /// Waits until the tile has arrived.
  void awaitFull(Int tile);
  /// By one thread of a warp whose threads have all read the tile.
  void release(Int tile);

private:
  mlir::Value getFull(Int stage) const;
  mlir::Value getFree(Int stage) const;
  void await(mlir::Value barrier, Int parity);

  mlir::ImplicitLocOpBuilder &b;
  mlir::Value pointer;
  unsigned stages;
};

} // namespace graph::cuda

#endif // GRAPH_LIB_CODEGEN_CUDA_STAGEBARRIERS_H
