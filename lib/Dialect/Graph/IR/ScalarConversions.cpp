//===- ScalarConversions.cpp - Numbers to f32, before a rounding ----------===//

#include "graph/Dialect/Graph/IR/ScalarConversions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace graph;

static Type withElement(Value value, Type element) {
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    return vector.clone(element);
  return element;
}

static Value integer(ImplicitLocOpBuilder &b, Type type, int64_t value) {
  TypedAttr attr = b.getIntegerAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  return arith::ConstantOp::create(b, attr);
}

Value graph::buildTruncateToOdd(ImplicitLocOpBuilder &b, Value value) {
  Value nearest =
      arith::TruncFOp::create(b, withElement(value, b.getF32Type()), value);
  Value back = arith::ExtFOp::create(b, value.getType(), nearest);
  // False for NaN, which stays as it is.
  Value isInexact =
      arith::CmpFOp::create(b, arith::CmpFPredicate::ONE, back, value);
  Value isFurther = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT,
                                          math::AbsFOp::create(b, back),
                                          math::AbsFOp::create(b, value));
  Type bitsType = withElement(value, b.getI32Type());
  Value one = integer(b, bitsType, 1);
  Value bits = arith::BitcastOp::create(b, bitsType, nearest);
  Value towardZero = arith::SelectOp::create(
      b, isFurther, arith::SubIOp::create(b, bits, one), bits);
  Value odd = arith::OrIOp::create(b, towardZero, one);
  return arith::BitcastOp::create(
      b, nearest.getType(), arith::SelectOp::create(b, isInexact, odd, bits));
}

/// An i64 that f64 holds exactly: `value` rounded to odd where it is larger
/// than f64's precision.
static Value roundToOddForF64(ImplicitLocOpBuilder &b, Value value) {
  constexpr int64_t precision = 53, unit = int64_t(1) << (64 - precision);
  Type type = value.getType();
  Value rest = arith::AndIOp::create(b, value, integer(b, type, unit - 1));
  Value isInexact = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, rest,
                                          integer(b, type, 0));
  Value sticky = arith::SelectOp::create(b, isInexact, integer(b, type, unit),
                                         integer(b, type, 0));
  Value odd = arith::OrIOp::create(
      b, arith::AndIOp::create(b, value, integer(b, type, -unit)), sticky);
  // -1 or 0 where the upper bits are copies of the sign.
  Value upper = arith::ShRSIOp::create(b, value, integer(b, type, precision));
  Value isLarge = arith::CmpIOp::create(
      b, arith::CmpIPredicate::ugt,
      arith::AddIOp::create(b, upper, integer(b, type, 1)),
      integer(b, type, 1));
  return arith::SelectOp::create(b, isLarge, odd, value);
}

Value graph::buildIntToFloat(ImplicitLocOpBuilder &b, Value value,
                             FloatType element) {
  unsigned width = getElementTypeOrSelf(value).getIntOrFloatBitWidth();
  auto convert = [&](Value x, Type to) -> Value {
    return arith::SIToFPOp::create(b, withElement(x, to), x);
  };
  if (element.getWidth() >= 32)
    return convert(value, element);
  if (width <= 16)
    return convert(value, b.getF32Type());
  if (width == 64)
    value = roundToOddForF64(b, value);
  return buildTruncateToOdd(b, convert(value, b.getF64Type()));
}
