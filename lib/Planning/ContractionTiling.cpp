//===- ContractionTiling.cpp - The blocks of a matrix product -------------===//

#include "graph/Planning/ContractionTiling.h"
#include "graph/Planning/OperandTensorMap.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace graph;

/// Blocks that keep a large GPU busy: one per multiprocessor.
static constexpr int64_t kEnoughBlocks = 128;

int64_t ContractionTiling::getSharedBytes() const {
  constexpr int64_t kBarrierBytes = 8;
  return getTileBytes() + (usesTMA ? 2 * stages * kBarrierBytes : 0);
}

int64_t ContractionTiling::getTileBytes() const {
  int64_t tiles = stages * (blockM + blockN) * blockK * elementBytes;
  return std::max<int64_t>(tiles, blockM * blockN * sumBytes);
}

int64_t ContractionTiling::getNumBlocks(const GemmForm &form) const {
  return llvm::product_of(form.batch) * llvm::divideCeil(form.m, blockM) *
         llvm::divideCeil(form.n, blockN);
}

/// In the order of preference: a larger block reads its operands less often.
static SmallVector<ContractionTiling>
getCandidates(Type element, const KernelTarget &target, OperandUse use) {
  using Tiling = ContractionTiling;
  if (element.isF64())
    return {{Tiling::Scalar, 64, 64, 8, 4, 1, 4, 8, 8},
            {Tiling::Scalar, 32, 32, 8, 2, 1, 4, 8, 8}};
  if (element.isF32() && !target.allowTF32)
    return {{Tiling::Scalar, 128, 128, 16, 4, 2, 4, 4, 4},
            {Tiling::Scalar, 128, 64, 16, 4, 1, 4, 4, 4},
            {Tiling::Scalar, 64, 64, 16, 4, 1, 4, 4, 4},
            {Tiling::Scalar, 32, 32, 16, 2, 1, 4, 4, 4}};
  unsigned bytes = element.isF32() ? 4 : 2;
  int64_t depth = 64 / bytes;
  SmallVector<Tiling> candidates;
  if (target.chip == "sm_90a" && bytes == 2 && use == OperandUse::Multiply)
    candidates = {{Tiling::WarpGroup, 128, 128, 64, 8, 1, 3, bytes, 4},
                  {Tiling::WarpGroup, 64, 128, 64, 4, 1, 3, bytes, 4}};
  if (use != OperandUse::Compute)
    candidates.push_back(
        {Tiling::TensorCore, 128, 128, depth, 2, 2, 4, bytes, 4});
  candidates.append({{Tiling::TensorCore, 128, 64, depth, 2, 2, 4, bytes, 4},
                     {Tiling::TensorCore, 64, 128, depth, 2, 2, 4, bytes, 4},
                     {Tiling::TensorCore, 64, 64, depth, 2, 2, 4, bytes, 4},
                     {Tiling::TensorCore, 32, 64, depth, 2, 2, 4, bytes, 4},
                     {Tiling::TensorCore, 32, 32, depth, 2, 2, 4, bytes, 4}});
  return candidates;
}

/// The part of the blocks' area that is inside of the result.
static double getUse(const GemmForm &form, const ContractionTiling &tiling) {
  auto part = [](int64_t extent, int64_t block) {
    return double(extent) / llvm::alignTo(extent, block);
  };
  return part(form.m, tiling.blockM) * part(form.n, tiling.blockN);
}

static ContractionTiling chooseBlocks(const GemmForm &form, Type element,
                                      const KernelTarget &target,
                                      OperandUse use) {
  SmallVector<ContractionTiling> candidates =
      getCandidates(element, target, use);
  // The first that fills the GPU and whose blocks are not mostly border.
  for (const ContractionTiling &tiling : candidates)
    if (tiling.getNumBlocks(form) >= kEnoughBlocks &&
        getUse(form, tiling) >= 0.75 * getUse(form, candidates.back()))
      return tiling;
  return candidates.back();
}

ContractionTiling graph::chooseContractionTiling(const GemmForm &form,
                                                 Type element,
                                                 const KernelTarget &target,
                                                 OperandUse use) {
  ContractionTiling tiling = chooseBlocks(form, element, target, use);
  tiling.usesTMA = tiling.engine == ContractionTiling::WarpGroup &&
                   getLhsTensorMap(form, tiling) &&
                   getRhsTensorMap(form, tiling);
  return tiling;
}
