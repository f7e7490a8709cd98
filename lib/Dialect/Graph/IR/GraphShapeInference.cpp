//===- GraphShapeInference.cpp - Result types from operands ---------------===//

#include "graph/Dialect/Graph/IR/GraphOps.h"

using namespace mlir;
using namespace graph;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Reports at `loc`, which is absent while a builder infers types.
static InFlightDiagnostic report(std::optional<Location> loc,
                                 MLIRContext *context) {
  return mlir::emitError(loc.value_or(UnknownLoc::get(context)));
}

/// Each of `dims` is a dimension of `rank`, none twice.
static LogicalResult checkDims(ArrayRef<int64_t> dims, int64_t rank,
                               StringRef what,
                               function_ref<InFlightDiagnostic()> error) {
  SmallVector<bool> seen(rank);
  for (int64_t dim : dims) {
    if (dim < 0 || dim >= rank)
      return error() << what << " dimension " << dim
                     << " is outside [0, " << rank << ")";
    if (std::exchange(seen[dim], true))
      return error() << what << " dimension " << dim << " is named twice";
  }
  return success();
}

static LogicalResult checkCount(ArrayRef<int64_t> list, int64_t rank,
                                StringRef what,
                                function_ref<InFlightDiagnostic()> error) {
  if (static_cast<int64_t>(list.size()) != rank)
    return error() << what << " has " << list.size()
                   << " entries, expected one for each of " << rank
                   << " dimensions";
  return success();
}

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto error = [&] { return report(loc, context); };
  RankedTensorType type = typeOf(adaptor.getOperand());
  if (failed(checkCount(adaptor.getPerm(), type.getRank(), "perm", error)) ||
      failed(checkDims(adaptor.getPerm(), type.getRank(), "perm", error)))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t dim : adaptor.getPerm())
    shape.push_back(type.getDimSize(dim));
  types.push_back(type.clone(shape));
  return success();
}

LogicalResult SliceOp::inferReturnTypes(MLIRContext *context,
                                        std::optional<Location> loc,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  auto error = [&] { return report(loc, context); };
  RankedTensorType type = typeOf(adaptor.getOperand());
  int64_t rank = type.getRank();
  if (failed(checkCount(adaptor.getStarts(), rank, "starts", error)) ||
      failed(checkCount(adaptor.getLimits(), rank, "limits", error)) ||
      failed(checkCount(adaptor.getStrides(), rank, "strides", error)))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t start = adaptor.getStarts()[dim], limit = adaptor.getLimits()[dim];
    int64_t stride = adaptor.getStrides()[dim];
    if (start < 0 || start > limit || limit > type.getDimSize(dim))
      return error() << "slice [" << start << ", " << limit
                     << ") of dimension " << dim << " is outside [0, "
                     << type.getDimSize(dim) << ")";
    if (stride < 1)
      return error() << "stride of dimension " << dim << " is " << stride
                     << ", expected at least 1";
    shape.push_back(llvm::divideCeil(limit - start, stride));
  }
  types.push_back(type.clone(shape));
  return success();
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *context,
                                      std::optional<Location> loc,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  auto error = [&] { return report(loc, context); };
  RankedTensorType type = typeOf(adaptor.getOperand());
  int64_t rank = type.getRank();
  if (failed(checkCount(adaptor.getLow(), rank, "low", error)) ||
      failed(checkCount(adaptor.getHigh(), rank, "high", error)) ||
      failed(checkCount(adaptor.getInterior(), rank, "interior", error)))
    return failure();
  if (adaptor.getValue().getType() != type.getElementType())
    return error() << "padding value has type " << adaptor.getValue().getType()
                   << ", expected " << type.getElementType();
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t low = adaptor.getLow()[dim], high = adaptor.getHigh()[dim];
    int64_t interior = adaptor.getInterior()[dim];
    if (low < 0 || high < 0 || interior < 0)
      return error() << "padding of dimension " << dim << " is " << low << ", "
                     << high << ", " << interior
                     << ", expected no negative number";
    int64_t size = type.getDimSize(dim);
    shape.push_back(low + size + std::max<int64_t>(size - 1, 0) * interior +
                    high);
  }
  types.push_back(type.clone(shape));
  return success();
}

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto error = [&] { return report(loc, context); };
  if (adaptor.getOperands().empty())
    return error() << "found no operand, expected at least one";
  RankedTensorType first = typeOf(adaptor.getOperands().front());
  if (failed(checkDims({static_cast<int64_t>(adaptor.getDim())},
                       first.getRank(), "concatenated", error)))
    return failure();
  SmallVector<int64_t> shape(first.getShape());
  for (Value operand : adaptor.getOperands().drop_front()) {
    RankedTensorType type = typeOf(operand);
    bool matches = type.getRank() == first.getRank() &&
                   type.getElementType() == first.getElementType();
    for (int64_t dim = 0; matches && dim < first.getRank(); ++dim)
      matches = dim == static_cast<int64_t>(adaptor.getDim()) ||
                type.getDimSize(dim) == shape[dim];
    if (!matches)
      return error() << "operand of type " << type
                     << " does not continue one of type " << first
                     << " along dimension " << adaptor.getDim();
    shape[adaptor.getDim()] += type.getDimSize(adaptor.getDim());
  }
  types.push_back(first.clone(shape));
  return success();
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  RankedTensorType table = typeOf(adaptor.getTable());
  if (table.getRank() == 0)
    return report(loc, context) << "table has rank 0, expected at least 1";
  SmallVector<int64_t> shape(typeOf(adaptor.getIndices()).getShape());
  llvm::append_range(shape, table.getShape().drop_front());
  types.push_back(table.clone(shape));
  return success();
}

LogicalResult ScatterAddOp::inferReturnTypes(MLIRContext *context,
                                             std::optional<Location> loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  RankedTensorType init = typeOf(adaptor.getInit());
  if (init.getRank() == 0)
    return report(loc, context) << "init has rank 0, expected at least 1";
  SmallVector<int64_t> shape(typeOf(adaptor.getIndices()).getShape());
  llvm::append_range(shape, init.getShape().drop_front());
  if (adaptor.getUpdates().getType() != init.clone(shape))
    return report(loc, context)
           << "updates have type " << adaptor.getUpdates().getType()
           << ", expected " << init.clone(shape);
  types.push_back(init);
  return success();
}

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  RankedTensorType type = typeOf(adaptor.getOperand());
  if (failed(checkDims(adaptor.getDims(), type.getRank(), "reduced",
                       [&] { return report(loc, context); })))
    return failure();
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (!llvm::is_contained(adaptor.getDims(), static_cast<int64_t>(dim)))
      shape.push_back(size);
  types.push_back(type.clone(shape));
  return success();
}

static SmallVector<int64_t> remaining(int64_t rank, ArrayRef<int64_t> batch,
                                      ArrayRef<int64_t> contract) {
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(batch, dim) && !llvm::is_contained(contract, dim))
      dims.push_back(dim);
  return dims;
}

SmallVector<int64_t> DotOp::getLhsFree() {
  return remaining(typeOf(getLhs()).getRank(), getLhsBatch(),
                   getLhsContract());
}
SmallVector<int64_t> DotOp::getRhsFree() {
  return remaining(typeOf(getRhs()).getRank(), getRhsBatch(),
                   getRhsContract());
}

LogicalResult DotOp::inferReturnTypes(MLIRContext *context,
                                      std::optional<Location> loc,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  auto error = [&] { return report(loc, context); };
  RankedTensorType lhs = typeOf(adaptor.getLhs());
  RankedTensorType rhs = typeOf(adaptor.getRhs());
  if (lhs.getElementType() != rhs.getElementType())
    return error() << "lhs and rhs have element types " << lhs.getElementType()
                   << " and " << rhs.getElementType() << ", expected one";
  auto concat = [](ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
    SmallVector<int64_t> both(a);
    llvm::append_range(both, b);
    return both;
  };
  SmallVector<int64_t> lhsDims =
      concat(adaptor.getLhsBatch(), adaptor.getLhsContract());
  SmallVector<int64_t> rhsDims =
      concat(adaptor.getRhsBatch(), adaptor.getRhsContract());
  if (adaptor.getLhsBatch().size() != adaptor.getRhsBatch().size())
    return error() << "lhs has " << adaptor.getLhsBatch().size()
                   << " batch dimensions, rhs has "
                   << adaptor.getRhsBatch().size();
  if (adaptor.getLhsContract().size() != adaptor.getRhsContract().size())
    return error() << "lhs has " << adaptor.getLhsContract().size()
                   << " contracted dimensions, rhs has "
                   << adaptor.getRhsContract().size();
  if (failed(checkDims(lhsDims, lhs.getRank(), "lhs", error)) ||
      failed(checkDims(rhsDims, rhs.getRank(), "rhs", error)))
    return failure();
  for (auto [l, r] : llvm::zip_equal(lhsDims, rhsDims))
    if (lhs.getDimSize(l) != rhs.getDimSize(r))
      return error() << "dimension " << l << " of lhs has size "
                     << lhs.getDimSize(l) << ", dimension " << r
                     << " of rhs has size " << rhs.getDimSize(r);
  SmallVector<int64_t> shape;
  for (int64_t dim : adaptor.getLhsBatch())
    shape.push_back(lhs.getDimSize(dim));
  for (int64_t dim : remaining(lhs.getRank(), adaptor.getLhsBatch(),
                               adaptor.getLhsContract()))
    shape.push_back(lhs.getDimSize(dim));
  for (int64_t dim : remaining(rhs.getRank(), adaptor.getRhsBatch(),
                               adaptor.getRhsContract()))
    shape.push_back(rhs.getDimSize(dim));
  types.push_back(lhs.clone(shape));
  return success();
}

//===----------------------------------------------------------------------===//
// Composites
//===----------------------------------------------------------------------===//

LogicalResult CrossEntropyOp::inferReturnTypes(MLIRContext *context,
                                               std::optional<Location> loc,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  RankedTensorType logits = typeOf(adaptor.getLogits());
  RankedTensorType targets = typeOf(adaptor.getTargets());
  if (logits.getRank() == 0)
    return report(loc, context) << "logits have rank 0, expected at least 1";
  ArrayRef<int64_t> shape = logits.getShape().drop_back();
  if (targets.getShape() != shape)
    return report(loc, context)
           << "targets have type " << targets << ", expected "
           << targets.clone(shape);
  types.push_back(logits.clone(shape));
  return success();
}

LogicalResult AttentionOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto error = [&] { return report(loc, context); };
  RankedTensorType query = typeOf(adaptor.getQuery());
  RankedTensorType key = typeOf(adaptor.getKey());
  RankedTensorType value = typeOf(adaptor.getValue());
  int64_t rank = query.getRank();
  if (rank < 2 || key.getRank() != rank || value.getRank() != rank)
    return error() << "query, key and value have ranks " << rank << ", "
                   << key.getRank() << " and " << value.getRank()
                   << ", expected one rank of at least 2";
  ArrayRef<int64_t> q = query.getShape(), k = key.getShape();
  ArrayRef<int64_t> v = value.getShape();
  if (k.drop_back(2) != q.drop_back(2) || v.drop_back(2) != q.drop_back(2))
    return error() << "leading dimensions of " << query << ", " << key
                   << " and " << value << " differ";
  if (q.back() != k.back())
    return error() << "query has head size " << q.back() << ", key has "
                   << k.back();
  if (k[rank - 2] != v[rank - 2])
    return error() << "key has length " << k[rank - 2] << ", value has "
                   << v[rank - 2];
  SmallVector<int64_t> scores(q.drop_back());
  scores.push_back(k[rank - 2]);
  if (Value mask = adaptor.getMask()) {
    ArrayRef<int64_t> shape = typeOf(mask).getShape();
    if (shape.size() > scores.size() ||
        shape != ArrayRef(scores).take_back(shape.size()))
      return error() << "mask has type " << mask.getType()
                     << ", expected the trailing dimensions of "
                     << typeOf(mask).clone(scores);
  }
  SmallVector<int64_t> shape(q.drop_back());
  shape.push_back(v.back());
  types.push_back(query.clone(shape));
  return success();
}
