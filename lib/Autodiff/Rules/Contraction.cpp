//===- Contraction.cpp - VJPs of reductions and products ------------------===//

#include "graph/Autodiff/Vjp.h"

using namespace mlir;
using namespace graph;

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Repeats a tensor of the result's shape along the reduced dimensions.
static Tensor unreduce(Vjp<ReduceOp> &v, Tensor reduced) {
  ArrayRef<int64_t> shape = v.op.getOperand().getType().getShape();
  SmallVector<int64_t> kept;
  for (int64_t dim = 0, rank = shape.size(); dim < rank; ++dim)
    if (!llvm::is_contained(v.op.getDims(), dim))
      kept.push_back(dim);
  return broadcastInDims(reduced, shape, kept);
}

/// For every element of the rows of `x`, of type [K, R], the product of the
/// others in its row: its neighbour in a pair times the product of all other
/// pairs. Linear work, no division: exact with any number of zeros.
static Tensor productOfOthers(Tensor x) {
  int64_t rows = x.dim(0), size = x.dim(1);
  if (size <= 1)
    return x.full(1);
  if (size % 2 == 1) {
    Tensor one = x.full(1, {rows, 1});
    return sliceDim(productOfOthers(concat({x, one}, 1)), 1, 0, size);
  }
  Tensor even = slice(x, {0, 0}, {rows, size}, {1, 2});
  Tensor odd = slice(x, {0, 1}, {rows, size}, {1, 2});
  Tensor otherPairs = productOfOthers(even * odd);
  SmallVector<int64_t> column = {rows, size / 2, 1};
  Tensor pairs = concat(
      {reshape(odd * otherPairs, column), reshape(even * otherPairs, column)},
      2);
  return reshape(pairs, {rows, size});
}

static Tensor productVjp(Vjp<ReduceOp> &v) {
  // The kept dimensions first, then the reduced ones.
  Tensor x = widen(v.x());
  SmallVector<int64_t> perm, inverse(x.getRank());
  int64_t reducedSize = 1;
  for (int64_t dim = 0; dim < x.getRank(); ++dim)
    if (!llvm::is_contained(v.op.getDims(), dim))
      perm.push_back(dim);
  for (int64_t dim : v.op.getDims()) {
    perm.push_back(dim);
    reducedSize *= x.dim(dim);
  }
  for (auto [i, dim] : llvm::enumerate(perm))
    inverse[dim] = i;
  Tensor moved = transpose(x, perm);
  Tensor others =
      productOfOthers(reshape(moved, {v.g.getNumElements(), reducedSize}));
  return unreduce(v, widen(v.g)) *
         transpose(reshape(others, moved.getShape()), inverse);
}

/// Split evenly among the elements that are the result, or that are NaN. Both
/// sides of the comparison are values of the forward pass, never recomputed.
static Tensor extremumVjp(Vjp<ReduceOp> &v) {
  using enum ComparePredicate;
  Tensor x = v.x(), g = widen(v.g);
  Tensor isResult = max(compare(eq, x, unreduce(v, v.y())), compare(ne, x, x));
  Tensor count = sum(cast(isResult, g.getElementType()), v.op.getDims());
  return select(isResult, unreduce(v, g / count), 0);
}

static Tensor reduceVjp(Vjp<ReduceOp> &v) {
  switch (v.op.getKind()) {
  case ReduceKind::sum:
    return unreduce(v, v.g);
  case ReduceKind::prod:
    return productVjp(v);
  case ReduceKind::max:
  case ReduceKind::min:
    return extremumVjp(v);
  }
  llvm_unreachable("unknown kind of reduction");
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// One operand of a product, as its VJP sees it.
struct DotSide {
  Tensor tensor;
  ArrayRef<int64_t> batch, contract;
  SmallVector<int64_t> free;
  /// Where the free dimensions of this operand start in the result.
  int64_t freeStart;
};

/// The product of the result's cotangent and `other`, summed over the free
/// dimensions of `other`, in the layout of `mine`. The result of a dot has its
/// dimensions in a fixed order: of the two orders of the operands, the one that
/// needs no transposition is taken where there is one.
static Tensor dotVjp(Tensor g, const DotSide &mine, const DotSide &other) {
  auto range = [](int64_t start, int64_t size) {
    return llvm::to_vector(llvm::seq<int64_t>(start, start + size));
  };
  SmallVector<int64_t> batch = range(0, mine.batch.size());
  SmallVector<int64_t> summed = range(other.freeStart, other.free.size());

  // Which dimension of mine each dimension of the new product is. Contracted
  // dimensions come in the order that they have in `other`.
  SmallVector<unsigned> order =
      llvm::to_vector(llvm::seq<unsigned>(0, other.contract.size()));
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return other.contract[a] < other.contract[b];
  });
  SmallVector<int64_t> gFirst(mine.batch), otherFirst(mine.batch);
  llvm::append_range(gFirst, mine.free);
  for (unsigned i : order) {
    gFirst.push_back(mine.contract[i]);
    otherFirst.push_back(mine.contract[i]);
  }
  llvm::append_range(otherFirst, mine.free);

  bool swap = !llvm::is_sorted(gFirst) && llvm::is_sorted(otherFirst);
  ArrayRef<int64_t> dims = swap ? otherFirst : gFirst;
  Tensor product =
      swap
          ? dot(other.tensor, g,
                {SmallVector<int64_t>(other.batch), batch, other.free, summed})
          : dot(g, other.tensor,
                {batch, SmallVector<int64_t>(other.batch), summed, other.free});
  if (llvm::is_sorted(dims))
    return product;
  SmallVector<int64_t> perm(dims.size());
  for (auto [i, dim] : llvm::enumerate(dims))
    perm[dim] = i;
  return transpose(product, perm);
}

static void dotVjp(Vjp<DotOp> &v) {
  SmallVector<int64_t> lhsFree = v.op.getLhsFree();
  int64_t numBatch = v.op.getLhsBatch().size();
  int64_t rhsStart = numBatch + lhsFree.size();
  DotSide lhs{v.x(0), v.op.getLhsBatch(), v.op.getLhsContract(), lhsFree,
              numBatch};
  DotSide rhs{v.x(1), v.op.getRhsBatch(), v.op.getRhsContract(),
              v.op.getRhsFree(), rhsStart};
  if (v.needs(0))
    v.add(0, dotVjp(v.g, lhs, rhs));
  if (v.needs(1))
    v.add(1, dotVjp(v.g, rhs, lhs));
}

void graph::populateContractionVjps(VjpTable &rules) {
  rules.add<ReduceOp>(reduceVjp);
  rules.add<DotOp>(static_cast<void (*)(Vjp<DotOp> &)>(dotVjp));
}
