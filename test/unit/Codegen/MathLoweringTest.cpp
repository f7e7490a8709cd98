//===- MathLoweringTest.cpp - Accuracy of the polynomial functions --------===//

#include "KernelHarness.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace graph;
using namespace graph::test;

namespace {
/// The distance of `x` from the exact value `y` in units in the last place.
double getUlps(float x, double y) {
  float rounded = static_cast<float>(y);
  if (x == rounded || (std::isnan(x) && std::isnan(rounded)))
    return 0;
  if (!std::isfinite(x) || !std::isfinite(rounded))
    return std::numeric_limits<double>::infinity();
  double magnitude = std::max<double>(std::abs(rounded), 0x1p-126);
  double ulp = std::ldexp(1.0, std::ilogb(magnitude) - 23);
  return std::abs(x - y) / ulp;
}

class MathLoweringTest : public ::testing::Test {
protected:
  MathLoweringTest() { registerAll(context); }

  /// Compares `op` on every `stride`-th number between the two.
  void expectAccurate(StringRef op, double (*exact)(double), float low,
                      float high, double tolerance) {
    constexpr int64_t kCount = 1 << 16;
    std::string type = "tensor<" + std::to_string(kCount) + "xf32>";
    auto kernel = CompiledKernel::create(
        context, "func.func @f(%x: " + type + ") -> " + type +
                     " {\n %0 = graph." + op.str() + " %x : " + type +
                     "\n return %0 : " + type + "\n}");
    ASSERT_TRUE(kernel);
    std::vector<float> x(kCount), y(kCount);
    for (int64_t i = 0; i < kCount; ++i)
      x[i] = low + (high - low) * (static_cast<double>(i) / (kCount - 1));
    // Small magnitudes of both signs, denormal ones included.
    for (int64_t i = 0; i < kCount; i += 4) {
      uint32_t bits = static_cast<uint32_t>(i) << 14;
      float small;
      std::memcpy(&small, &bits, sizeof(bits));
      if (small >= low && small <= high)
        x[i] = small;
    }
    kernel->run({x.data(), y.data()});
    double worst = 0;
    float where = 0;
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

TEST_F(MathLoweringTest, Exp) { expectAccurate("exp", std::exp, -110, 90, 2); }
TEST_F(MathLoweringTest, Log) {
  expectAccurate("log", std::log, 0, 10, 2);
  expectAccurate("log", std::log, 0, 3e38f, 2);
}
TEST_F(MathLoweringTest, Tanh) {
  expectAccurate("tanh", std::tanh, -10, 10, 2);
}
TEST_F(MathLoweringTest, Erf) { expectAccurate("erf", std::erf, -5, 5, 2); }
TEST_F(MathLoweringTest, SinCos) {
  // Near the zeros far out the f64 reduction still has enough bits.
  expectAccurate("sin", std::sin, -1e5f, 1e5f, 2);
  expectAccurate("cos", std::cos, -1e5f, 1e5f, 2);
  expectAccurate("sin", std::sin, -4, 4, 2);
}
