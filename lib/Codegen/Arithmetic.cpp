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
  return element.isInteger(1) ? IntegerType::get(element.getContext(), 8)
                              : element;
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

Value graph::fromStorage(ImplicitLocOpBuilder &b, Value value, Type element) {
  if (isNarrowFloat(element))
    return arith::ExtFOp::create(
        b, withElement(value.getType(), b.getF32Type()), value);
  if (element.isInteger(1))
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, value,
                                 createInteger(b, value.getType(), 0));
  return value;
}

Value graph::toStorage(ImplicitLocOpBuilder &b, Value value, Type element) {
  if (isNarrowFloat(element))
    return arith::TruncFOp::create(b, withElement(value.getType(), element),
                                   value);
  if (element.isInteger(1))
    return arith::ExtUIOp::create(
        b, withElement(value.getType(), b.getI8Type()), value);
  return value;
}

Value graph::roundTo(ImplicitLocOpBuilder &b, Value value, Type element) {
  if (!isNarrowFloat(element))
    return value;
  return fromStorage(b, toStorage(b, value, element), element);
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
