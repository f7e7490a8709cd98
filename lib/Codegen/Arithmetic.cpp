//===- Arithmetic.cpp - Scalars and vectors of a kernel -------------------===//

#include "Arithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace graph;

static bool isNarrowFloat(Type element) {
  return isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
}

static Type withElement(Type shape, Type element) {
  if (auto vector = dyn_cast<VectorType>(shape))
    return vector.clone(element);
  return element;
}

Type graph::getComputeType(Type element) {
  return isNarrowFloat(element) ? Float32Type::get(element.getContext())
                                : element;
}

Type graph::getStorageType(Type element) {
  if (element.isInteger(1))
    return IntegerType::get(element.getContext(), 8);
  if (element.isBF16())
    return IntegerType::get(element.getContext(), 16);
  return element;
}

Type graph::getLanesType(Type type, unsigned lanes) {
  return lanes == 1 ? type : VectorType::get({lanes}, type);
}

Value graph::createConstant(ImplicitLocOpBuilder &b, Type type,
                            TypedAttr value) {
  if (auto vector = dyn_cast<VectorType>(type))
    value = DenseElementsAttr::get(vector, Attribute(value));
  return arith::ConstantOp::create(b, value);
}

Value graph::createInteger(ImplicitLocOpBuilder &b, Type type, int64_t value) {
  return createConstant(b, type,
                        b.getIntegerAttr(getElementTypeOrSelf(type), value));
}

Value graph::createIndex(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

Value graph::splat(ImplicitLocOpBuilder &b, Value value, unsigned lanes) {
  if (lanes == 1 || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(b, getLanesType(value.getType(), lanes),
                                     value);
}

//===----------------------------------------------------------------------===//
// Narrow floating-point types
//===----------------------------------------------------------------------===//
//
// bf16 is the upper half of f32. Memory holds it as i16, converted by integer
// arithmetic: on processors without bf16, LLVM calls a function for every
// element of that type that it moves through a vector. (arith.truncf would also
// be folded into conversions from integers, which round differently.) f16 is
// converted by instructions.

/// The bits of the nearest bf16 (ties to even) in the upper half of each i32;
/// the lower half is arbitrary.
static Value roundBF16Bits(ImplicitLocOpBuilder &b, Value value) {
  Type type = withElement(value.getType(), b.getI32Type());
  auto constant = [&](int64_t bits) { return createInteger(b, type, bits); };
  Value bits = arith::BitcastOp::create(b, type, value);
  Value last = arith::AndIOp::create(
      b, arith::ShRUIOp::create(b, bits, constant(16)), constant(1));
  Value bias = arith::AddIOp::create(b, last, constant(0x7fff));
  Value rounded = arith::AddIOp::create(b, bits, bias);
  // Adding could turn a NaN into an infinity.
  Value isNan =
      arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, value, value);
  Value quiet = arith::OrIOp::create(b, bits, constant(0x400000));
  return arith::SelectOp::create(b, isNan, quiet, rounded);
}

Value graph::fromStorage(ImplicitLocOpBuilder &b, Value value, Type element) {
  Type type = value.getType();
  if (element.isBF16()) {
    Type wide = withElement(type, b.getI32Type());
    Value bits = arith::ExtUIOp::create(b, wide, value);
    bits = arith::ShLIOp::create(b, bits, createInteger(b, wide, 16));
    return arith::BitcastOp::create(b, withElement(type, b.getF32Type()), bits);
  }
  if (isNarrowFloat(element))
    return arith::ExtFOp::create(b, withElement(type, b.getF32Type()), value);
  if (element.isInteger(1))
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, value,
                                 createInteger(b, type, 0));
  return value;
}

Value graph::toStorage(ImplicitLocOpBuilder &b, Value value, Type element) {
  Type type = value.getType();
  if (element.isBF16()) {
    Value bits =
        arith::BitcastOp::create(b, withElement(type, b.getI32Type()), value);
    bits =
        arith::ShRUIOp::create(b, bits, createInteger(b, bits.getType(), 16));
    return arith::TruncIOp::create(b, withElement(type, b.getI16Type()), bits);
  }
  if (isNarrowFloat(element))
    return arith::TruncFOp::create(b, withElement(type, element), value);
  if (element.isInteger(1))
    return arith::ExtUIOp::create(b, withElement(type, b.getI8Type()), value);
  return value;
}

Value graph::roundTo(ImplicitLocOpBuilder &b, Value value, Type element) {
  if (element.isBF16()) {
    Value bits = roundBF16Bits(b, value);
    bits = arith::AndIOp::create(b, bits,
                                 createInteger(b, bits.getType(), -65536));
    return arith::BitcastOp::create(b, value.getType(), bits);
  }
  if (!isNarrowFloat(element))
    return value;
  Type narrow = withElement(value.getType(), element);
  return fromStorage(b, arith::TruncFOp::create(b, narrow, value), element);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

TypedAttr graph::getNeutral(ReduceKind kind, Type element) {
  Type type = getComputeType(element);
  Builder b(element.getContext());
  bool isLargest = kind == ReduceKind::min;
  if (kind == ReduceKind::sum || kind == ReduceKind::prod) {
    int64_t value = kind == ReduceKind::prod;
    if (isa<FloatType>(type))
      return b.getFloatAttr(type, static_cast<double>(value));
    return b.getIntegerAttr(type, value);
  }
  if (auto floating = dyn_cast<FloatType>(type))
    return b.getFloatAttr(type, APFloat::getInf(floating.getFloatSemantics(),
                                                /*Negative=*/!isLargest));
  unsigned width = type.getIntOrFloatBitWidth();
  if (width == 1)
    return b.getIntegerAttr(type, isLargest);
  return b.getIntegerAttr(type, isLargest ? APInt::getSignedMaxValue(width)
                                          : APInt::getSignedMinValue(width));
}

namespace {
/// One reduction kind, for the three families of types.
struct Combiner {
  using Create = Value (*)(ImplicitLocOpBuilder &, Value, Value);
  Create ofFloat, ofInteger, ofBool;
};
} // namespace

template <typename OpTy>
static Value createBinary(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  return OpTy::create(b, lhs, rhs);
}

Value graph::combine(ImplicitLocOpBuilder &b, ReduceKind kind, Value lhs,
                     Value rhs) {
  // In the order of ReduceKind.
  static constexpr Combiner combiners[] = {
      {createBinary<arith::AddFOp>, createBinary<arith::AddIOp>,
       createBinary<arith::AddIOp>},
      {createBinary<arith::MulFOp>, createBinary<arith::MulIOp>,
       createBinary<arith::MulIOp>},
      {createBinary<arith::MaximumFOp>, createBinary<arith::MaxSIOp>,
       createBinary<arith::OrIOp>},
      {createBinary<arith::MinimumFOp>, createBinary<arith::MinSIOp>,
       createBinary<arith::AndIOp>}};
  const Combiner &combiner = combiners[static_cast<uint32_t>(kind)];
  Type element = getElementTypeOrSelf(lhs.getType());
  if (isa<FloatType>(element))
    return combiner.ofFloat(b, lhs, rhs);
  return element.isInteger(1) ? combiner.ofBool(b, lhs, rhs)
                              : combiner.ofInteger(b, lhs, rhs);
}

Value graph::combineLanes(ImplicitLocOpBuilder &b, ReduceKind kind,
                          Value vector) {
  auto type = dyn_cast<VectorType>(vector.getType());
  if (!type)
    return vector;
  int64_t lanes = type.getNumElements();
  for (int64_t half = lanes / 2; half >= 1; half /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t i = 0; i < half; ++i) {
      low.push_back(i);
      high.push_back(half + i);
    }
    Value lhs = vector::ShuffleOp::create(b, vector, vector, low);
    Value rhs = vector::ShuffleOp::create(b, vector, vector, high);
    vector = combine(b, kind, lhs, rhs);
  }
  return vector::ExtractOp::create(b, vector, ArrayRef<int64_t>{0});
}

SmallVector<Value> graph::transposeSquare(ImplicitLocOpBuilder &b,
                                          ArrayRef<Value> rows) {
  SmallVector<Value> result(rows);
  int64_t lanes = rows.size();
  // Exchange the off-diagonal blocks of 2x2 blocks of side `half`.
  for (int64_t half = lanes / 2; half >= 1; half /= 2) {
    SmallVector<int64_t> upper, lower;
    for (int64_t i = 0; i < lanes; ++i) {
      bool isRight = i & half;
      upper.push_back(isRight ? lanes + i - half : i);
      lower.push_back(isRight ? lanes + i : i + half);
    }
    for (int64_t i = 0; i < lanes; ++i) {
      if (i & half)
        continue;
      Value a = result[i], c = result[i + half];
      result[i] = vector::ShuffleOp::create(b, a, c, upper);
      result[i + half] = vector::ShuffleOp::create(b, a, c, lower);
    }
  }
  return result;
}
