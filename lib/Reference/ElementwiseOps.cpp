//===- ElementwiseOps.cpp - One element in, one element out ---------------===//

#include "graph/Reference/Ops.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace graph;

/// `fn` of every element of a floating-point tensor.
template <typename Fn>
static ReferenceTensor mapFloats(const ReferenceTensor &x, Fn fn) {
  ReferenceTensor result(x.getType());
  llvm::transform(x.floats(), result.floats().begin(), fn);
  return result;
}

/// `fn` of every pair of elements of two floating-point tensors.
template <typename Fn>
static ReferenceTensor mapFloats(const ReferenceTensor &x,
                                 const ReferenceTensor &y, Fn fn) {
  ReferenceTensor result(x.getType());
  for (auto [r, a, b] :
       llvm::zip_equal(result.floats(), x.floats(), y.floats()))
    r = fn(a, b);
  return result;
}

/// `ofFloat` of doubles, or `ofInt` of integers reduced to their width.
template <typename FloatFn, typename IntFn>
static ReferenceTensor mapNumbers(const ReferenceTensor &x, FloatFn ofFloat,
                                  IntFn ofInt) {
  if (x.isFloat())
    return mapFloats(x, ofFloat);
  ReferenceTensor result(x.getType());
  for (auto [r, a] : llvm::zip_equal(result.ints(), x.ints()))
    r = wrapToWidth(ofInt(a), x.getWidth());
  return result;
}

template <typename FloatFn, typename IntFn>
static ReferenceTensor mapNumbers(const ReferenceTensor &x,
                                  const ReferenceTensor &y, FloatFn ofFloat,
                                  IntFn ofInt) {
  if (x.isFloat())
    return mapFloats(x, y, ofFloat);
  ReferenceTensor result(x.getType());
  for (auto [r, a, b] : llvm::zip_equal(result.ints(), x.ints(), y.ints()))
    r = wrapToWidth(ofInt(a, b), x.getWidth());
  return result;
}

//===----------------------------------------------------------------------===//
// Unary
//===----------------------------------------------------------------------===//

ReferenceTensor reference::neg(const ReferenceTensor &x) {
  return mapNumbers(
      x, [](double v) { return -v; }, [](uint64_t v) { return -v; });
}
ReferenceTensor reference::abs(const ReferenceTensor &x) {
  return mapNumbers(
      x, [](double v) { return std::fabs(v); },
      [](int64_t v) { return v < 0 ? -uint64_t(v) : uint64_t(v); });
}
ReferenceTensor reference::exp(const ReferenceTensor &x) {
  return mapFloats(x, [](double v) { return std::exp(v); });
}
ReferenceTensor reference::log(const ReferenceTensor &x) {
  return mapFloats(x, [](double v) { return std::log(v); });
}
ReferenceTensor reference::sqrt(const ReferenceTensor &x) {
  return mapFloats(x, [](double v) { return std::sqrt(v); });
}
ReferenceTensor reference::rsqrt(const ReferenceTensor &x) {
  return mapFloats(x, [](double v) { return 1 / std::sqrt(v); });
}
ReferenceTensor reference::tanh(const ReferenceTensor &x) {
  return mapFloats(x, [](double v) { return std::tanh(v); });
}
ReferenceTensor reference::erf(const ReferenceTensor &x) {
  return mapFloats(x, [](double v) { return std::erf(v); });
}
ReferenceTensor reference::logistic(const ReferenceTensor &x) {
  return mapFloats(x, [](double v) { return 1 / (1 + std::exp(-v)); });
}
ReferenceTensor reference::sin(const ReferenceTensor &x) {
  return mapFloats(x, [](double v) { return std::sin(v); });
}
ReferenceTensor reference::cos(const ReferenceTensor &x) {
  return mapFloats(x, [](double v) { return std::cos(v); });
}

//===----------------------------------------------------------------------===//
// Binary
//===----------------------------------------------------------------------===//

ReferenceTensor reference::add(const ReferenceTensor &x,
                               const ReferenceTensor &y) {
  return mapNumbers(
      x, y, [](double a, double b) { return a + b; },
      [](uint64_t a, uint64_t b) { return a + b; });
}
ReferenceTensor reference::sub(const ReferenceTensor &x,
                               const ReferenceTensor &y) {
  return mapNumbers(
      x, y, [](double a, double b) { return a - b; },
      [](uint64_t a, uint64_t b) { return a - b; });
}
ReferenceTensor reference::mul(const ReferenceTensor &x,
                               const ReferenceTensor &y) {
  return mapNumbers(
      x, y, [](double a, double b) { return a * b; },
      [](uint64_t a, uint64_t b) { return a * b; });
}

static int64_t divideInts(int64_t a, int64_t b) {
  if (b == 0)
    return -1;
  // The machine traps on the smallest integer divided by -1; wrapping the
  // negation gives the result for every width.
  return b == -1 ? int64_t(-uint64_t(a)) : a / b;
}
ReferenceTensor reference::div(const ReferenceTensor &x,
                               const ReferenceTensor &y) {
  return mapNumbers(x, y, [](double a, double b) { return a / b; }, divideInts);
}

// As IEEE 754's maximum and minimum: NaN wins, and -0 is below +0.
static double maxFloats(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<double>::quiet_NaN();
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
static double minFloats(double a, double b) { return -maxFloats(-a, -b); }

ReferenceTensor reference::max(const ReferenceTensor &x,
                               const ReferenceTensor &y) {
  return mapNumbers(x, y, maxFloats,
                    [](int64_t a, int64_t b) { return std::max(a, b); });
}
ReferenceTensor reference::min(const ReferenceTensor &x,
                               const ReferenceTensor &y) {
  return mapNumbers(x, y, minFloats,
                    [](int64_t a, int64_t b) { return std::min(a, b); });
}
ReferenceTensor reference::pow(const ReferenceTensor &x,
                               const ReferenceTensor &y) {
  return mapFloats(x, y, [](double a, double b) { return std::pow(a, b); });
}

//===----------------------------------------------------------------------===//
// Predicates, selection, conversion
//===----------------------------------------------------------------------===//

template <typename T> static bool holds(ComparePredicate predicate, T x, T y) {
  switch (predicate) {
  case ComparePredicate::eq:
    return x == y;
  case ComparePredicate::ne:
    return x != y;
  case ComparePredicate::lt:
    return x < y;
  case ComparePredicate::le:
    return x <= y;
  case ComparePredicate::gt:
    return x > y;
  case ComparePredicate::ge:
    return x >= y;
  }
  llvm_unreachable("unknown predicate");
}

ReferenceTensor reference::compare(ComparePredicate predicate,
                                   const ReferenceTensor &x,
                                   const ReferenceTensor &y) {
  Type i1 = IntegerType::get(x.getType().getContext(), 1);
  ReferenceTensor result(x.getType().clone(i1));
  dispatchByStorage(x, [&]<typename T>(T *) {
    for (auto [r, a, b] :
         llvm::zip_equal(result.ints(), x.elements<T>(), y.elements<T>()))
      r = holds(predicate, a, b);
  });
  return result;
}

ReferenceTensor reference::select(const ReferenceTensor &predicate,
                                  const ReferenceTensor &onTrue,
                                  const ReferenceTensor &onFalse) {
  ReferenceTensor result(onTrue.getType());
  dispatchByStorage(onTrue, [&]<typename T>(T *) {
    for (auto [r, p, a, b] :
         llvm::zip_equal(result.elements<T>(), predicate.ints(),
                         onTrue.elements<T>(), onFalse.elements<T>()))
      r = p ? a : b;
  });
  return result;
}

/// Toward zero, saturating at the bounds of `width` bits, NaN to 0.
static int64_t saturate(double value, unsigned width) {
  if (std::isnan(value))
    return 0;
  // The upper bound is 2^(width-1) - 1, which double cannot hold for 64 bits.
  double bound = std::ldexp(1.0, width - 1);
  if (value >= bound)
    return llvm::maxIntN(width);
  if (value < -bound)
    return llvm::minIntN(width);
  return static_cast<int64_t>(value);
}

/// Whether some value of `from` is not a value of `to`.
static bool isNarrowing(FloatType from, FloatType to) {
  const llvm::fltSemantics &a = from.getFloatSemantics();
  const llvm::fltSemantics &b = to.getFloatSemantics();
  return APFloat::semanticsPrecision(a) > APFloat::semanticsPrecision(b) ||
         APFloat::semanticsMaxExponent(a) > APFloat::semanticsMaxExponent(b);
}

ReferenceTensor reference::cast(const ReferenceTensor &x, RankedTensorType type,
                                bool round) {
  ReferenceTensor result(type);
  auto convert = [&](auto from, auto to, auto fn) {
    llvm::transform(from, to.begin(), fn);
    return result;
  };
  unsigned width = result.getWidth();
  if (!x.isFloat() && !result.isFloat())
    return convert(x.ints(), result.ints(), [&](int64_t v) {
      return width == 1 ? v != 0 : wrapToWidth(v, width);
    });
  if (!x.isFloat())
    return convert(x.ints(), result.floats(),
                   [](int64_t v) { return static_cast<double>(v); });
  if (!result.isFloat())
    return convert(x.floats(), result.ints(), [&](double v) {
      return width == 1 ? v != 0 : saturate(v, width);
    });
  auto to = mlir::cast<FloatType>(type.getElementType());
  bool rounds =
      round && isNarrowing(mlir::cast<FloatType>(x.getElementType()), to);
  return convert(x.floats(), result.floats(),
                 [&](double v) { return rounds ? roundToType(to, v) : v; });
}
