//===- RealBuilder.h - Formulas over scalars and vectors --------*- C++ -*-===//
//
// `Real`, `Bits` and `Mask` are values of type f32 or f64, i32 or i64, and i1
// (or vectors of them) whose operators emit arith and math operations.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_LIB_CODEGEN_REALBUILDER_H
#define GRAPH_LIB_CODEGEN_REALBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace graph {

/// A value and the builder that extends its formula.
class Term {
public:
  Term(mlir::ImplicitLocOpBuilder &b, mlir::Value value)
      : b(&b), value(value) {}
  mlir::Value getValue() const { return value; }
  mlir::ImplicitLocOpBuilder &getBuilder() const { return *b; }

protected:
  unsigned getWidth() const {
    return mlir::getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
  }
  mlir::Type withElement(mlir::Type element) const {
    if (auto vector = mlir::dyn_cast<mlir::VectorType>(value.getType()))
      return vector.clone(element);
    return element;
  }
  mlir::Value makeConstant(mlir::Type type, mlir::TypedAttr attr) const {
    if (auto vector = mlir::dyn_cast<mlir::VectorType>(type))
      attr = mlir::DenseElementsAttr::get(vector, mlir::Attribute(attr));
    return mlir::arith::ConstantOp::create(*b, attr);
  }

  mlir::ImplicitLocOpBuilder *b;
  mlir::Value value;
};

class Mask : public Term {
public:
  using Term::Term;
  Mask operator&(Mask other) const {
    return {*b, mlir::arith::AndIOp::create(*b, value, other.value)};
  }
  Mask operator|(Mask other) const {
    return {*b, mlir::arith::OrIOp::create(*b, value, other.value)};
  }
  Mask operator!() const {
    mlir::Value all =
        makeConstant(value.getType(), b->getIntegerAttr(b->getI1Type(), 1));
    return {*b, mlir::arith::XOrIOp::create(*b, value, all)};
  }
};

class Real;

class Bits : public Term {
public:
  using Term::Term;
  Bits constant(int64_t number) const {
    return {*b, makeConstant(
                    value.getType(),
                    b->getIntegerAttr(
                        mlir::getElementTypeOrSelf(value.getType()), number))};
  }
  Bits operator+(int64_t number) const {
    return {*b, mlir::arith::AddIOp::create(*b, value, constant(number).value)};
  }
  Bits operator-(int64_t number) const { return *this + -number; }
  Bits operator-(Bits other) const {
    return {*b, mlir::arith::SubIOp::create(*b, value, other.value)};
  }
  Bits operator&(int64_t number) const {
    return {*b, mlir::arith::AndIOp::create(*b, value, constant(number).value)};
  }
  Bits shiftRightSigned(int64_t bits) const {
    return {*b, mlir::arith::ShRSIOp::create(*b, value, constant(bits).value)};
  }
  Bits shiftLeft(int64_t bits) const {
    return {*b, mlir::arith::ShLIOp::create(*b, value, constant(bits).value)};
  }
  Mask operator==(int64_t number) const {
    return compare(mlir::arith::CmpIPredicate::eq, number);
  }
  Mask operator<(int64_t number) const {
    return compare(mlir::arith::CmpIPredicate::slt, number);
  }
  Bits toI32() const {
    if (getWidth() == 32)
      return *this;
    return {*b, mlir::arith::TruncIOp::create(*b, withElement(b->getI32Type()),
                                              value)};
  }
  /// The number, as a floating-point number of the same width.
  Real toReal() const;
  /// The floating-point number with these bits.
  Real asReal() const;

private:
  Mask compare(mlir::arith::CmpIPredicate predicate, int64_t number) const {
    return {*b, mlir::arith::CmpIOp::create(*b, predicate, value,
                                            constant(number).value)};
  }
};

class Real : public Term {
public:
  using Term::Term;
  Real constant(double number) const {
    return {*b, makeConstant(
                    value.getType(),
                    b->getFloatAttr(mlir::getElementTypeOrSelf(value.getType()),
                                    number))};
  }

  bool isF64() const { return getWidth() == 64; }

  Real operator+(Real other) const {
    return {*b, mlir::arith::AddFOp::create(*b, value, other.value)};
  }
  Real operator-(Real other) const {
    return {*b, mlir::arith::SubFOp::create(*b, value, other.value)};
  }
  Real operator*(Real other) const {
    return {*b, mlir::arith::MulFOp::create(*b, value, other.value)};
  }
  Real operator/(Real other) const {
    return {*b, mlir::arith::DivFOp::create(*b, value, other.value)};
  }
  Real operator-() const {
    return {*b, mlir::arith::NegFOp::create(*b, value)};
  }
  Real operator+(double number) const { return *this + constant(number); }
  Real operator-(double number) const { return *this - constant(number); }
  Real operator*(double number) const { return *this * constant(number); }

  Mask operator==(Real other) const {
    return compare(mlir::arith::CmpFPredicate::OEQ, other);
  }
  Mask operator!=(Real other) const {
    return compare(mlir::arith::CmpFPredicate::UNE, other);
  }
  Mask operator==(double number) const { return *this == constant(number); }
  Mask operator<(double number) const {
    return compare(mlir::arith::CmpFPredicate::OLT, constant(number));
  }
  Mask isAtLeast(double number) const {
    return compare(mlir::arith::CmpFPredicate::OGE, constant(number));
  }
  Mask isNan() const { return compare(mlir::arith::CmpFPredicate::UNO, *this); }

  Real abs() const { return {*b, mlir::math::AbsFOp::create(*b, value)}; }
  Real floor() const { return {*b, mlir::math::FloorOp::create(*b, value)}; }
  Real withSignOf(Real other) const {
    return {*b, mlir::math::CopySignOp::create(*b, value, other.value)};
  }
  /// NaN stays NaN.
  Real clampBetween(double low, double high) const;
  /// Horner's scheme; the coefficient of the highest power comes first.
  Real polynomial(llvm::ArrayRef<double> coefficients) const;
  /// The nearest whole number, as it is and as an integer. Its magnitude must
  /// be below 2^22 (f32) or 2^51 (f64); of anything else the integer is
  /// arbitrary.
  std::pair<Real, Bits> roundToInteger() const;
  /// 2^n of this type; n must be an exponent of a normal number.
  Real powerOfTwo(Bits n) const {
    bool isF32 = getWidth() == 32;
    return (n + (isF32 ? 127 : 1023)).shiftLeft(isF32 ? 23 : 52).asReal();
  }

  Bits bits() const {
    mlir::Type type = withElement(b->getIntegerType(getWidth()));
    return {*b, mlir::arith::BitcastOp::create(*b, type, value)};
  }
  Real toF64() const {
    return {*b, mlir::arith::ExtFOp::create(*b, withElement(b->getF64Type()),
                                            value)};
  }
  Real toF32() const {
    return {*b, mlir::arith::TruncFOp::create(*b, withElement(b->getF32Type()),
                                              value)};
  }

private:
  Mask compare(mlir::arith::CmpFPredicate predicate, Real other) const {
    return {*b, mlir::arith::CmpFOp::create(*b, predicate, value, other.value)};
  }
};

/// x * y + z, rounded once.
inline Real fma(Real x, Real y, Real z) {
  return {x.getBuilder(),
          mlir::math::FmaOp::create(x.getBuilder(), x.getValue(), y.getValue(),
                                    z.getValue())};
}

inline Real select(Mask mask, Real onTrue, Real onFalse) {
  return {mask.getBuilder(),
          mlir::arith::SelectOp::create(mask.getBuilder(), mask.getValue(),
                                        onTrue.getValue(), onFalse.getValue())};
}

inline Real Bits::toReal() const {
  mlir::Type type = getWidth() == 32 ? mlir::Type(b->getF32Type())
                                     : mlir::Type(b->getF64Type());
  return {*b, mlir::arith::SIToFPOp::create(*b, withElement(type), value)};
}

inline Real Bits::asReal() const {
  mlir::Type type = getWidth() == 32 ? mlir::Type(b->getF32Type())
                                     : mlir::Type(b->getF64Type());
  return {*b, mlir::arith::BitcastOp::create(*b, withElement(type), value)};
}

inline Real Real::clampBetween(double low, double high) const {
  Real x = select(*this < low, constant(low), *this);
  return select(x.isAtLeast(high), constant(high), x);
}

inline Real Real::polynomial(llvm::ArrayRef<double> coefficients) const {
  Real result = constant(coefficients.front());
  for (double coefficient : coefficients.drop_front())
    result = fma(result, *this, constant(coefficient));
  return result;
}

inline std::pair<Real, Bits> Real::roundToInteger() const {
  // Adding a number whose last place is 1 leaves the integer in the mantissa.
  Real magic = constant(getWidth() == 32 ? 0x1.8p23 : 0x1.8p52);
  Real shifted = *this + magic;
  return {shifted - magic, shifted.bits() - magic.bits()};
}

} // namespace graph

#endif // GRAPH_LIB_CODEGEN_REALBUILDER_H
