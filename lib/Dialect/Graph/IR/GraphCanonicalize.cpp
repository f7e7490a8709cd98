//===- GraphCanonicalize.cpp - Canonicalization patterns ------------------===//
//
// Every pattern is right for all numbers, NaN and infinities included, and
// computes no element more often than before.
//
//===----------------------------------------------------------------------===//

#include "graph/Dialect/Graph/IR/GraphOps.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace graph;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The constant splat that defines `value`, or null.
static DenseElementsAttr getSplat(Value value) {
  DenseElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)) &&
      elements.getNumElements() != 0 && elements.isSplat())
    return elements;
  return {};
}

//===----------------------------------------------------------------------===//
// Elementwise operations after a movement
//===----------------------------------------------------------------------===//

namespace {
/// op(move(x), move(y), splat) becomes move(op(x, y, splat)) where `MoveOp` is
/// a broadcast, which then repeats results instead of operands, or a reshape,
/// which comes nearer to the one that undoes it.
template <typename MoveOp>
struct MoveAfterElementwise
    : public OpInterfaceRewritePattern<ScalarBodyOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(ScalarBodyOpInterface op,
                                PatternRewriter &rewriter) const override {
    MoveOp first;
    for (Value operand : op->getOperands())
      if (auto move = operand.getDefiningOp<MoveOp>()) {
        first = move;
        break;
      }
    if (!first)
      return rewriter.notifyMatchFailure(op, "no operand is moved");
    RankedTensorType from = typeOf(first.getOperand());
    for (Value operand : op->getOperands()) {
      auto move = operand.getDefiningOp<MoveOp>();
      if (move ? !isSameMove(move, first) : !getSplat(operand))
        return rewriter.notifyMatchFailure(op, "operands move differently");
    }

    IRMapping mapping;
    for (Value operand : op->getOperands())
      if (auto move = operand.getDefiningOp<MoveOp>()) {
        mapping.map(operand, move.getOperand());
      } else {
        RankedTensorType type = typeOf(operand).clone(from.getShape());
        DenseElementsAttr splat = getSplat(operand).resizeSplat(type);
        mapping.map(operand,
                    ConstantOp::create(rewriter, operand.getLoc(), splat));
      }
    Operation *inner = rewriter.clone(*op, mapping);
    RankedTensorType type = typeOf(op->getResult(0));
    inner->getResult(0).setType(type.clone(from.getShape()));
    rewriter.replaceOp(op,
                       createMove(rewriter, first, type, inner->getResult(0)));
    return success();
  }

  static bool isSameMove(BroadcastOp a, BroadcastOp b) {
    return typeOf(a.getOperand()).getShape() ==
               typeOf(b.getOperand()).getShape() &&
           a.getDims() == b.getDims();
  }
  static bool isSameMove(ReshapeOp a, ReshapeOp b) {
    return typeOf(a.getOperand()).getShape() ==
           typeOf(b.getOperand()).getShape();
  }
  static Value createMove(OpBuilder &builder, BroadcastOp op, Type type,
                          Value operand) {
    return BroadcastOp::create(builder, op.getLoc(), type, operand,
                               op.getDims());
  }
  static Value createMove(OpBuilder &builder, ReshapeOp op, Type type,
                          Value operand) {
    return ReshapeOp::create(builder, op.getLoc(), type, operand);
  }
};

//===----------------------------------------------------------------------===//
// Comparisons and conversions
//===----------------------------------------------------------------------===//

static ComparePredicate exchanged(ComparePredicate predicate) {
  switch (predicate) {
  case ComparePredicate::eq:
  case ComparePredicate::ne:
    return predicate;
  case ComparePredicate::lt:
    return ComparePredicate::gt;
  case ComparePredicate::le:
    return ComparePredicate::ge;
  case ComparePredicate::gt:
    return ComparePredicate::lt;
  case ComparePredicate::ge:
    return ComparePredicate::le;
  }
  llvm_unreachable("unknown predicate");
}

/// Constants stand on the right of a comparison.
struct ExchangeCompare : public OpRewritePattern<CompareOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CompareOp op,
                                PatternRewriter &rewriter) const override {
    if (!matchPattern(op.getLhs(), m_Constant()) ||
        matchPattern(op.getRhs(), m_Constant()))
      return rewriter.notifyMatchFailure(op, "lhs is not the only constant");
    rewriter.replaceOpWithNewOp<CompareOp>(op, exchanged(op.getPredicate()),
                                           op.getRhs(), op.getLhs());
    return success();
  }
};

/// select(p == false, x, y) becomes select(p, y, x).
struct SelectOfNot : public OpRewritePattern<SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SelectOp op,
                                PatternRewriter &rewriter) const override {
    auto compare = op.getPredicate().getDefiningOp<CompareOp>();
    if (!compare || !compare.getLhs().getType().getElementType().isInteger(1))
      return rewriter.notifyMatchFailure(op, "predicate is no negation");
    DenseElementsAttr splat = getSplat(compare.getRhs());
    ComparePredicate equal = ComparePredicate::eq;
    ComparePredicate different = ComparePredicate::ne;
    if (!splat || compare.getPredicate() !=
                      (splat.getSplatValue<bool>() ? different : equal))
      return rewriter.notifyMatchFailure(op, "predicate is no negation");
    rewriter.replaceOpWithNewOp<SelectOp>(op, op.getType(), compare.getLhs(),
                                          op.getOnFalse(), op.getOnTrue());
    return success();
  }
};

/// Whether every value of type `from` is one of type `to` and `cast` keeps it.
static bool isLossless(Type from, Type to) {
  if (from.isInteger(1))
    return !to.isInteger(1);
  return isa<FloatType>(from) == isa<FloatType>(to) &&
         from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth();
}

/// cast(cast(x)) becomes cast(x) where the inner one keeps every value.
struct CastOfLosslessCast : public OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CastOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().getDefiningOp<CastOp>();
    if (!inner || !isLossless(inner.getOperand().getType().getElementType(),
                              inner.getType().getElementType()))
      return rewriter.notifyMatchFailure(op, "no lossless cast before it");
    rewriter.replaceOpWithNewOp<CastOp>(op, op.getType(), inner.getOperand());
    return success();
  }
};
} // namespace

void GraphDialect::getCanonicalizationPatterns(
    RewritePatternSet &patterns) const {
  patterns
      .add<MoveAfterElementwise<BroadcastOp>, MoveAfterElementwise<ReshapeOp>,
           ExchangeCompare, SelectOfNot, CastOfLosslessCast>(getContext());
}
