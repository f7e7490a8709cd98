//===- GraphScalarBodies.cpp - Elementwise operations in arith and math ---===//

#include "graph/Dialect/Graph/IR/GraphOps.h"
#include "graph/Dialect/Graph/IR/ScalarConversions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace graph;

/// A constant of `type`, a scalar or a vector of one value.
static Value constant(ImplicitLocOpBuilder &b, Type type, double value) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr attr = isa<FloatType>(element)
                       ? TypedAttr(b.getFloatAttr(element, value))
                       : b.getIntegerAttr(element, static_cast<int64_t>(value));
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  return arith::ConstantOp::create(b, attr);
}

static Value constant(ImplicitLocOpBuilder &b, Type type, const APInt &value) {
  TypedAttr attr = b.getIntegerAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  return arith::ConstantOp::create(b, attr);
}

static bool isFloat(Type type) {
  return isa<FloatType>(getElementTypeOrSelf(type));
}

static bool isBool(Type type) {
  return getElementTypeOrSelf(type).isInteger(1);
}

static Value select(ImplicitLocOpBuilder &b, Value predicate, Value onTrue,
                    Value onFalse) {
  return arith::SelectOp::create(b, predicate, onTrue, onFalse);
}

/// `FloatOp` or `IntOp`, as the type asks.
template <typename FloatOp, typename IntOp>
static Value byType(ImplicitLocOpBuilder &b, ValueRange v, Type type) {
  if (isFloat(type))
    return FloatOp::create(b, v[0], v[1]);
  return IntOp::create(b, v[0], v[1]);
}

//===----------------------------------------------------------------------===//
// Unary
//===----------------------------------------------------------------------===//

Value NegOp::buildScalarBody(ImplicitLocOpBuilder &b, ValueRange v, Type type) {
  if (isFloat(type))
    return arith::NegFOp::create(b, v[0]);
  return arith::SubIOp::create(b, constant(b, type, 0), v[0]);
}

Value AbsOp::buildScalarBody(ImplicitLocOpBuilder &b, ValueRange v, Type type) {
  if (isFloat(type))
    return math::AbsFOp::create(b, v[0]);
  return math::AbsIOp::create(b, v[0]);
}

Value ExpOp::buildScalarBody(ImplicitLocOpBuilder &b, ValueRange v, Type) {
  return math::ExpOp::create(b, v[0]);
}
Value LogOp::buildScalarBody(ImplicitLocOpBuilder &b, ValueRange v, Type) {
  return math::LogOp::create(b, v[0]);
}
Value SqrtOp::buildScalarBody(ImplicitLocOpBuilder &b, ValueRange v, Type) {
  return math::SqrtOp::create(b, v[0]);
}
Value RsqrtOp::buildScalarBody(ImplicitLocOpBuilder &b, ValueRange v,
                               Type type) {
  // Exact division: the machine's approximate rsqrt has 12 bits.
  return arith::DivFOp::create(b, constant(b, type, 1),
                               math::SqrtOp::create(b, v[0]));
}
Value TanhOp::buildScalarBody(ImplicitLocOpBuilder &b, ValueRange v, Type) {
  return math::TanhOp::create(b, v[0]);
}
Value ErfOp::buildScalarBody(ImplicitLocOpBuilder &b, ValueRange v, Type) {
  return math::ErfOp::create(b, v[0]);
}
Value LogisticOp::buildScalarBody(ImplicitLocOpBuilder &b, ValueRange v,
                                  Type type) {
  Value one = constant(b, type, 1);
  Value exp = math::ExpOp::create(b, arith::NegFOp::create(b, v[0]));
  return arith::DivFOp::create(b, one, arith::AddFOp::create(b, one, exp));
}
Value SinOp::buildScalarBody(ImplicitLocOpBuilder &b, ValueRange v, Type) {
  return math::SinOp::create(b, v[0]);
}
Value CosOp::buildScalarBody(ImplicitLocOpBuilder &b, ValueRange v, Type) {
  return math::CosOp::create(b, v[0]);
}

//===----------------------------------------------------------------------===//
// Binary
//===----------------------------------------------------------------------===//

Value AddOp::buildScalarBody(ImplicitLocOpBuilder &b, ValueRange v, Type type) {
  return byType<arith::AddFOp, arith::AddIOp>(b, v, type);
}
Value SubOp::buildScalarBody(ImplicitLocOpBuilder &b, ValueRange v, Type type) {
  return byType<arith::SubFOp, arith::SubIOp>(b, v, type);
}
Value MulOp::buildScalarBody(ImplicitLocOpBuilder &b, ValueRange v, Type type) {
  return byType<arith::MulFOp, arith::MulIOp>(b, v, type);
}

Value DivOp::buildScalarBody(ImplicitLocOpBuilder &b, ValueRange v, Type type) {
  if (isFloat(type))
    return arith::DivFOp::create(b, v[0], v[1]);
  // Both undefined cases of the machine's division are replaced before it.
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  Value zero = constant(b, type, 0), one = constant(b, type, 1);
  Value minusOne = constant(b, type, -1);
  Value smallest = constant(b, type, APInt::getSignedMinValue(width));
  auto equal = [&](Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x, y);
  };
  Value byZero = equal(v[1], zero);
  Value overflows =
      arith::AndIOp::create(b, equal(v[0], smallest), equal(v[1], minusOne));
  Value undefined = arith::OrIOp::create(b, byZero, overflows);
  Value quotient =
      arith::DivSIOp::create(b, v[0], select(b, undefined, one, v[1]));
  return select(b, byZero, minusOne, quotient);
}

Value MaxOp::buildScalarBody(ImplicitLocOpBuilder &b, ValueRange v, Type type) {
  if (isBool(type))
    return arith::OrIOp::create(b, v[0], v[1]);
  return byType<arith::MaximumFOp, arith::MaxSIOp>(b, v, type);
}
Value MinOp::buildScalarBody(ImplicitLocOpBuilder &b, ValueRange v, Type type) {
  if (isBool(type))
    return arith::AndIOp::create(b, v[0], v[1]);
  return byType<arith::MinimumFOp, arith::MinSIOp>(b, v, type);
}
Value PowOp::buildScalarBody(ImplicitLocOpBuilder &b, ValueRange v, Type) {
  return math::PowFOp::create(b, v[0], v[1]);
}

//===----------------------------------------------------------------------===//
// Predicates, selection, conversion
//===----------------------------------------------------------------------===//

Value CompareOp::buildScalarBody(ImplicitLocOpBuilder &b, ValueRange v, Type) {
  struct Predicates {
    arith::CmpFPredicate ofFloat;
    arith::CmpIPredicate ofSigned, ofBool;
  };
  auto predicates = [&]() -> Predicates {
    using F = arith::CmpFPredicate;
    using I = arith::CmpIPredicate;
    switch (getPredicate()) {
    case ComparePredicate::eq:
      return {F::OEQ, I::eq, I::eq};
    case ComparePredicate::ne:
      return {F::UNE, I::ne, I::ne};
    case ComparePredicate::lt:
      return {F::OLT, I::slt, I::ult};
    case ComparePredicate::le:
      return {F::OLE, I::sle, I::ule};
    case ComparePredicate::gt:
      return {F::OGT, I::sgt, I::ugt};
    case ComparePredicate::ge:
      return {F::OGE, I::sge, I::uge};
    }
    llvm_unreachable("unknown predicate");
  }();
  if (isFloat(v[0].getType()))
    return arith::CmpFOp::create(b, predicates.ofFloat, v[0], v[1]);
  return arith::CmpIOp::create(
      b, isBool(v[0].getType()) ? predicates.ofBool : predicates.ofSigned, v[0],
      v[1]);
}

Value SelectOp::buildScalarBody(ImplicitLocOpBuilder &b, ValueRange v, Type) {
  return select(b, v[0], v[1], v[2]);
}

/// Toward zero, saturating, NaN to 0.
static Value floatToInt(ImplicitLocOpBuilder &b, Value x, Type type) {
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  APInt smallest = APInt::getSignedMinValue(width);
  APInt largest = APInt::getSignedMaxValue(width);
  Type from = x.getType();
  auto compare = [&](arith::CmpFPredicate predicate, Value l,
                     Value r) -> Value {
    return arith::CmpFOp::create(b, predicate, l, r);
  };
  // The bounds are powers of two (or one less): -2^(w-1) is exact, and a float
  // is too large exactly when it is at least 2^(w-1).
  Value low = constant(b, from, -std::ldexp(1.0, width - 1));
  Value high = constant(b, from, std::ldexp(1.0, width - 1));
  Value tooLow = compare(arith::CmpFPredicate::OLT, x, low);
  Value tooHigh = compare(arith::CmpFPredicate::OGE, x, high);
  Value isNan = compare(arith::CmpFPredicate::UNO, x, x);
  Value outside =
      arith::OrIOp::create(b, isNan, arith::OrIOp::create(b, tooLow, tooHigh));
  Value safe = select(b, outside, constant(b, from, 0), x);
  Value converted = arith::FPToSIOp::create(b, type, safe);
  converted = select(b, tooLow, constant(b, type, smallest), converted);
  return select(b, tooHigh, constant(b, type, largest), converted);
}

Value CastOp::buildScalarBody(ImplicitLocOpBuilder &b, ValueRange v,
                              Type type) {
  Value x = v[0];
  Type from = getElementTypeOrSelf(x.getType());
  Type to = getElementTypeOrSelf(type), element = getType().getElementType();
  if (from == to)
    return x;
  if (to.isInteger(1)) {
    Value zero = constant(b, x.getType(), 0);
    if (isa<FloatType>(from))
      return arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, x, zero);
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, x, zero);
  }
  if (from.isInteger(1)) {
    if (isa<FloatType>(to))
      return arith::UIToFPOp::create(b, type, x);
    return arith::ExtUIOp::create(b, type, x);
  }
  unsigned fromWidth = from.getIntOrFloatBitWidth();
  unsigned toWidth = to.getIntOrFloatBitWidth();
  if (isa<FloatType>(from) && isa<FloatType>(to)) {
    if (fromWidth < toWidth)
      return arith::ExtFOp::create(b, type, x);
    if (element.getIntOrFloatBitWidth() < toWidth)
      return buildTruncateToOdd(b, x);
    return arith::TruncFOp::create(b, type, x);
  }
  if (isa<FloatType>(from))
    return floatToInt(b, x, type);
  if (isa<FloatType>(to))
    return buildIntToFloat(b, x, cast<FloatType>(element));
  if (fromWidth < toWidth)
    return arith::ExtSIOp::create(b, type, x);
  return arith::TruncIOp::create(b, type, x);
}
