//===- PrecisionRewriter.cpp - f32 values in a lower precision ------------===//

#include "PrecisionRewriter.h"

#include "MixedPrecisionPolicy.h"

using namespace mlir;
using namespace graph;

static bool isF32(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getElementType().isF32();
}

static RankedTensorType withElement(Value value, Type element) {
  return cast<RankedTensorType>(
      cast<RankedTensorType>(value.getType()).clone(element));
}

static DenseElementsAttr getSplat(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue())
                           : DenseElementsAttr();
  return elements && elements.isSplat() ? elements : nullptr;
}

/// An attribute that is a number of the operation's element type.
static FloatAttr getF32(NamedAttribute attr) {
  auto number = dyn_cast<FloatAttr>(attr.getValue());
  return number && number.getType().isF32() ? number : nullptr;
}

/// `number` in another type, null where that rounds.
static FloatAttr convertExactly(FloatAttr number, FloatType type) {
  APFloat value = number.getValue();
  bool losesInfo;
  value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return losesInfo ? nullptr : FloatAttr::get(type, value);
}

/// Whether `vector` is what a linear layer adds to its product.
static bool isBias(Operation *op, Value vector) {
  auto add = dyn_cast<AddOp>(op);
  if (!add || !vector.getDefiningOp<BroadcastOp>())
    return false;
  Value product = add.getLhs() == vector ? add.getRhs() : add.getLhs();
  if (auto reshape = product.getDefiningOp<ReshapeOp>())
    product = reshape.getOperand();
  return product.getDefiningOp<DotOp>();
}

bool PrecisionRewriter::isNumber(Value value) const {
  if (auto broadcast = value.getDefiningOp<BroadcastOp>())
    return isNumber(broadcast.getOperand());
  DenseElementsAttr splat = getSplat(value);
  if (!splat)
    return false;
  auto number = splat.getSplatValue<APFloat>();
  if (!number.isFinite() || number.isZero())
    return true;
  bool losesInfo;
  number.convert(low.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return number.isFinite() && number.isNormal();
}

bool PrecisionRewriter::canFollow(Operation *op) const {
  for (NamedAttribute attr : op->getAttrs())
    if (FloatAttr number = getF32(attr); number && !convertExactly(number, low))
      return false;
  return llvm::any_of(op->getOperands(),
                      [&](Value value) { return isNarrow(value); }) &&
         llvm::all_of(op->getOperands(), [&](Value value) {
           return !isF32(value.getType()) || isNumber(value) ||
                  isBias(op, value);
         });
}

Value PrecisionRewriter::createNarrow(OpBuilder &b, Value value) {
  Location loc = value.getLoc();
  RankedTensorType type = withElement(value, low);
  // A cast before the broadcast has fewer elements.
  if (auto broadcast = value.getDefiningOp<BroadcastOp>())
    return BroadcastOp::create(b, loc, type, narrow(broadcast.getOperand()),
                               broadcast.getDims());
  return CastOp::create(b, loc, type, value);
}

Value PrecisionRewriter::narrow(Value value) {
  if (auto cast = value.getDefiningOp<CastOp>();
      cast && getElementTypeOrSelf(cast.getOperand()) == low)
    return cast.getOperand();
  if (Value copy = narrowCopies.lookup(value))
    return copy;
  OpBuilder b(value.getContext());
  b.setInsertionPointAfterValue(value);
  Value copy = createNarrow(b, value);
  narrowCopies[value] = copy;
  return copy;
}

Value PrecisionRewriter::widen(Value value) {
  Value &copy = wideCopies[value];
  if (!copy) {
    OpBuilder b(value.getContext());
    b.setInsertionPointAfterValue(value);
    copy = CastOp::create(b, value.getLoc(), withElement(value, b.getF32Type()),
                          value);
  }
  return copy;
}

/// The types of the results of an operation whose operands have been narrowed:
/// its own inference knows what stays f32 (the log_sum_exp of attention).
static SmallVector<Type> getLowTypes(Operation *op, Type low) {
  SmallVector<Type> types;
  if (auto inference = dyn_cast<InferTypeOpInterface>(op);
      inference && succeeded(inference.inferReturnTypes(
                       op->getContext(), op->getLoc(), op->getOperands(),
                       op->getRawDictionaryAttrs(), op->getPropertiesStorage(),
                       op->getRegions(), types)))
    return types;
  for (Value result : op->getResults())
    types.push_back(isF32(result.getType()) ? withElement(result, low)
                                            : result.getType());
  return types;
}

void PrecisionRewriter::computeLow(Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    if (isF32(operand.get().getType()))
      operand.set(narrow(operand.get()));
  for (NamedAttribute attr : op->getAttrs())
    if (FloatAttr number = getF32(attr))
      op->setAttr(attr.getName(), convertExactly(number, low));
  for (auto [result, type] :
       llvm::zip_equal(op->getResults(), getLowTypes(op, low)))
    if (type != result.getType()) {
      result.setType(type);
      narrowed.insert(result);
    }
}

void PrecisionRewriter::computeAsWritten(Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    if (isNarrow(operand.get()))
      operand.set(widen(operand.get()));
}

unsigned PrecisionRewriter::run(Block &block) {
  unsigned numLow = 0;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    PrecisionClass kind = getPrecisionClass(op.getName());
    bool hasF32 = llvm::any_of(op.getOperands(), [&](Value value) {
      return isF32(value.getType()) || isNarrow(value);
    });
    if ((kind == PrecisionClass::Low && hasF32) ||
        (kind == PrecisionClass::Follow && canFollow(&op))) {
      computeLow(&op);
      ++numLow;
    } else {
      computeAsWritten(&op);
    }
  }
  return numLow;
}
