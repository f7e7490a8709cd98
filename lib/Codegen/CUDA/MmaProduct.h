//===- MmaProduct.h - Tiles multiplied by tensor cores ----------*- C++ -*-===//

#ifndef GRAPH_LIB_CODEGEN_CUDA_MMAPRODUCT_H
#define GRAPH_LIB_CODEGEN_CUDA_MMAPRODUCT_H

#include "BlockProduct.h"

namespace graph::cuda {

/// A warp holds (warpRows / 16) x (warpColumns / 8) accumulators, row by row.
class MmaProduct : public BlockProduct {
public:
  MmaProduct(mlir::ImplicitLocOpBuilder &b, const ContractionTiling &tiling,
             Layout layout, Int thread, MmaType type);

  unsigned getNumSums() const override {
    return rowFragments * columnFragments * 4;
  }
  llvm::SmallVector<mlir::Value>
  accumulate(const SharedTile &lhs, const SharedTile &rhs,
             llvm::ArrayRef<mlir::Value> sums) override;
  unsigned getRowShift() const override { return 0; }
  void store(const SumTile &tile, llvm::ArrayRef<mlir::Value> sums) override;

protected:
  MmaType type;
  unsigned rowFragments, columnFragments;
};

} // namespace graph::cuda

#endif // GRAPH_LIB_CODEGEN_CUDA_MMAPRODUCT_H
