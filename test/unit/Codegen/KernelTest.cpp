//===- KernelTest.cpp - Compiled kernels against the interpreter ----------===//

#include "KernelHarness.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace graph;
using namespace graph::test;

namespace {
class KernelTest : public ::testing::Test {
protected:
  KernelTest() { registerAll(context); }

  /// Replaces every `N` standing alone by `size` and `T` by `type`.
  static std::string instantiate(StringRef pattern, int64_t size,
                                 StringRef type = "f32") {
    std::string result;
    for (char c : pattern) {
      if (c == '$')
        result += std::to_string(size);
      else if (c == '~')
        result += type.str();
      else
        result += c;
    }
    return result;
  }

  MLIRContext context;
};

constexpr int64_t kSizes[] = {0, 1, 3, 8, 17, 37, 64};
constexpr const char *kFloats[] = {"f64", "f32", "bf16", "f16"};
} // namespace

TEST_F(KernelTest, ChainInEveryFloatType) {
  StringRef source = R"(
    func.func @f(%x: tensor<$x~>, %y: tensor<$x~>) -> tensor<$x~> {
      %0 = graph.mul %x, %y : tensor<$x~>
      %1 = graph.exp %0 : tensor<$x~>
      %2 = graph.add %1, %x : tensor<$x~>
      return %2 : tensor<$x~>
    })";
  for (StringRef type : kFloats)
    for (int64_t size : kSizes)
      expectMatches(context, instantiate(source, size, type), Hero::Pointwise);
}

TEST_F(KernelTest, RankZero) {
  expectMatches(context, R"(
    func.func @f(%x: tensor<f32>) -> tensor<f32> {
      %0 = graph.tanh %x : tensor<f32>
      return %0 : tensor<f32>
    })",
                Hero::Pointwise);
}

TEST_F(KernelTest, IntegersAndBooleans) {
  for (StringRef type : {"i8", "i16", "i32", "i64"})
    expectMatches(context,
                  instantiate(R"(
      func.func @f(%x: tensor<21x~>, %y: tensor<21x~>, %p: tensor<21xi1>)
          -> (tensor<21x~>, tensor<21xi1>, tensor<21xbf16>) {
        %0 = graph.div %x, %y : tensor<21x~>
        %1 = graph.max %0, %y : tensor<21x~>
        %2 = graph.compare lt, %x, %y : tensor<21x~> to tensor<21xi1>
        %3 = graph.max %2, %p : tensor<21xi1>
        %4 = graph.select %3, %1, %x : tensor<21x~>
        %5 = graph.cast %4 : tensor<21x~> to tensor<21xbf16>
        return %4, %3, %5 : tensor<21x~>, tensor<21xi1>, tensor<21xbf16>
      })",
                              0, type),
                  Hero::Pointwise, 0, /*specialValues=*/true);
}

TEST_F(KernelTest, BroadcastOfRowsAndColumns) {
  for (int64_t size : kSizes)
    expectMatches(context,
                  instantiate(R"(
      func.func @f(%x: tensor<5x$xf32>, %r: tensor<5xf32>, %c: tensor<$xf32>)
          -> tensor<5x$xf32> {
        %0 = graph.broadcast %r dims = [0] : tensor<5xf32> to tensor<5x$xf32>
        %1 = graph.broadcast %c dims = [1] : tensor<$xf32> to tensor<5x$xf32>
        %2 = graph.add %x, %0 : tensor<5x$xf32>
        %3 = graph.mul %2, %1 : tensor<5x$xf32>
        return %3 : tensor<5x$xf32>
      })",
                              size),
                  Hero::Pointwise);
}

TEST_F(KernelTest, ReshapeSplitsAndJoins) {
  expectMatches(context, R"(
    func.func @f(%x: tensor<4x6xf32>, %y: tensor<2x3xf32>)
        -> tensor<8x3xf32> {
      %0 = graph.broadcast %y dims = [1, 2] : tensor<2x3xf32> to tensor<4x2x3xf32>
      %1 = graph.reshape %x : tensor<4x6xf32> to tensor<4x2x3xf32>
      %2 = graph.add %0, %1 : tensor<4x2x3xf32>
      %3 = graph.reshape %2 : tensor<4x2x3xf32> to tensor<8x3xf32>
      return %3 : tensor<8x3xf32>
    })",
                Hero::Pointwise);
}

TEST_F(KernelTest, SlicePadConcat) {
  expectMatches(context, R"(
    func.func @f(%x: tensor<3x20xf32>, %y: tensor<3x7xf32>)
        -> tensor<3x20xf32> {
      %0 = graph.slice %x starts = [0, 2] limits = [3, 20] strides = [1, 2]
          : tensor<3x20xf32> to tensor<3x9xf32>
      %1 = graph.concat %0, %y dim = 1
          : (tensor<3x9xf32>, tensor<3x7xf32>) -> tensor<3x16xf32>
      %2 = graph.pad %1 with 2.0 : f32 low = [0, 1] high = [0, 3] interior = [0, 0]
          : tensor<3x16xf32> to tensor<3x20xf32>
      %3 = graph.pad %y with 1.0 : f32 low = [0, 1] high = [0, 0] interior = [0, 2]
          : tensor<3x7xf32> to tensor<3x20xf32>
      %4 = graph.add %2, %3 : tensor<3x20xf32>
      return %4 : tensor<3x20xf32>
    })",
                Hero::Pointwise);
}

TEST_F(KernelTest, AlignedPadsAndConcats) {
  expectMatches(context, R"(
    func.func @f(%x: tensor<5x32xf32>, %y: tensor<5x32xf32>, %z: tensor<5x96xf32>)
        -> tensor<5x96xf32> {
      %0 = graph.pad %x with 0.0 : f32 low = [0, 32] high = [0, 32] interior = [0, 0]
          : tensor<5x32xf32> to tensor<5x96xf32>
      %1 = graph.concat %y, %x, %y dim = 1
          : (tensor<5x32xf32>, tensor<5x32xf32>, tensor<5x32xf32>) -> tensor<5x96xf32>
      %2 = graph.add %0, %1 : tensor<5x96xf32>
      %3 = graph.add %2, %z : tensor<5x96xf32>
      return %3 : tensor<5x96xf32>
    })",
                Hero::Pointwise);
}

TEST_F(KernelTest, IotaAndRandom) {
  for (StringRef type : {"f64", "f32", "bf16"})
    expectMatches(context,
                  instantiate(R"(
      func.func @f(%key: tensor<i64>)
          -> (tensor<3x19x~>, tensor<3x19x~>, tensor<3x19x~>) {
        %0 = graph.random_uniform %key : tensor<i64> to tensor<3x19x~>
        %1 = graph.random_normal %key : tensor<i64> to tensor<3x19x~>
        %2 = graph.iota dim = 1 : tensor<3x19x~>
        return %0, %1, %2 : tensor<3x19x~>, tensor<3x19x~>, tensor<3x19x~>
      })",
                              0, type),
                  Hero::Pointwise);
}

TEST_F(KernelTest, GatherFillAndClip) {
  for (StringRef mode : {"fill", "clip"})
    expectMatches(context,
                  instantiate(R"(
      func.func @f(%t: tensor<5x17xf32>, %i: tensor<2x4xi32>, %j: tensor<9xi64>,
                   %v: tensor<6xf32>) -> tensor<2x4x17xf32> {
        %0 = graph.gather ~ %t[%i] : tensor<5x17xf32>[tensor<2x4xi32>] to tensor<2x4x17xf32>
        return %0 : tensor<2x4x17xf32>
      })",
                              0, mode),
                  Hero::Pointwise, 0, /*specialValues=*/true);
}

TEST_F(KernelTest, GatherOfScalarsPerLane) {
  for (StringRef mode : {"fill", "clip"})
    expectMatches(context,
                  instantiate(R"(
      func.func @f(%t: tensor<5xf32>, %i: tensor<19xi64>) -> tensor<19xf32> {
        %0 = graph.gather ~ %t[%i] : tensor<5xf32>[tensor<19xi64>] to tensor<19xf32>
        return %0 : tensor<19xf32>
      })",
                              0, mode),
                  Hero::Pointwise, 0, /*specialValues=*/true);
}

TEST_F(KernelTest, TransposeWithBorders) {
  for (StringRef type : {"f32", "bf16", "i8"})
    for (int64_t size : {8, 16, 21, 100})
      expectMatches(context,
                    instantiate(R"(
        func.func @f(%x: tensor<2x$x19x~>, %y: tensor<2x19x$x~>)
            -> tensor<2x19x$x~> {
          %0 = graph.transpose %x perm = [0, 2, 1] : tensor<2x$x19x~> to tensor<2x19x$x~>
          %1 = graph.add %0, %y : tensor<2x19x$x~>
          return %1 : tensor<2x19x$x~>
        })",
                                size, type),
                    Hero::Transpose);
}

TEST_F(KernelTest, Softmax) {
  for (StringRef type : kFloats)
    for (int64_t size : {1, 8, 21, 64, 100})
      expectMatches(context,
                    instantiate(R"(
        func.func @f(%x: tensor<3x2x$x~>) -> tensor<3x2x$x~> {
          %0 = graph.softmax %x dim = 2 : tensor<3x2x$x~>
          return %0 : tensor<3x2x$x~>
        })",
                                size, type),
                    size == 1 ? Hero::ColumnReduction : Hero::RowReduction);
}

TEST_F(KernelTest, SoftmaxOfMiddleDimension) {
  expectMatches(context, R"(
    func.func @f(%x: tensor<3x5x37xf32>) -> tensor<3x5x37xf32> {
      %0 = graph.softmax %x dim = 1 : tensor<3x5x37xf32>
      return %0 : tensor<3x5x37xf32>
    })",
                Hero::ColumnReduction);
}

TEST_F(KernelTest, LayerNorm) {
  for (StringRef type : kFloats)
    expectMatches(context,
                  instantiate(R"(
      func.func @f(%x: tensor<7x45x~>, %s: tensor<45x~>, %b: tensor<45x~>)
          -> tensor<7x45x~> {
        %0 = graph.layer_norm %x, %s, %b epsilon = 1.0e-5 : tensor<7x45x~>, tensor<45x~>
        return %0 : tensor<7x45x~>
      })",
                              0, type),
                  Hero::RowReduction);
}

TEST_F(KernelTest, CrossEntropy) {
  expectMatches(context, R"(
    func.func @f(%x: tensor<9x33xf32>, %t: tensor<9xi32>) -> tensor<9xf32> {
      %0 = graph.cross_entropy %x, %t : tensor<9x33xf32>, tensor<9xi32> to tensor<9xf32>
      return %0 : tensor<9xf32>
    })",
                Hero::RowReduction);
}

TEST_F(KernelTest, ReductionsOfEveryKindAndType) {
  for (StringRef type : {"f64", "f32", "bf16", "i32", "i64", "i8"})
    for (int64_t size : {0, 1, 5, 40})
      for (StringRef kind : {"sum", "prod", "max", "min"}) {
        std::string source = instantiate(R"(
          func.func @f(%x: tensor<6x$x~>) -> tensor<6x~> {
            %0 = graph.reduce KIND, %x dims = [1] : tensor<6x$x~> to tensor<6x~>
            return %0 : tensor<6x~>
          })",
                                         size, type);
        source.replace(source.find("KIND"), 4, kind.str());
        SCOPED_TRACE(source);
        auto kernel = CompiledKernel::create(context, source);
        ASSERT_TRUE(kernel);
        expectMatches(context, source, kernel->getPlan().hero, 64,
                      /*specialValues=*/kind == "max" || kind == "min");
      }
}

TEST_F(KernelTest, ColumnReductionsWithSiblings) {
  for (int64_t size : {1, 7, 8, 100, 131})
    expectMatches(context,
                  instantiate(R"(
      func.func @f(%x: tensor<4x9x$xf32>, %y: tensor<4x9x$xf32>)
          -> (tensor<$xf32>, tensor<$xf32>) {
        %0 = graph.mul %x, %y : tensor<4x9x$xf32>
        %1 = graph.reduce sum, %0 dims = [0, 1] : tensor<4x9x$xf32> to tensor<$xf32>
        %2 = graph.reduce sum, %x dims = [0, 1] : tensor<4x9x$xf32> to tensor<$xf32>
        return %1, %2 : tensor<$xf32>, tensor<$xf32>
      })",
                              size),
                  size == 1 ? Hero::RowReduction : Hero::ColumnReduction);
}

TEST_F(KernelTest, ReductionOfEverything) {
  expectMatches(context, R"(
    func.func @f(%x: tensor<13x29xf32>) -> tensor<f32> {
      %0 = graph.mul %x, %x : tensor<13x29xf32>
      %1 = graph.reduce sum, %0 dims = [0, 1] : tensor<13x29xf32> to tensor<f32>
      %2 = graph.sqrt %1 : tensor<f32>
      return %2 : tensor<f32>
    })",
                Hero::RowReduction);
}

TEST_F(KernelTest, ReductionOfATransposedOperand) {
  expectMatches(context, R"(
    func.func @f(%x: tensor<12x40xf32>) -> tensor<40xf32> {
      %0 = graph.transpose %x perm = [1, 0] : tensor<12x40xf32> to tensor<40x12xf32>
      %1 = graph.reduce sum, %0 dims = [1] : tensor<40x12xf32> to tensor<40xf32>
      return %1 : tensor<40xf32>
    })",
                Hero::ColumnReduction);
}

TEST_F(KernelTest, ScatterAdd) {
  for (StringRef mode : {"fill", "clip"})
    for (int64_t size : {1, 5, 64, 150})
      expectMatches(context,
                    instantiate(R"(
        func.func @f(%t: tensor<5x$xf32>, %i: tensor<3x4xi32>, %u: tensor<3x4x$xf32>)
            -> tensor<5x$xf32> {
          %0 = graph.mul %u, %u : tensor<3x4x$xf32>
          %1 = graph.scatter_add ~ %t[%i], %0
              : tensor<5x$xf32>[tensor<3x4xi32>], tensor<3x4x$xf32> to tensor<5x$xf32>
          return %1 : tensor<5x$xf32>
        })",
                                size, mode),
                    Hero::Scatter);
}

TEST_F(KernelTest, SpecialValuesInElementwiseOperations) {
  for (StringRef op :
       {"exp", "log", "tanh", "erf", "sqrt", "rsqrt", "logistic", "abs", "neg"})
    for (StringRef type : kFloats)
      expectMatches(context,
                    instantiate(R"(
        func.func @f(%x: tensor<$x)",
                                100) +
                        type.str() + ">) -> tensor<100x" + type.str() +
                        "> {\n %0 = graph." + op.str() + " %x : tensor<100x" +
                        type.str() + ">\n return %0 : tensor<100x" +
                        type.str() + ">\n}",
                    Hero::Pointwise, 4, /*specialValues=*/true);
  for (StringRef op : {"pow", "max", "min", "div"})
    for (StringRef type : kFloats)
      expectMatches(context,
                    "func.func @f(%x: tensor<200x" + type.str() +
                        ">, %y: tensor<200x" + type.str() +
                        ">) -> tensor<200x" + type.str() + "> {\n %0 = graph." +
                        op.str() + " %x, %y : tensor<200x" + type.str() +
                        ">\n return %0 : tensor<200x" + type.str() + ">\n}",
                    Hero::Pointwise, 4, /*specialValues=*/true);
}
