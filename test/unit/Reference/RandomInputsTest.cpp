//===- RandomInputsTest.cpp - Reproducible inputs -------------------------===//

#include "graph/Reference/RandomInputs.h"

#include "mlir/IR/Builders.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;
using namespace graph;

namespace {
struct RandomInputsTest : testing::Test {
  ReferenceTensor get(Type element, int64_t size, StringRef name,
                      const RandomInputOptions &options) {
    return getRandomInput(RankedTensorType::get({size}, element), name,
                          options);
  }

  MLIRContext context;
  Builder builder{&context};
};
} // namespace

TEST_F(RandomInputsTest, DependOnSeedAndName) {
  auto floats = [&](StringRef name, uint64_t seed) {
    return get(builder.getF32Type(), 4, name, {.seed = seed}).floats().vec();
  };
  EXPECT_EQ(floats("x", 1), floats("x", 1));
  EXPECT_NE(floats("x", 1), floats("y", 1));
  EXPECT_NE(floats("x", 1), floats("x", 2));
}

TEST_F(RandomInputsTest, FloatsAreNormalValuesOfTheirType) {
  ReferenceTensor x = get(builder.getBF16Type(), 10000, "x", {});
  double sum = 0, squares = 0;
  for (double value : x.floats()) {
    EXPECT_EQ(value, roundToType(builder.getBF16Type(), value));
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / 10000, 0, 0.03);
  EXPECT_NEAR(squares / 10000, 1, 0.05);
}

TEST_F(RandomInputsTest, IntegersCoverTheirRange) {
  ReferenceTensor x =
      get(builder.getIntegerType(32), 1000, "x", {.intLow = -2, .intHigh = 3});
  auto [low, high] = std::minmax_element(x.ints().begin(), x.ints().end());
  EXPECT_EQ(*low, -2);
  EXPECT_EQ(*high, 2);
}

TEST_F(RandomInputsTest, IntegersStayWithinTheirWidth) {
  ReferenceTensor x = get(builder.getIntegerType(8), 1000, "x",
                          {.intLow = -1000, .intHigh = 1000});
  auto [low, high] = std::minmax_element(x.ints().begin(), x.ints().end());
  EXPECT_GE(*low, -128);
  EXPECT_LE(*high, 127);
}

TEST_F(RandomInputsTest, SpecialValuesAppearOnlyOnRequest) {
  auto count = [&](bool specialValues) {
    return llvm::count_if(
        get(builder.getF32Type(), 1000, "x", {.specialValues = specialValues})
            .floats(),
        [](double value) { return std::isnan(value); });
  };
  EXPECT_EQ(count(false), 0);
  EXPECT_GT(count(true), 5);
}
