//===- GraphOps.cpp - Builders and verifiers of the operations ------------===//

#include "graph/Dialect/Graph/IR/GraphOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace graph;

#define GET_OP_CLASSES
#include "graph/Dialect/Graph/IR/GraphOps.cpp.inc"

void ConstantOp::build(OpBuilder &, OperationState &state,
                       ElementsAttr value) {
  state.addAttribute("value", value);
  state.addTypes(value.getShapedType());
}

LogicalResult ConstantOp::verify() { return success(); }

void CompareOp::build(OpBuilder &builder, OperationState &state,
                      ComparePredicate predicate, Value lhs, Value rhs) {
  auto type = cast<RankedTensorType>(lhs.getType());
  build(builder, state, type.clone(builder.getI1Type()), predicate, lhs, rhs);
}

LogicalResult IotaOp::verify() {
  int64_t rank = getType().getRank(), dim = getDim();
  if (dim < 0 || dim >= rank)
    return emitOpError("dimension ")
           << dim << " is outside [0, " << rank << ")";
  return success();
}

static LogicalResult verifyKey(Operation *op, RankedTensorType key) {
  if (key.getRank() != 0)
    return op->emitOpError("key has type ") << key << ", expected tensor<i64>";
  return success();
}
LogicalResult RandomUniformOp::verify() {
  return verifyKey(*this, getKey().getType());
}
LogicalResult RandomNormalOp::verify() {
  return verifyKey(*this, getKey().getType());
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType from = getOperand().getType(), to = getType();
  if (from.getElementType() != to.getElementType())
    return emitOpError("result has element type ")
           << to.getElementType() << ", expected " << from.getElementType();
  if (static_cast<int64_t>(getDims().size()) != from.getRank())
    return emitOpError("dims has ")
           << getDims().size() << " entries, expected one for each of "
           << from.getRank() << " operand dimensions";
  int64_t last = -1;
  for (auto [i, dim] : llvm::enumerate(getDims())) {
    if (dim <= last || dim >= to.getRank())
      return emitOpError("dims entry ")
             << dim << " is not above " << last << " and below "
             << to.getRank();
    if (from.getDimSize(i) != to.getDimSize(dim))
      return emitOpError("operand dimension ")
             << i << " has size " << from.getDimSize(i)
             << ", result dimension " << dim << " has size "
             << to.getDimSize(dim);
    last = dim;
  }
  return success();
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType from = getOperand().getType(), to = getType();
  if (from.getElementType() != to.getElementType())
    return emitOpError("result has element type ")
           << to.getElementType() << ", expected " << from.getElementType();
  if (from.getNumElements() != to.getNumElements())
    return emitOpError("result has ")
           << to.getNumElements() << " elements, expected "
           << from.getNumElements();
  return success();
}

LogicalResult ReduceOp::verify() {
  if (getType().getElementType().isInteger(1) &&
      (getKind() == ReduceKind::sum || getKind() == ReduceKind::prod))
    return emitOpError("cannot take the ")
           << stringifyReduceKind(getKind())
           << " of i1, expected max, min or a cast before it";
  return success();
}

static LogicalResult verifyDim(Operation *op, int64_t dim) {
  int64_t rank = cast<RankedTensorType>(op->getResult(0).getType()).getRank();
  if (dim < 0 || dim >= rank)
    return op->emitOpError("dimension ")
           << dim << " is outside [0, " << rank << ")";
  return success();
}
LogicalResult SoftmaxOp::verify() { return verifyDim(*this, getDim()); }
LogicalResult LogSoftmaxOp::verify() { return verifyDim(*this, getDim()); }

LogicalResult LayerNormOp::verify() {
  RankedTensorType type = getType(), scale = getScale().getType();
  if (type.getRank() == 0)
    return emitOpError("operand has rank 0, expected at least 1");
  if (scale.getRank() != 1 || scale.getDimSize(0) != type.getShape().back())
    return emitOpError("scale and bias have type ")
           << scale << ", expected " << scale.clone(type.getShape().back());
  return success();
}

LogicalResult
ValueAndGradOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto callee =
      symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError("callee ") << getCalleeAttr() << " is not a function";
  FunctionType type = callee.getFunctionType();
  if (TypeRange(getOperands()) != TypeRange(type.getInputs()))
    return emitOpError("operands do not match the inputs of ")
           << getCalleeAttr() << ": found (" << getOperands().getTypes()
           << "), expected (" << type.getInputs() << ")";
  auto isScalarFloat = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getRank() == 0 &&
           isa<FloatType>(tensor.getElementType());
  };
  if (type.getNumResults() == 0 || !isScalarFloat(type.getResult(0)))
    return emitOpError("the first result of ")
           << getCalleeAttr() << " is not a floating-point scalar";
  SmallVector<Type> expected(type.getResults());
  for (int64_t i : getWrt()) {
    if (i < 0 || i >= static_cast<int64_t>(getOperands().size()))
      return emitOpError("wrt names operand ")
             << i << ", expected one of " << getOperands().size();
    Type operand = getOperands()[i].getType();
    if (!isa<FloatType>(cast<RankedTensorType>(operand).getElementType()))
      return emitOpError("wrt names operand ")
             << i << " of type " << operand
             << ", which has no derivative: expected floating point";
    expected.push_back(operand);
  }
  if (TypeRange(getResults()) != TypeRange(expected))
    return emitOpError("found results (")
           << getResultTypes() << "), expected (" << expected << ")";
  return success();
}

OperandRange FusionOp::getYielded() {
  return getBody().front().getTerminator()->getOperands();
}

LogicalResult FusionOp::verifyRegions() {
  Block &body = getBody().front();
  if (TypeRange(body.getArgumentTypes()) != TypeRange(getOperands()))
    return emitOpError("block arguments do not match the operands");
  if (TypeRange(getYielded()) != TypeRange(getResults()))
    return emitOpError("yields (") << getYielded().getTypes()
                                   << "), expected (" << getResultTypes()
                                   << ")";
  return success();
}
