//===- AttentionForm.cpp - Attention as strided matrices ------------------===//

#include "graph/Analysis/AttentionForm.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace graph;

int64_t AttentionForm::getNumBatches() const { return computeProduct(batch); }

AttentionOpInterface graph::getFusedAttention(FusionOp fusion) {
  for (Operation &op : fusion.getBody().front())
    if (auto attention = dyn_cast<AttentionOpInterface>(op))
      return attention;
  return {};
}

/// The matrices that a view of [batch..., rows, columns] shows. Dimensions that
/// a mask has not, and the columns of log_sum_exp, have stride 0.
static AttentionMatrix getMatrix(const StridedView &view, size_t rank,
                                 bool hasColumns) {
  AttentionMatrix matrix;
  matrix.elementType = getElementTypeOrSelf(view.base.getType());
  matrix.offset = view.offset;
  SmallVector<int64_t> strides(view.strides);
  if (!hasColumns)
    strides.push_back(0);
  strides.insert(strides.begin(), rank - strides.size(), 0);
  matrix.batchStrides.assign(strides.begin(), strides.end() - 2);
  matrix.rowStride = strides[rank - 2];
  matrix.columnStride = strides[rank - 1];
  return matrix;
}

namespace {
/// Finds the matrices of one fusion.
class FormBuilder {
public:
  FormBuilder(FusionOp fusion, size_t rank) : fusion(fusion), rank(rank) {}

  FailureOr<AttentionMatrix> getOperand(Value operand, bool hasColumns = true) {
    StridedView view = getStridedView(operand);
    auto argument = dyn_cast<BlockArgument>(view.base);
    if (!argument)
      return failure();
    AttentionMatrix matrix = getMatrix(view, rank, hasColumns);
    matrix.buffer = argument.getArgNumber();
    return matrix;
  }

  /// Nothing where the fusion does not yield the result.
  FailureOr<std::optional<AttentionMatrix>> getResult(Value result,
                                                      bool hasColumns = true) {
    if (result.use_empty())
      return std::optional<AttentionMatrix>();
    SmallVector<Operation *> chain;
    Value end = result;
    for (; !isa<YieldOp>(*end.user_begin()); end = chain.back()->getResult(0))
      chain.push_back(*end.user_begin());
    StridedView view = StridedView::identity(end);
    for (Operation *op : llvm::reverse(chain))
      if (failed(view.applyInverse(op)))
        return failure();
    AttentionMatrix matrix = getMatrix(view, rank, hasColumns);
    auto yielded = fusion.getYielded();
    matrix.buffer =
        fusion->getNumOperands() + (llvm::find(yielded, end) - yielded.begin());
    return std::optional(matrix);
  }

private:
  FusionOp fusion;
  size_t rank;
};
} // namespace

/// Puts what was found into its place; false where nothing could be found.
template <typename T, typename U>
static bool assign(T &place, FailureOr<U> found) {
  if (failed(found))
    return false;
  place = *found;
  return true;
}

FailureOr<AttentionForm> graph::getAttentionForm(FusionOp fusion) {
  AttentionOpInterface op = getFusedAttention(fusion);
  auto shapeOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  };
  ArrayRef<int64_t> query = shapeOf(op.getQuery());
  ArrayRef<int64_t> value = shapeOf(op.getValue());
  size_t rank = query.size();
  auto grad = dyn_cast<AttentionGradOp>(*op);
  AttentionForm form;
  form.batch.assign(query.begin(), query.end() - 2);
  form.numQueries = query[rank - 2];
  form.numKeys = value[rank - 2];
  form.headSize = query.back();
  form.valueSize = value.back();
  form.causal = op.getCausal();
  form.scale = op.getScale().convertToDouble();
  form.isGrad = static_cast<bool>(grad);

  FormBuilder builder(fusion, rank);
  bool isKnown =
      assign(form.query, builder.getOperand(op.getQuery())) &&
      assign(form.key, builder.getOperand(op.getKey())) &&
      assign(form.value, builder.getOperand(op.getValue())) &&
      (!op.getMask() || assign(form.mask, builder.getOperand(op.getMask())));
  if (grad)
    isKnown =
        isKnown && assign(form.result, builder.getOperand(grad.getResult())) &&
        assign(form.logSumExp, builder.getOperand(grad.getLogSumExp(),
                                                  /*hasColumns=*/false)) &&
        assign(form.cotangent, builder.getOperand(grad.getCotangent())) &&
        assign(form.dquery, builder.getResult(grad.getDquery())) &&
        assign(form.dkey, builder.getResult(grad.getDkey())) &&
        assign(form.dvalue, builder.getResult(grad.getDvalue()));
  else
    isKnown = isKnown &&
              assign(form.result, builder.getResult(op->getResult(0))) &&
              assign(form.logSumExp, builder.getResult(op->getResult(1),
                                                       /*hasColumns=*/false));
  if (!isKnown)
    return failure();
  return form;
}
