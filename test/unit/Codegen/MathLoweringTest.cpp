//===- MathLoweringTest.cpp - Accuracy of the polynomial functions --------===//

#include "KernelHarness.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace graph;
using namespace graph::test;

namespace {
template <typename T> struct TypeInfo;
template <> struct TypeInfo<float> {
  static constexpr const char *name = "f32";
  using Exact = double;
  using Bits = uint32_t;
};
template <> struct TypeInfo<double> {
  static constexpr const char *name = "f64";
  using Exact = long double;
  using Bits = uint64_t;
};

/// The distance of `x` from the exact value `y` in units in the last place.
template <typename T> double getUlps(T x, typename TypeInfo<T>::Exact y) {
  using Limits = std::numeric_limits<T>;
  T rounded = static_cast<T>(y);
  if (x == rounded || (std::isnan(x) && std::isnan(rounded)))
    return 0;
  if (!std::isfinite(x) || !std::isfinite(rounded))
    return std::numeric_limits<double>::infinity();
  T magnitude = std::max(std::abs(rounded), Limits::min());
  T ulp = std::ldexp(T(1), std::ilogb(magnitude) - (Limits::digits - 1));
  return std::abs(x - y) / ulp;
}

class MathLoweringTest : public ::testing::Test {
protected:
  MathLoweringTest() { registerAll(context); }

  static constexpr int64_t kCount = 1 << 16;

  /// Runs `op` with the given operands.
  template <typename T>
  std::vector<T> compute(StringRef op, std::vector<std::vector<T>> operands) {
    std::string type =
        "tensor<" + std::to_string(kCount) + "x" + TypeInfo<T>::name + ">";
    std::string arguments, uses;
    std::vector<void *> buffers;
    for (size_t i = 0; i < operands.size(); ++i) {
      std::string name = "%x" + std::to_string(i);
      arguments += (i ? ", " : "") + name + ": " + type;
      uses += (i ? ", " : "") + name;
      buffers.push_back(operands[i].data());
    }
    auto kernel = CompiledKernel::create(
        context, "func.func @f(" + arguments + ") -> " + type +
                     " {\n %0 = graph." + op.str() + " " + uses + " : " + type +
                     "\n return %0 : " + type + "\n}");
    std::vector<T> results(kCount);
    buffers.push_back(results.data());
    if (kernel)
      kernel->run(buffers);
    else
      ADD_FAILURE() << "no kernel";
    return results;
  }

  /// Compares `op` on evenly spaced numbers between the two.
  template <typename T>
  void expectAccurate(
      StringRef op,
      typename TypeInfo<T>::Exact (*exact)(typename TypeInfo<T>::Exact), T low,
      T high, double tolerance) {
    std::vector<T> x(kCount);
    for (int64_t i = 0; i < kCount; ++i)
      x[i] = low + (high - low) * (static_cast<T>(i) / (kCount - 1));
    // Small magnitudes of both signs, denormal ones included.
    using Bits = typename TypeInfo<T>::Bits;
    for (int64_t i = 0; i < kCount; i += 4) {
      Bits bits = static_cast<Bits>(i) << (sizeof(T) * 8 - 18);
      T small;
      std::memcpy(&small, &bits, sizeof(bits));
      if (small >= low && small <= high)
        x[i] = small;
    }
    std::vector<T> y = compute<T>(op, {x});
    double worst = 0;
    T where = 0;
    for (int64_t i = 0; i < kCount; ++i)
      if (double ulps = getUlps(y[i], exact(x[i])); ulps > worst) {
        worst = ulps;
        where = x[i];
      }
    EXPECT_LE(worst, tolerance) << op.str() << " at " << where;
    RecordProperty(("ulps_" + op).str(), std::to_string(worst));
  }

  MLIRContext context;
};
} // namespace

TEST_F(MathLoweringTest, Exp) {
  expectAccurate<float>("exp", std::exp, -110, 90, 2);
  expectAccurate<double>("exp", std::exp, -760, 715, 1);
}
TEST_F(MathLoweringTest, Log) {
  expectAccurate<float>("log", std::log, 0, 10, 2);
  expectAccurate<float>("log", std::log, 0, 3e38f, 2);
  expectAccurate<double>("log", std::log, 0, 10, 1);
  expectAccurate<double>("log", std::log, 0, 1e308, 1);
}
TEST_F(MathLoweringTest, Tanh) {
  expectAccurate<float>("tanh", std::tanh, -10, 10, 2);
  expectAccurate<double>("tanh", std::tanh, -25, 25, 3);
}
TEST_F(MathLoweringTest, Erf) {
  expectAccurate<float>("erf", std::erf, -5, 5, 2);
  expectAccurate<double>("erf", std::erf, -7, 7, 3);
}
TEST_F(MathLoweringTest, SinCos) {
  // Near the zeros far out the f64 reduction still has enough bits.
  expectAccurate<float>("sin", std::sin, -1e5f, 1e5f, 2);
  expectAccurate<float>("cos", std::cos, -1e5f, 1e5f, 2);
  expectAccurate<float>("sin", std::sin, -4, 4, 2);
  expectAccurate<double>("sin", std::sin, -1e9, 1e9, 1);
  expectAccurate<double>("cos", std::cos, -1e9, 1e9, 1);
  expectAccurate<double>("cos", std::cos, -4, 4, 1);
}

TEST_F(MathLoweringTest, PowIsAccurate) {
  std::vector<double> x(kCount), y(kCount);
  for (int64_t i = 0; i < kCount; ++i) {
    x[i] = std::ldexp(1.0 + double(i) / kCount, (i % 401) - 200);
    y[i] = (i * 7919 % kCount - kCount / 2) * (400.0 / kCount) /
           std::max(1.0, std::abs(std::log2(x[i])) / 4);
  }
  std::vector<double> z = compute<double>("pow", {x, y});
  double worst = 0;
  for (int64_t i = 0; i < kCount; ++i)
    worst = std::max(worst, getUlps(z[i], std::pow((long double)x[i], y[i])));
  EXPECT_LE(worst, 1);
}

TEST_F(MathLoweringTest, PowHasTheExceptionalCasesOfC) {
  double inf = std::numeric_limits<double>::infinity();
  double special[] = {0.0,  -0.0, 1.0,  -1.0,        2.0,     -2.0,
                      3.0,  0.5,  -0.5, 1e300,       -1e-300, 5e-324,
                      1e17, inf,  -inf, std::nan("")};
  std::vector<double> x(kCount), y(kCount);
  for (int64_t i = 0; i < kCount; ++i) {
    x[i] = special[i % 16];
    y[i] = special[i / 16 % 16];
  }
  std::vector<double> z = compute<double>("pow", {x, y});
  for (int64_t i = 0; i < 256; ++i)
    EXPECT_LE(getUlps(z[i], std::pow((long double)x[i], y[i])), 1)
        << x[i] << " to the power " << y[i] << " is " << z[i];
}
