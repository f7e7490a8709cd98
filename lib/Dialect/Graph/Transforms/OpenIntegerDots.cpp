//===- OpenIntegerDots.cpp - Integer dots as sums of products -------------===//
//
// Neither a GPU's tensor cores nor the libraries for it multiply matrices of
// the integers that graphs have; they occur in masks and counts, not where the
// time goes. As a sum of products a dot is a reduction like any other.
//
//===----------------------------------------------------------------------===//

#include "graph/Dialect/Graph/IR/Tensor.h"
#include "graph/Dialect/Graph/Transforms/Passes.h"

#include "llvm/ADT/Sequence.h"

namespace graph {
#define GEN_PASS_DEF_GRAPHOPENINTEGERDOTS
#include "graph/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace graph

using namespace mlir;
using namespace graph;

/// `operand` with its dimensions in the order batch, free, contracted, spread
/// over `shape`: batch dimensions come first in it, contracted ones last, the
/// free ones from `firstFree` on.
static Tensor spread(Tensor operand, ArrayRef<int64_t> batch,
                     ArrayRef<int64_t> free, ArrayRef<int64_t> contract,
                     ArrayRef<int64_t> shape, int64_t firstFree) {
  SmallVector<int64_t> perm = llvm::to_vector(batch);
  llvm::append_range(perm, free);
  llvm::append_range(perm, contract);
  auto batchDims = llvm::seq<int64_t>(0, batch.size());
  auto freeDims = llvm::seq<int64_t>(firstFree, firstFree + free.size());
  auto lastDims =
      llvm::seq<int64_t>(shape.size() - contract.size(), shape.size());
  SmallVector<int64_t> dims = llvm::to_vector(batchDims);
  llvm::append_range(dims, freeDims);
  llvm::append_range(dims, lastDims);
  return broadcastInDims(transpose(operand, perm), shape, dims);
}

namespace {
struct OpenIntegerDots
    : graph::impl::GraphOpenIntegerDotsBase<OpenIntegerDots> {
  using GraphOpenIntegerDotsBase::GraphOpenIntegerDotsBase;

  void runOnOperation() override {
    for (Block &block : getOperation().getBody())
      for (DotOp dot : llvm::to_vector(block.getOps<DotOp>()))
        if (isa<IntegerType>(dot.getType().getElementType()))
          open(dot);
  }

  void open(DotOp dot) {
    ImplicitLocOpBuilder builder(dot.getLoc(), dot);
    ArrayRef<int64_t> contract = dot.getLhsContract();
    auto lhsType = cast<RankedTensorType>(dot.getLhs().getType());
    SmallVector<int64_t> shape(dot.getType().getShape());
    for (int64_t dim : contract)
      shape.push_back(lhsType.getDimSize(dim));
    SmallVector<int64_t> lhsFree = dot.getLhsFree(), rhsFree = dot.getRhsFree();
    int64_t numBatch = dot.getLhsBatch().size();
    Tensor lhs = spread({builder, dot.getLhs()}, dot.getLhsBatch(), lhsFree,
                        contract, shape, numBatch);
    Tensor rhs = spread({builder, dot.getRhs()}, dot.getRhsBatch(), rhsFree,
                        dot.getRhsContract(), shape, numBatch + lhsFree.size());
    SmallVector<int64_t> summed = llvm::to_vector(
        llvm::seq<int64_t>(shape.size() - contract.size(), shape.size()));
    Tensor result = reduce(ReduceKind::sum, lhs * rhs, summed);
    dot.replaceAllUsesWith(result.getValue());
    dot.erase();
  }
};
} // namespace
