//===- TensorMapLoader.cpp - Tiles copied by the TMA unit -----------------===//

#include "TensorMapLoader.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace graph;
using namespace graph::cuda;

using Dimension = OperandTensorMap::Dimension;

TensorMapLoader::TensorMapLoader(ImplicitLocOpBuilder &b, OperandTensorMap map,
                                 int64_t tileOuter, int64_t tileDepth,
                                 Value pointer, ArrayRef<Int> batch,
                                 Int outerStart)
    : b(b), map(std::move(map)), pointer(pointer), batch(batch),
      outerStart(outerStart) {
  int64_t rowElements = kTensorMapRowBytes / this->map.elementBytes;
  bool depthRuns = this->map.isDepthContiguous();
  boxRows = depthRuns ? tileOuter : tileDepth;
  numBoxes = (depthRuns ? tileDepth : tileOuter) / rowElements;
}

void TensorMapLoader::prefetch() {
  NVVM::PrefetchOp::create(b, /*cacheLevel=*/nullptr,
                           /*evictPriority=*/nullptr, pointer,
                           /*predicate=*/Value(), /*tensormap=*/true);
}

void TensorMapLoader::start(Value shared, Int depthStart, Value barrier) {
  int64_t rowElements = map.dimensions.front().box;
  // This is how the instruction calls the memory of its own block, too.
  auto cluster = LLVM::LLVMPointerType::get(
      b.getContext(),
      static_cast<unsigned>(NVVM::NVVMMemorySpace::SharedCluster));
  for (int64_t box = 0; box < numBoxes; ++box) {
    SmallVector<Value> coordinates;
    for (const Dimension &dimension : map.dimensions) {
      Int start = dimension.kind == Dimension::Outer   ? outerStart
                  : dimension.kind == Dimension::Depth ? depthStart
                                                       : batch[dimension.batch];
      bool isInner = &dimension == &map.dimensions.front();
      coordinates.push_back(isInner ? start + box * rowElements : start);
    }
    Value target =
        advance(b, shared, Int(b, box * boxRows * kTensorMapRowBytes));
    target = LLVM::AddrSpaceCastOp::create(b, cluster, target);
    NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
        b, target, pointer, coordinates, barrier,
        /*im2colOffsets=*/ValueRange(),
        /*multicastMask=*/Value(), /*l2CacheHint=*/Value(),
        NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false, /*group=*/nullptr,
        /*predicate=*/Value());
  }
}
