//===- Philox.cpp - Counter-based random numbers in arith -----------------===//
//
// Philox 4x32 with 10 rounds (Salmon et al., "Parallel random numbers: as easy
// as 1, 2, 3"), the counter and key as `graph.random_uniform` defines them.
//
//===----------------------------------------------------------------------===//

#include "ElementEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <array>
#include <numbers>

using namespace mlir;
using namespace graph;

namespace {
/// 32-bit words, scalars or vectors, held as i64 so that products are exact.
class WordBuilder {
public:
  WordBuilder(ImplicitLocOpBuilder &b, Type type) : b(b), type(type) {}

  Value constant(int64_t value) { return createInteger(b, type, value); }
  Value low(Value x) { return arith::AndIOp::create(b, x, constant(kMask)); }
  Value high(Value x) { return arith::ShRUIOp::create(b, x, constant(32)); }
  Value mul(Value x, int64_t factor) {
    return arith::MulIOp::create(b, x, constant(factor));
  }
  Value add(Value x, int64_t summand) {
    return arith::AddIOp::create(b, x, constant(summand));
  }
  Value exclusiveOr(Value x, Value y) { return arith::XOrIOp::create(b, x, y); }

private:
  static constexpr int64_t kMask = 0xffffffff;
  ImplicitLocOpBuilder &b;
  Type type;
};
} // namespace

static std::array<Value, 4> emitPhilox(ImplicitLocOpBuilder &b, Value counter,
                                       Value key, int64_t stream) {
  constexpr int64_t kMultipliers[] = {0xD2511F53, 0xCD9E8D57};
  constexpr int64_t kWeyl[] = {0x9E3779B9, 0xBB67AE85};
  constexpr int kRounds = 10;
  WordBuilder words(b, counter.getType());
  std::array<Value, 4> c = {
      words.low(counter), words.high(counter),
      words.constant(stream & 0xffffffff),
      words.constant(static_cast<uint64_t>(stream) >> 32)};
  Value k0 = words.low(key), k1 = words.high(key);
  for (int round = 0; round < kRounds; ++round) {
    Value p0 = words.mul(c[0], kMultipliers[0]);
    Value p1 = words.mul(c[2], kMultipliers[1]);
    c = {words.exclusiveOr(words.exclusiveOr(words.high(p1), c[1]), k0),
         words.low(p1),
         words.exclusiveOr(words.exclusiveOr(words.high(p0), c[3]), k1),
         words.low(p0)};
    k0 = words.low(words.add(k0, kWeyl[0]));
    k1 = words.low(words.add(k1, kWeyl[1]));
  }
  return c;
}

Value graph::emitRandom(ImplicitLocOpBuilder &b, Operation *op, Value key,
                        Value counter) {
  auto uniform = dyn_cast<RandomUniformOp>(op);
  int64_t stream =
      uniform ? uniform.getStream() : cast<RandomNormalOp>(op).getStream();
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  Type counterType = counter.getType();
  auto vector = dyn_cast<VectorType>(counterType);
  unsigned lanes = vector ? vector.getNumElements() : 1;
  auto words = emitPhilox(b, counter, splat(b, key, lanes), stream);

  Type type = getLanesType(getComputeType(element), lanes);
  auto integer = [&](int64_t value) {
    return createInteger(b, counterType, value);
  };
  auto number = [&](double value) {
    return createConstant(b, type,
                          b.getFloatAttr(getElementTypeOrSelf(type), value));
  };
  auto shift = [&](Value word, int64_t bits) -> Value {
    return arith::ShRUIOp::create(b, word, integer(bits));
  };
  auto toFloat = [&](Value word) -> Value {
    // Words are below 2^53 and fit i32 wherever f32 is asked for.
    if (!element.isF64())
      word =
          arith::TruncIOp::create(b, getLanesType(b.getI32Type(), lanes), word);
    return arith::SIToFPOp::create(b, type, word);
  };
  auto scale = [&](Value x, double factor) -> Value {
    return arith::MulFOp::create(b, x, number(factor));
  };

  constexpr double kTwoToMinus24 = 1.0 / (1 << 24);
  if (uniform) {
    if (element.isF64()) {
      Value high = arith::ShLIOp::create(b, shift(words[0], 5), integer(26));
      Value all = arith::AddIOp::create(b, high, shift(words[1], 6));
      return scale(toFloat(all), 1.0 / (int64_t(1) << 53));
    }
    // Only as many bits as the element holds: rounding toward zero.
    unsigned precision = cast<FloatType>(element).getFPMantissaWidth();
    Value bits = shift(words[0], 8);
    Value result = scale(toFloat(bits), kTwoToMinus24);
    if (precision == 24)
      return result;
    int64_t drop = 24 - precision;
    // Values below 2^-k keep more than `precision` of the 24 bits: truncate
    // the mantissa of the f32 itself.
    Type intType = getLanesType(b.getI32Type(), lanes);
    Value raw = arith::BitcastOp::create(b, intType, result);
    raw = arith::AndIOp::create(
        b, raw, createInteger(b, intType, -(int64_t(1) << drop)));
    return arith::BitcastOp::create(b, type, raw);
  }

  Value u =
      scale(toFloat(arith::AddIOp::create(b, shift(words[0], 8), integer(1))),
            kTwoToMinus24);
  Value v = scale(toFloat(shift(words[1], 8)), kTwoToMinus24);
  Value radius = math::SqrtOp::create(b, scale(math::LogOp::create(b, u), -2));
  Value angle = math::CosOp::create(b, scale(v, 2 * std::numbers::pi));
  return roundTo(b, arith::MulFOp::create(b, radius, angle), element);
}
