//===- GraphFolders.cpp - Folding of elementwise operations ---------------===//
//
// Constants are evaluated exactly as the operations' descriptions say, and an
// operation that gives back an operand is dropped. Only what holds for every
// floating-point number is folded: x * 0 is not 0, and x + 0 is not x where x
// is -0.
//
//===----------------------------------------------------------------------===//

#include "ConstantFolding.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace graph;
using llvm::APFloat;
using llvm::APInt;
using llvm::APSInt;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

static bool isFloat(RankedTensorType type) {
  return isa<FloatType>(type.getElementType());
}
static bool isBool(RankedTensorType type) {
  return type.getElementType().isInteger(1);
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

//===----------------------------------------------------------------------===//
// Unary
//===----------------------------------------------------------------------===//

OpFoldResult NegOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getOperand().getDefiningOp<NegOp>())
    return inner.getOperand();
  if (isFloat(getType()))
    return foldElements<APFloat>(getType(), adaptor.getOperands(),
                                 [](auto x) { return -x[0]; });
  return foldElements<APInt>(getType(), adaptor.getOperands(),
                             [](auto x) { return -x[0]; });
}

OpFoldResult AbsOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getDefiningOp<AbsOp>())
    return getOperand();
  if (isFloat(getType()))
    return foldElements<APFloat>(getType(), adaptor.getOperands(),
                                 [](auto x) { return llvm::abs(x[0]); });
  return foldElements<APInt>(getType(), adaptor.getOperands(),
                             [](auto x) { return x[0].abs(); });
}

/// A function of the C library, in double precision. Only splats: a table of
/// function values would not be worth its bytes.
template <typename Fn>
static OpFoldResult foldFunction(RankedTensorType type,
                                 ArrayRef<Attribute> operands, Fn fn) {
  for (Attribute operand : operands) {
    DenseElementsAttr elements = getElements(operand);
    if (!elements || !elements.isSplat())
      return {};
  }
  return foldElements<APFloat>(type, operands, [&](auto x) {
    SmallVector<double, 2> values;
    for (const APFloat &element : x)
      values.push_back(element.convertToDouble());
    return graph::round(APFloat(fn(values)), x[0].getSemantics());
  });
}

OpFoldResult ExpOp::fold(FoldAdaptor adaptor) {
  return foldFunction(getType(), adaptor.getOperands(),
                      [](auto x) { return std::exp(x[0]); });
}
OpFoldResult LogOp::fold(FoldAdaptor adaptor) {
  return foldFunction(getType(), adaptor.getOperands(),
                      [](auto x) { return std::log(x[0]); });
}
OpFoldResult SqrtOp::fold(FoldAdaptor adaptor) {
  return foldFunction(getType(), adaptor.getOperands(),
                      [](auto x) { return std::sqrt(x[0]); });
}
OpFoldResult RsqrtOp::fold(FoldAdaptor adaptor) {
  return foldFunction(getType(), adaptor.getOperands(),
                      [](auto x) { return 1 / std::sqrt(x[0]); });
}
OpFoldResult TanhOp::fold(FoldAdaptor adaptor) {
  return foldFunction(getType(), adaptor.getOperands(),
                      [](auto x) { return std::tanh(x[0]); });
}
OpFoldResult ErfOp::fold(FoldAdaptor adaptor) {
  return foldFunction(getType(), adaptor.getOperands(),
                      [](auto x) { return std::erf(x[0]); });
}
OpFoldResult LogisticOp::fold(FoldAdaptor adaptor) {
  return foldFunction(getType(), adaptor.getOperands(),
                      [](auto x) { return 1 / (1 + std::exp(-x[0])); });
}
OpFoldResult SinOp::fold(FoldAdaptor adaptor) {
  return foldFunction(getType(), adaptor.getOperands(),
                      [](auto x) { return std::sin(x[0]); });
}
OpFoldResult CosOp::fold(FoldAdaptor adaptor) {
  return foldFunction(getType(), adaptor.getOperands(),
                      [](auto x) { return std::cos(x[0]); });
}

//===----------------------------------------------------------------------===//
// Binary
//===----------------------------------------------------------------------===//

/// One generic function for both kinds of elements.
template <typename Fn>
static OpFoldResult foldArithmetic(RankedTensorType type,
                                   ArrayRef<Attribute> operands, Fn fn) {
  if (isFloat(type))
    return foldElements<APFloat>(type, operands,
                                 [&](auto x) { return fn(x[0], x[1]); });
  return foldElements<APInt>(type, operands,
                             [&](auto x) { return fn(x[0], x[1]); });
}

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  // -0 is the neutral element: (-0) + (+0) is +0.
  if (isSplatOf(adaptor.getRhs(), isFloat(getType()) ? -0.0 : 0))
    return getLhs();
  return foldArithmetic(getType(), adaptor.getOperands(),
                        [](auto x, auto y) { return x + y; });
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  if (isSplatOf(adaptor.getRhs(), 0))
    return getLhs();
  if (!isFloat(getType()) && getLhs() == getRhs())
    return DenseElementsAttr::get(
        getType(),
        Builder(getContext()).getZeroAttr(getType().getElementType()));
  return foldArithmetic(getType(), adaptor.getOperands(),
                        [](auto x, auto y) { return x - y; });
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  if (isSplatOf(adaptor.getRhs(), 1))
    return getLhs();
  if (!isFloat(getType()) && isSplatOf(adaptor.getRhs(), 0))
    return adaptor.getRhs();
  return foldArithmetic(getType(), adaptor.getOperands(),
                        [](auto x, auto y) { return x * y; });
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  if (isSplatOf(adaptor.getRhs(), 1))
    return getLhs();
  if (isFloat(getType()))
    return foldElements<APFloat>(getType(), adaptor.getOperands(),
                                 [](auto x) { return x[0] / x[1]; });
  return foldElements<APInt>(getType(), adaptor.getOperands(),
                             [](auto x) -> APInt {
                               // The smallest number divided by -1 wraps to
                               // itself in APInt.
                               if (x[1].isZero())
                                 return APInt::getAllOnes(x[1].getBitWidth());
                               return x[0].sdiv(x[1]);
                             });
}

/// What max (min) leaves every number as it is with.
static bool isNeutral(Attribute attr, RankedTensorType type, bool isMax) {
  if (isFloat(type))
    return isSplatOf(attr, isMax ? -kInfinity : kInfinity);
  if (isBool(type))
    return isSplatOf(attr, isMax ? 0 : 1);
  DenseElementsAttr elements = getElements(attr);
  if (!elements || !elements.isSplat())
    return false;
  APInt value = elements.getSplatValue<APInt>();
  return isMax ? value.isMinSignedValue() : value.isMaxSignedValue();
}

OpFoldResult MaxOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs() || isNeutral(adaptor.getRhs(), getType(), true))
    return getLhs();
  if (isFloat(getType()))
    return foldElements<APFloat>(getType(), adaptor.getOperands(), [](auto x) {
      return llvm::maximum(x[0], x[1]);
    });
  return foldElements<APInt>(
      getType(), adaptor.getOperands(), [isBool = isBool(getType())](auto x) {
        return isBool ? x[0] | x[1] : llvm::APIntOps::smax(x[0], x[1]);
      });
}

OpFoldResult MinOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs() || isNeutral(adaptor.getRhs(), getType(), false))
    return getLhs();
  if (isFloat(getType()))
    return foldElements<APFloat>(getType(), adaptor.getOperands(), [](auto x) {
      return llvm::minimum(x[0], x[1]);
    });
  return foldElements<APInt>(
      getType(), adaptor.getOperands(), [isBool = isBool(getType())](auto x) {
        return isBool ? x[0] & x[1] : llvm::APIntOps::smin(x[0], x[1]);
      });
}

OpFoldResult PowOp::fold(FoldAdaptor adaptor) {
  if (isSplatOf(adaptor.getRhs(), 1))
    return getLhs();
  return foldFunction(getType(), adaptor.getOperands(),
                      [](auto x) { return std::pow(x[0], x[1]); });
}

//===----------------------------------------------------------------------===//
// Predicates, selection, conversion
//===----------------------------------------------------------------------===//

/// Whether the predicate holds where lhs compares to rhs as less (-1), equal
/// (0) or greater (1).
static bool holds(ComparePredicate predicate, int order) {
  switch (predicate) {
  case ComparePredicate::eq:
    return order == 0;
  case ComparePredicate::ne:
    return order != 0;
  case ComparePredicate::lt:
    return order < 0;
  case ComparePredicate::le:
    return order <= 0;
  case ComparePredicate::gt:
    return order > 0;
  case ComparePredicate::ge:
    return order >= 0;
  }
  llvm_unreachable("unknown predicate");
}

static bool holds(ComparePredicate predicate, const APFloat &x,
                  const APFloat &y) {
  switch (x.compare(y)) {
  case APFloat::cmpUnordered:
    return predicate == ComparePredicate::ne;
  case APFloat::cmpLessThan:
    return holds(predicate, -1);
  case APFloat::cmpEqual:
    return holds(predicate, 0);
  case APFloat::cmpGreaterThan:
    return holds(predicate, 1);
  }
  llvm_unreachable("unknown order");
}

OpFoldResult CompareOp::fold(FoldAdaptor adaptor) {
  ComparePredicate predicate = getPredicate();
  RankedTensorType type = getLhs().getType();
  // A number equals itself, NaN does not; neither is less than itself.
  bool isStrict =
      predicate == ComparePredicate::lt || predicate == ComparePredicate::gt;
  if (getLhs() == getRhs() && (!isFloat(type) || isStrict))
    return DenseElementsAttr::get(getType(),
                                  ArrayRef<bool>(holds(predicate, 0)));
  if (isBool(type) &&
      ((predicate == ComparePredicate::eq && isSplatOf(adaptor.getRhs(), 1)) ||
       (predicate == ComparePredicate::ne && isSplatOf(adaptor.getRhs(), 0))))
    return getLhs();
  if (isFloat(type))
    return foldElements<APFloat>(getType(), adaptor.getOperands(), [&](auto x) {
      return holds(predicate, x[0], x[1]);
    });
  return foldElements<APInt>(getType(), adaptor.getOperands(), [&](auto x) {
    bool isLess = isBool(type) ? x[0].ult(x[1]) : x[0].slt(x[1]);
    return holds(predicate, x[0] == x[1] ? 0 : isLess ? -1 : 1);
  });
}

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (getOnTrue() == getOnFalse() || isSplatOf(adaptor.getPredicate(), 1))
    return getOnTrue();
  if (isSplatOf(adaptor.getPredicate(), 0))
    return getOnFalse();
  if (isBool(getType()) && isSplatOf(adaptor.getOnTrue(), 1) &&
      isSplatOf(adaptor.getOnFalse(), 0))
    return getPredicate();
  DenseElementsAttr predicate = getElements(adaptor.getPredicate());
  DenseElementsAttr onTrue = getElements(adaptor.getOnTrue());
  DenseElementsAttr onFalse = getElements(adaptor.getOnFalse());
  if (!predicate || !onTrue || !onFalse || !isFoldable(getType()))
    return {};
  auto choose = [&]<typename T>(T) -> Attribute {
    SmallVector<T> result;
    for (auto [p, x, y] :
         llvm::zip_equal(predicate.getValues<bool>(), onTrue.getValues<T>(),
                         onFalse.getValues<T>()))
      result.push_back(p ? x : y);
    return DenseElementsAttr::get(getType(), ArrayRef<T>(result));
  };
  return isFloat(getType()) ? choose(APFloat(0.0)) : choose(APInt());
}

static OpFoldResult foldFloatCast(RankedTensorType to, Attribute operand) {
  Type element = to.getElementType();
  if (auto type = dyn_cast<FloatType>(element))
    return foldElements<APFloat>(to, operand, [&](auto x) {
      return graph::convert(x[0], type.getFloatSemantics());
    });
  if (element.isInteger(1))
    return foldElements<APFloat>(to, operand,
                                 [](auto x) { return !x[0].isZero(); });
  return foldElements<APFloat>(to, operand, [&](auto x) -> APInt {
    APSInt result(element.getIntOrFloatBitWidth(), /*isUnsigned=*/false);
    bool isExact;
    x[0].convertToInteger(result, APFloat::rmTowardZero, &isExact);
    return result;
  });
}

static OpFoldResult foldIntCast(RankedTensorType from, RankedTensorType to,
                                Attribute operand) {
  Type element = to.getElementType();
  bool isSigned = !isBool(from);
  if (auto type = dyn_cast<FloatType>(element))
    return foldElements<APInt>(to, operand, [&](auto x) {
      APFloat result(type.getFloatSemantics());
      result.convertFromAPInt(x[0], isSigned, APFloat::rmNearestTiesToEven);
      return result;
    });
  if (element.isInteger(1))
    return foldElements<APInt>(to, operand,
                               [](auto x) { return !x[0].isZero(); });
  unsigned width = element.getIntOrFloatBitWidth();
  return foldElements<APInt>(to, operand, [&](auto x) {
    return isSigned ? x[0].sextOrTrunc(width) : x[0].zextOrTrunc(width);
  });
}

/// Whether every value of the element type `narrow` is one of `wide`.
static bool holdsAll(Type wide, Type narrow) {
  auto wideFloat = dyn_cast<FloatType>(wide);
  auto narrowFloat = dyn_cast<FloatType>(narrow);
  if (wideFloat && narrowFloat)
    return APFloat::isRepresentableBy(narrowFloat.getFloatSemantics(),
                                      wideFloat.getFloatSemantics());
  return !wideFloat && !narrowFloat &&
         narrow.getIntOrFloatBitWidth() <= wide.getIntOrFloatBitWidth();
}

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  RankedTensorType from = getOperand().getType();
  if (from == getType())
    return getOperand();
  // There and back.
  if (auto inner = getOperand().getDefiningOp<CastOp>();
      inner && inner.getOperand().getType() == getType() &&
      holdsAll(from.getElementType(), getType().getElementType()))
    return inner.getOperand();
  if (isFloat(from))
    return foldFloatCast(getType(), adaptor.getOperand());
  return foldIntCast(from, getType(), adaptor.getOperand());
}
