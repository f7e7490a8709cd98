//===- GemmForm.cpp - A dot as strided matrix products --------------------===//

#include "graph/Analysis/GemmForm.h"

using namespace mlir;
using namespace graph;

namespace {
enum MatrixId { A, B, C };

/// A loop of the product: its size and the strides of a, b and c along it.
struct Loop {
  int64_t size = 1;
  std::array<int64_t, 3> strides = {0, 0, 0};
};
} // namespace

/// Merges loops that nest in the given matrices, largest stride of
/// `orderBy` outermost.
static SmallVector<Loop> mergeLoops(SmallVector<Loop> loops, MatrixId orderBy,
                                    ArrayRef<MatrixId> matrices) {
  auto key = [&](const Loop &loop) {
    return std::tuple(loop.strides[orderBy], loop.strides, loop.size);
  };
  llvm::sort(loops, [&](const Loop &lhs, const Loop &rhs) {
    return key(lhs) > key(rhs);
  });
  SmallVector<Loop> merged;
  for (const Loop &loop : loops) {
    bool nests = !merged.empty() && llvm::all_of(matrices, [&](MatrixId id) {
      return merged.back().strides[id] == loop.size * loop.strides[id];
    });
    if (nests)
      merged.back() = {merged.back().size * loop.size, loop.strides};
    else
      merged.push_back(loop);
  }
  return merged;
}

/// Fills in the strides of a rows x columns matrix: false where neither of them
/// is 1. The stride along an extent of 1 is free, and is chosen to be valid.
static bool setStrides(MatrixView &view, int64_t rows, int64_t columns,
                       int64_t rowStride, int64_t columnStride) {
  if (rows == 1)
    rowStride = columns == 1 || columnStride != 1 ? 1 : columns;
  if (columns == 1)
    columnStride = 1;
  bool rowMajor = columnStride == 1 && rowStride >= columns;
  bool columnMajor = rowStride == 1 && columnStride >= rows;
  view.rowStride = rowStride;
  view.columnStride = columnStride;
  return rowMajor || columnMajor;
}

/// Exchanges a and b so that the rows of c are contiguous: c^T = b^T a^T.
static void makeResultRowMajor(GemmForm &form) {
  if (form.c.columnStride == 1)
    return;
  std::swap(form.a, form.b);
  std::swap(form.m, form.n);
  for (MatrixView *view : {&form.a, &form.b, &form.c})
    std::swap(view->rowStride, view->columnStride);
}

/// The product with one m and one n loop; all other loops are its batch.
static std::optional<GemmForm> tryForm(const GemmForm &frame, const Loop &m,
                                       const Loop &n, const Loop &k) {
  GemmForm form = frame;
  form.m = m.size;
  form.n = n.size;
  form.k = k.size;
  if (!setStrides(form.a, m.size, k.size, m.strides[A], k.strides[A]) ||
      !setStrides(form.b, k.size, n.size, k.strides[B], n.strides[B]) ||
      !setStrides(form.c, m.size, n.size, m.strides[C], n.strides[C]))
    return std::nullopt;
  return form;
}

/// Every loop with its number, the largest first; the unit loop where there is
/// none.
static SmallVector<std::pair<Loop, int>> getChoices(ArrayRef<Loop> loops) {
  SmallVector<std::pair<Loop, int>> choices;
  for (auto [i, loop] : llvm::enumerate(loops))
    choices.push_back({loop, static_cast<int>(i)});
  if (choices.empty())
    choices.push_back({Loop(), -1});
  llvm::sort(choices, [](const auto &lhs, const auto &rhs) {
    return std::pair(-lhs.first.size, lhs.second) <
           std::pair(-rhs.first.size, rhs.second);
  });
  return choices;
}

FailureOr<GemmForm> graph::getGemmForm(DotOp dot, const StridedView &lhs,
                                       const StridedView &rhs,
                                       const StridedView &result) {
  GemmForm frame;
  frame.a.base = lhs.base, frame.a.offset = lhs.offset;
  frame.b.base = rhs.base, frame.b.offset = rhs.offset;
  frame.c.base = result.base, frame.c.offset = result.offset;

  SmallVector<Loop> batch, m, n, k;
  auto add = [](SmallVector<Loop> &loops, int64_t size, int64_t a, int64_t b,
                int64_t c) {
    if (size != 1)
      loops.push_back({size, {a, b, c}});
  };
  size_t next = 0;
  for (auto [l, r] : llvm::zip_equal(dot.getLhsBatch(), dot.getRhsBatch()))
    add(batch, lhs.shape[l], lhs.strides[l], rhs.strides[r],
        result.strides[next++]);
  for (int64_t l : dot.getLhsFree())
    add(m, lhs.shape[l], lhs.strides[l], 0, result.strides[next++]);
  for (int64_t r : dot.getRhsFree())
    add(n, rhs.shape[r], 0, rhs.strides[r], result.strides[next++]);
  for (auto [l, r] :
       llvm::zip_equal(dot.getLhsContract(), dot.getRhsContract()))
    add(k, lhs.shape[l], lhs.strides[l], rhs.strides[r], 0);

  m = mergeLoops(m, C, {A, C});
  n = mergeLoops(n, C, {B, C});
  k = mergeLoops(k, A, {A, B});
  if (k.size() > 1)
    return failure();
  Loop contracted = k.empty() ? Loop() : k.front();

  for (auto [row, rowLoop] : getChoices(m)) {
    for (auto [column, columnLoop] : getChoices(n)) {
      std::optional<GemmForm> form = tryForm(frame, row, column, contracted);
      if (!form)
        continue;
      for (auto [i, loop] : llvm::enumerate(m))
        if (static_cast<int>(i) != rowLoop)
          batch.push_back(loop);
      for (auto [i, loop] : llvm::enumerate(n))
        if (static_cast<int>(i) != columnLoop)
          batch.push_back(loop);
      for (const Loop &loop : mergeLoops(batch, C, {A, B, C})) {
        form->batch.push_back(loop.size);
        form->a.batchStrides.push_back(loop.strides[A]);
        form->b.batchStrides.push_back(loop.strides[B]);
        form->c.batchStrides.push_back(loop.strides[C]);
      }
      makeResultRowMajor(*form);
      return *form;
    }
  }
  return failure();
}

FailureOr<GemmForm> graph::getGemmForm(DotOp dot) {
  return getGemmForm(dot, StridedView::identity(dot.getLhs()),
                     StridedView::identity(dot.getRhs()),
                     StridedView::identity(dot.getResult()));
}

DotOp graph::getFusedDot(FusionOp fusion) {
  DotOp dot;
  for (Operation &op : fusion.getBody().front().without_terminator()) {
    if (auto found = dyn_cast<DotOp>(op); found && !dot)
      dot = found;
    else if (!isa<TransposeOp, SliceOp, BroadcastOp, ReshapeOp>(op))
      return {};
  }
  return dot;
}

FailureOr<GemmForm> graph::getGemmForm(FusionOp fusion) {
  DotOp dot = getFusedDot(fusion);
  SmallVector<Operation *> chain;
  Value yielded = fusion.getYielded().front();
  for (Operation *op = yielded.getDefiningOp(); op != dot;
       op = op->getOperand(0).getDefiningOp())
    chain.push_back(op);
  StridedView result = StridedView::identity(yielded);
  for (Operation *op : chain)
    if (failed(result.applyInverse(op)))
      return failure();
  return getGemmForm(dot, getStridedView(dot.getLhs()),
                     getStridedView(dot.getRhs()), result);
}

FailureOr<GemmForm> graph::getGemmForm(Operation *op) {
  if (auto dot = dyn_cast<DotOp>(op))
    return getGemmForm(dot);
  auto fusion = dyn_cast<FusionOp>(op);
  if (!fusion || !getFusedDot(fusion))
    return failure();
  FailureOr<GemmForm> form = getGemmForm(fusion);
  if (failed(form))
    return failure();
  for (MatrixView *view : {&form->a, &form->b})
    view->base =
        fusion.getOperands()[cast<BlockArgument>(view->base).getArgNumber()];
  form->c.base = fusion.getResult(0);
  return form;
}
