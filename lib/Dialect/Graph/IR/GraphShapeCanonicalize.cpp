//===- GraphShapeCanonicalize.cpp - Canonical movements of elements -------===//
//
// A chain of movements becomes one movement, the simplest that does it:
// reshape before transpose, dimension numbers of a dot before both.
//
//===----------------------------------------------------------------------===//

#include "graph/Dialect/Graph/IR/GraphOps.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace graph;

/// `dims` renumbered: entry i becomes `numbers[dims[i]]`.
static SmallVector<int64_t> renumber(ArrayRef<int64_t> dims,
                                     ArrayRef<int64_t> numbers) {
  SmallVector<int64_t> result;
  for (int64_t dim : dims)
    result.push_back(numbers[dim]);
  return result;
}

/// The sizes that are not 1.
static SmallVector<int64_t> dropOnes(ArrayRef<int64_t> shape) {
  return llvm::to_vector(
      llvm::make_filter_range(shape, [](int64_t size) { return size != 1; }));
}

//===----------------------------------------------------------------------===//
// Broadcasts
//===----------------------------------------------------------------------===//

namespace {
/// A broadcast of a broadcast repeats along the dimensions of both.
struct BroadcastOfBroadcast : public OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BroadcastOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().getDefiningOp<BroadcastOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "operand is no broadcast");
    rewriter.replaceOpWithNewOp<BroadcastOp>(
        op, op.getType(), inner.getOperand(),
        renumber(inner.getDims(), op.getDims()));
    return success();
  }
};

/// A broadcast that adds only dimensions of size 1 is a reshape.
struct BroadcastToReshape : public OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BroadcastOp op,
                                PatternRewriter &rewriter) const override {
    if (dropOnes(op.getOperand().getType().getShape()) !=
        dropOnes(op.getType().getShape()))
      return rewriter.notifyMatchFailure(op, "elements are repeated");
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getOperand());
    return success();
  }
};

/// Dimensions of size 1 that a reshape puts in are made by the broadcast.
struct BroadcastOfUnitReshape : public OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BroadcastOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().getDefiningOp<ReshapeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "operand is no reshape");
    ArrayRef<int64_t> from = inner.getOperand().getType().getShape();
    ArrayRef<int64_t> to = inner.getType().getShape();
    SmallVector<int64_t> dims;
    for (auto [size, dim] : llvm::zip_equal(to, op.getDims()))
      if (dims.size() < from.size() && from[dims.size()] == size)
        dims.push_back(dim);
      else if (size != 1)
        return rewriter.notifyMatchFailure(op, "reshape does more than that");
    if (dims.size() != from.size())
      return rewriter.notifyMatchFailure(op, "reshape removes a dimension");
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(),
                                             inner.getOperand(), dims);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Reshapes and transposes
//===----------------------------------------------------------------------===//

struct ReshapeOfReshape : public OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().getDefiningOp<ReshapeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "operand is no reshape");
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(),
                                           inner.getOperand());
    return success();
  }
};

/// One scalar repeated has any shape.
struct ReshapeOfScalarBroadcast : public OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().getDefiningOp<BroadcastOp>();
    if (!inner || !inner.getDims().empty())
      return rewriter.notifyMatchFailure(op, "operand repeats no scalar");
    rewriter.replaceOpWithNewOp<BroadcastOp>(
        op, op.getType(), inner.getOperand(), ArrayRef<int64_t>());
    return success();
  }
};

struct TransposeOfTranspose : public OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().getDefiningOp<TransposeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "operand is no transpose");
    rewriter.replaceOpWithNewOp<TransposeOp>(
        op, inner.getOperand(), renumber(op.getPerm(), inner.getPerm()));
    return success();
  }
};

/// A transpose that moves only dimensions of size 1 is a reshape.
struct TransposeToReshape : public OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    ArrayRef<int64_t> shape = op.getOperand().getType().getShape();
    SmallVector<int64_t> moved(op.getPerm());
    llvm::erase_if(moved, [&](int64_t dim) { return shape[dim] == 1; });
    if (!llvm::is_sorted(moved))
      return rewriter.notifyMatchFailure(op, "larger dimensions move");
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getOperand());
    return success();
  }
};

/// A transpose of a broadcast permutes at most the operand, which is smaller.
struct TransposeOfBroadcast : public OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().getDefiningOp<BroadcastOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "operand is no broadcast");
    // Result dimension `at` holds the broadcast's dimension perm[at].
    SmallVector<int64_t> dims, perm;
    for (auto [at, dim] : llvm::enumerate(op.getPerm())) {
      auto it = llvm::find(inner.getDims(), dim);
      if (it == inner.getDims().end())
        continue;
      dims.push_back(at);
      perm.push_back(it - inner.getDims().begin());
    }
    Value operand =
        TransposeOp::create(rewriter, op.getLoc(), inner.getOperand(), perm);
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), operand, dims);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Dots and concatenations
//===----------------------------------------------------------------------===//

/// A dot reads a transposed operand through its dimension numbers, where the
/// free dimensions keep their order.
struct DotOfTranspose : public OpRewritePattern<DotOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotOp op,
                                PatternRewriter &rewriter) const override {
    Value lhs = op.getLhs(), rhs = op.getRhs();
    SmallVector<int64_t> lhsBatch(op.getLhsBatch());
    SmallVector<int64_t> rhsBatch(op.getRhsBatch());
    SmallVector<int64_t> lhsContract(op.getLhsContract());
    SmallVector<int64_t> rhsContract(op.getRhsContract());
    bool changed = absorb(lhs, lhsBatch, lhsContract, op.getLhsFree());
    changed |= absorb(rhs, rhsBatch, rhsContract, op.getRhsFree());
    if (!changed)
      return rewriter.notifyMatchFailure(
          op, "no operand is a transpose that keeps the free dimensions");
    rewriter.replaceOpWithNewOp<DotOp>(op, lhs, rhs, lhsBatch, rhsBatch,
                                       lhsContract, rhsContract);
    return success();
  }

  static bool absorb(Value &operand, SmallVectorImpl<int64_t> &batch,
                     SmallVectorImpl<int64_t> &contract,
                     ArrayRef<int64_t> free) {
    auto transpose = operand.getDefiningOp<TransposeOp>();
    if (!transpose || !llvm::is_sorted(renumber(free, transpose.getPerm())))
      return false;
    operand = transpose.getOperand();
    batch.assign(renumber(batch, transpose.getPerm()));
    contract.assign(renumber(contract, transpose.getPerm()));
    return true;
  }
};

/// Operands without elements along the dimension are dropped.
struct DropEmptyConcatOperands : public OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const override {
    int64_t dim = op.getDim();
    SmallVector<Value> kept;
    for (Value operand : op.getOperands())
      if (cast<RankedTensorType>(operand.getType()).getDimSize(dim) != 0)
        kept.push_back(operand);
    if (kept.empty())
      kept.push_back(op.getOperands().front());
    if (kept.size() == op.getOperands().size())
      return rewriter.notifyMatchFailure(op, "no operand is empty");
    rewriter.replaceOpWithNewOp<ConcatOp>(op, kept, dim);
    return success();
  }
};
} // namespace

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns
      .add<BroadcastOfBroadcast, BroadcastToReshape, BroadcastOfUnitReshape>(
          context);
}

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<ReshapeOfReshape, ReshapeOfScalarBroadcast>(context);
}

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<TransposeOfTranspose, TransposeToReshape, TransposeOfBroadcast>(
      context);
}

void DotOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<DotOfTranspose>(context);
}

void ConcatOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<DropEmptyConcatOperands>(context);
}
