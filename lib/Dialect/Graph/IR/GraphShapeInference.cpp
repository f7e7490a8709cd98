//===- GraphShapeInference.cpp - Result types from operands ---------------===//

#include "graph/Dialect/Graph/IR/GraphOps.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace graph;

bool graph::isAddressable(RankedTensorType type) {
  int64_t bytes =
      llvm::divideCeil(type.getElementType().getIntOrFloatBitWidth(), 8);
  // A size of 0 makes the tensor empty whatever its other sizes are.
  if (llvm::is_contained(type.getShape(), 0))
    return true;
  return llvm::none_of(type.getShape(), [&](int64_t size) {
    return llvm::MulOverflow(bytes, size, bytes);
  });
}

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
      return error() << "found " << what << " dimension " << dim
                     << ", expected one in [0, " << rank << ")";
    if (std::exchange(seen[dim], true))
      return error() << "found " << what << " dimension " << dim
                     << " twice, expected it once";
  }
  return success();
}

static LogicalResult checkCount(ArrayRef<int64_t> list, int64_t rank,
                                StringRef what,
                                function_ref<InFlightDiagnostic()> error) {
  if (static_cast<int64_t>(list.size()) != rank)
    return error() << "found " << list.size() << " entries in " << what
                   << ", expected one for each of " << rank << " dimensions";
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
      return error() << "found [" << start << ", " << limit << ") of dimension "
                     << dim << ", expected a range in [0, "
                     << type.getDimSize(dim) << ")";
    if (stride < 1)
      return error() << "found stride " << stride << " of dimension " << dim
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
    return error() << "found padding value of type "
                   << adaptor.getValue().getType() << ", expected "
                   << type.getElementType();
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t low = adaptor.getLow()[dim], high = adaptor.getHigh()[dim];
    int64_t interior = adaptor.getInterior()[dim];
    if (low < 0 || high < 0 || interior < 0)
      return error() << "found padding " << low << ", " << high << ", "
                     << interior << " of dimension " << dim
                     << ", expected no negative number";
    int64_t size = type.getDimSize(dim), padded;
    if (llvm::MulOverflow(std::max<int64_t>(size - 1, 0), interior, padded) ||
        llvm::AddOverflow(padded, low, padded) ||
        llvm::AddOverflow(padded, high, padded) ||
        llvm::AddOverflow(padded, size, padded))
      return error() << "found padding " << low << ", " << high << ", "
                     << interior << " of dimension " << dim
                     << ", expected a padded size below 2^63";
    shape.push_back(padded);
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
      return error() << "found operand of type " << type << ", expected "
                     << first << " with any size of dimension "
                     << adaptor.getDim();
    if (llvm::AddOverflow(shape[adaptor.getDim()],
                          type.getDimSize(adaptor.getDim()),
                          shape[adaptor.getDim()]))
      return error() << "found operands that are too large together, expected "
                        "a size below 2^63";
  }
  types.push_back(first.clone(shape));
  return success();
}

/// An index can only be moved to the nearest row where there is a row.
static LogicalResult checkClip(RankedTensorType table, RankedTensorType indices,
                               IndexMode mode,
                               function_ref<InFlightDiagnostic()> error) {
  if (mode == IndexMode::clip && table.getDimSize(0) == 0 &&
      indices.getNumElements() != 0)
    return error() << "found no row in " << table
                   << ", expected at least one to clip an index to";
  return success();
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  RankedTensorType table = typeOf(adaptor.getTable());
  if (table.getRank() == 0)
    return report(loc, context) << "found table of rank 0, expected at least 1";
  if (failed(checkClip(table, typeOf(adaptor.getIndices()), adaptor.getMode(),
                       [&] { return report(loc, context); })))
    return failure();
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
    return report(loc, context) << "found init of rank 0, expected at least 1";
  if (failed(checkClip(init, typeOf(adaptor.getIndices()), adaptor.getMode(),
                       [&] { return report(loc, context); })))
    return failure();
  SmallVector<int64_t> shape(typeOf(adaptor.getIndices()).getShape());
  llvm::append_range(shape, init.getShape().drop_front());
  if (adaptor.getUpdates().getType() != init.clone(shape))
    return report(loc, context)
           << "found updates of type " << adaptor.getUpdates().getType()
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
  return remaining(typeOf(getLhs()).getRank(), getLhsBatch(), getLhsContract());
}
SmallVector<int64_t> DotOp::getRhsFree() {
  return remaining(typeOf(getRhs()).getRank(), getRhsBatch(), getRhsContract());
}

LogicalResult DotOp::inferReturnTypes(MLIRContext *context,
                                      std::optional<Location> loc,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  auto error = [&] { return report(loc, context); };
  RankedTensorType lhs = typeOf(adaptor.getLhs());
  RankedTensorType rhs = typeOf(adaptor.getRhs());
  if (lhs.getElementType() != rhs.getElementType())
    return error() << "found rhs of element type " << rhs.getElementType()
                   << ", expected " << lhs.getElementType() << " of lhs";
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
    return error() << "found " << adaptor.getRhsBatch().size()
                   << " batch dimensions of rhs, expected "
                   << adaptor.getLhsBatch().size() << " as of lhs";
  if (adaptor.getLhsContract().size() != adaptor.getRhsContract().size())
    return error() << "found " << adaptor.getRhsContract().size()
                   << " contracted dimensions of rhs, expected "
                   << adaptor.getLhsContract().size() << " as of lhs";
  if (failed(checkDims(lhsDims, lhs.getRank(), "lhs", error)) ||
      failed(checkDims(rhsDims, rhs.getRank(), "rhs", error)))
    return failure();
  for (auto [l, r] : llvm::zip_equal(lhsDims, rhsDims))
    if (lhs.getDimSize(l) != rhs.getDimSize(r))
      return error() << "found dimension " << r << " of rhs of size "
                     << rhs.getDimSize(r) << ", expected " << lhs.getDimSize(l)
                     << " of dimension " << l << " of lhs";
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
    return report(loc, context)
           << "found logits of rank 0, expected at least 1";
  ArrayRef<int64_t> shape = logits.getShape().drop_back();
  if (targets.getShape() != shape)
    return report(loc, context) << "found targets of type " << targets
                                << ", expected " << targets.clone(shape);
  types.push_back(logits.clone(shape));
  return success();
}

RankedTensorType graph::getLogSumExpType(RankedTensorType query) {
  Type element = query.getElementType();
  if (element.getIntOrFloatBitWidth() < 32)
    element = Float32Type::get(query.getContext());
  if (query.getRank() == 0)
    return query;
  return RankedTensorType::get(query.getShape().drop_back(), element);
}

/// The type of an attention's result.
static FailureOr<RankedTensorType>
inferAttention(Value queryValue, Value keyValue, Value valueValue, Value mask,
               function_ref<InFlightDiagnostic()> error) {
  RankedTensorType query = typeOf(queryValue), key = typeOf(keyValue);
  RankedTensorType value = typeOf(valueValue);
  int64_t rank = query.getRank();
  if (rank < 2 || key.getRank() != rank || value.getRank() != rank)
    return error() << "found query, key and value of ranks " << rank << ", "
                   << key.getRank() << " and " << value.getRank()
                   << ", expected one rank of at least 2";
  ArrayRef<int64_t> q = query.getShape(), k = key.getShape();
  ArrayRef<int64_t> v = value.getShape();
  if (k.drop_back(2) != q.drop_back(2) || v.drop_back(2) != q.drop_back(2))
    return error() << "found query, key and value of types " << query << ", "
                   << key << " and " << value
                   << ", expected the same leading dimensions";
  if (q.back() != k.back())
    return error() << "found key of head size " << k.back() << ", expected "
                   << q.back() << " of the query";
  if (k[rank - 2] != v[rank - 2])
    return error() << "found value of length " << v[rank - 2] << ", expected "
                   << k[rank - 2] << " of the key";
  SmallVector<int64_t> scores(q.drop_back());
  scores.push_back(k[rank - 2]);
  if (mask) {
    ArrayRef<int64_t> shape = typeOf(mask).getShape();
    if (shape.size() > scores.size() ||
        shape != ArrayRef(scores).take_back(shape.size()))
      return error() << "found mask of type " << mask.getType()
                     << ", expected the trailing dimensions of "
                     << typeOf(mask).clone(scores);
  }
  SmallVector<int64_t> shape(q.drop_back());
  shape.push_back(v.back());
  return query.clone(shape);
}

LogicalResult AttentionOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> result =
      inferAttention(adaptor.getQuery(), adaptor.getKey(), adaptor.getValue(),
                     adaptor.getMask(), [&] { return report(loc, context); });
  if (failed(result))
    return failure();
  types.append({*result, getLogSumExpType(typeOf(adaptor.getQuery()))});
  return success();
}

LogicalResult AttentionGradOp::verify() {
  FailureOr<RankedTensorType> result =
      inferAttention(getQuery(), getKey(), getValue(), getMask(),
                     [&] { return emitOpError(); });
  if (failed(result))
    return failure();
  if (getResult().getType() != *result)
    return emitOpError("found result of type ")
           << getResult().getType() << ", expected " << *result;
  return success();
}
