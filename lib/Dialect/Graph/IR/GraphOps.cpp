//===- GraphOps.cpp - Builders and verifiers of the operations ------------===//

#include "graph/Dialect/Graph/IR/GraphOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace graph;

#define GET_OP_CLASSES
#include "graph/Dialect/Graph/IR/GraphOps.cpp.inc"

void ConstantOp::build(OpBuilder &, OperationState &state, ElementsAttr value) {
  state.addAttribute("value", value);
  state.addTypes(value.getShapedType());
}

LogicalResult ConstantOp::verify() {
  if (isa<DenseElementsAttr>(getValue()))
    return success();
  auto resource = dyn_cast<DenseResourceElementsAttr>(getValue());
  if (!resource)
    return emitOpError("found a value that is neither dense nor a resource, "
                       "expected dense<...> or dense_resource<...>");
  StringRef key = resource.getRawHandle().getKey();
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (key == "__elided__")
    return emitOpError("found an elided value, expected its elements: print "
                       "the module without eliding");
  if (!blob)
    return emitOpError("found no data for resource '")
           << key << "', expected it in the file's dialect_resources";
  RankedTensorType type = getType();
  int64_t expected =
      type.getNumElements() *
      llvm::divideCeil(type.getElementType().getIntOrFloatBitWidth(), 8);
  if (static_cast<int64_t>(blob->getData().size()) != expected)
    return emitOpError("found ")
           << blob->getData().size() << " bytes in resource '" << key
           << "', expected " << expected;
  return success();
}

void CompareOp::build(OpBuilder &builder, OperationState &state,
                      ComparePredicate predicate, Value lhs, Value rhs) {
  auto type = cast<RankedTensorType>(lhs.getType());
  build(builder, state, type.clone(builder.getI1Type()), predicate, lhs, rhs);
}

/// `dim` is a dimension of the only result.
static LogicalResult verifyDim(Operation *op, int64_t dim) {
  int64_t rank = cast<RankedTensorType>(op->getResult(0).getType()).getRank();
  if (dim < 0 || dim >= rank)
    return op->emitOpError("found dimension ")
           << dim << ", expected one in [0, " << rank << ")";
  return success();
}
LogicalResult IotaOp::verify() { return verifyDim(*this, getDim()); }

static LogicalResult verifyKey(Operation *op, RankedTensorType key) {
  if (key.getRank() != 0)
    return op->emitOpError("found key of type ")
           << key << ", expected tensor<i64>";
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
    return emitOpError("found result of element type ")
           << to.getElementType() << ", expected " << from.getElementType();
  if (static_cast<int64_t>(getDims().size()) != from.getRank())
    return emitOpError("found ")
           << getDims().size() << " entries in dims, expected one for each of "
           << from.getRank() << " operand dimensions";
  int64_t last = -1;
  for (auto [i, dim] : llvm::enumerate(getDims())) {
    if (dim <= last || dim >= to.getRank())
      return emitOpError("found dims entry ")
             << dim << ", expected one in [" << last + 1 << ", " << to.getRank()
             << ")";
    if (from.getDimSize(i) != to.getDimSize(dim))
      return emitOpError("found result dimension ")
             << dim << " of size " << to.getDimSize(dim) << ", expected "
             << from.getDimSize(i) << " of operand dimension " << i;
    last = dim;
  }
  return success();
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType from = getOperand().getType(), to = getType();
  if (from.getElementType() != to.getElementType())
    return emitOpError("found result of element type ")
           << to.getElementType() << ", expected " << from.getElementType();
  if (from.getNumElements() != to.getNumElements())
    return emitOpError("found result of ")
           << to.getNumElements() << " elements, expected "
           << from.getNumElements();
  return success();
}

LogicalResult ReduceOp::verify() {
  if (getType().getElementType().isInteger(1) &&
      (getKind() == ReduceKind::sum || getKind() == ReduceKind::prod))
    return emitOpError("found ")
           << stringifyReduceKind(getKind())
           << " of i1, expected max, min or a cast before it";
  return success();
}

LogicalResult SoftmaxOp::verify() { return verifyDim(*this, getDim()); }
LogicalResult LogSoftmaxOp::verify() { return verifyDim(*this, getDim()); }

LogicalResult LayerNormOp::verify() {
  RankedTensorType type = getType(), scale = getScale().getType();
  if (type.getRank() == 0)
    return emitOpError("found operand of rank 0, expected at least 1");
  if (scale.getRank() != 1 || scale.getDimSize(0) != type.getShape().back())
    return emitOpError("found scale and bias of type ")
           << scale << ", expected " << scale.clone(type.getShape().back());
  return success();
}

LogicalResult ValueAndGradOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto callee =
      symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError("found no function ")
           << getCalleeAttr() << ", expected the callee in this module";
  FunctionType type = callee.getFunctionType();
  if (TypeRange(getOperands()) != TypeRange(type.getInputs()))
    return emitOpError("found operands (")
           << getOperands().getTypes() << "), expected the inputs ("
           << type.getInputs() << ") of " << getCalleeAttr();
  auto isScalarFloat = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getRank() == 0 &&
           isa<FloatType>(tensor.getElementType());
  };
  if (type.getNumResults() == 0 || !isScalarFloat(type.getResult(0)))
    return emitOpError("found results (")
           << type.getResults() << ") of " << getCalleeAttr()
           << ", expected a floating-point scalar first";
  SmallVector<Type> expected(type.getResults());
  for (int64_t i : getWrt()) {
    if (i < 0 || i >= static_cast<int64_t>(getOperands().size()))
      return emitOpError("found operand ")
             << i << " in wrt, expected one of " << getOperands().size();
    Type operand = getOperands()[i].getType();
    if (!isa<FloatType>(cast<RankedTensorType>(operand).getElementType()))
      return emitOpError("found operand ")
             << i << " of type " << operand
             << " in wrt, expected floating point";
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
    return emitOpError("found block arguments (")
           << body.getArgumentTypes() << "), expected ("
           << getOperands().getTypes() << ")";
  if (TypeRange(getYielded()) != TypeRange(getResults()))
    return emitOpError("found yielded (")
           << getYielded().getTypes() << "), expected (" << getResultTypes()
           << ")";
  return success();
}
