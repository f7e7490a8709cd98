//===- AttentionKernelTest.cpp - Attention kernels and the interpreter ----===//

#include "KernelHarness.h"
#include "graph/Reference/RandomInputs.h"

#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace graph;
using namespace graph::test;

namespace {
struct AttentionCase {
  int64_t batch, numQueries, numKeys, headSize, valueSize;
  const char *element = "f32";
  bool causal = false;
  /// The trailing dimensions of [batch, S, T] that the mask has; none if
  /// negative.
  int maskRank = -1;
};

class AttentionKernelTest : public ::testing::Test {
protected:
  AttentionKernelTest() { registerAll(context); }

  static std::string getSource(const AttentionCase &c, bool isGrad) {
    auto type = [&](int64_t rows, int64_t columns) {
      return llvm::formatv("tensor<{0}x{1}x{2}x{3}>", c.batch, rows, columns,
                           c.element)
          .str();
    };
    std::string q = type(c.numQueries, c.headSize);
    std::string k = type(c.numKeys, c.headSize);
    std::string v = type(c.numKeys, c.valueSize);
    std::string y = type(c.numQueries, c.valueSize);
    std::string lse =
        llvm::formatv("tensor<{0}x{1}xf32>", c.batch, c.numQueries);
    std::string mask = "tensor<";
    int64_t scores[] = {c.batch, c.numQueries, c.numKeys};
    for (int i = 3 - c.maskRank; c.maskRank >= 0 && i < 3; ++i)
      mask += std::to_string(scores[i]) + "x";
    mask += "i1>";
    std::string keyword = c.causal ? "causal " : "";
    std::string maskUse, maskArgument;
    if (c.maskRank >= 0) {
      maskUse = " mask %m : " + mask;
      maskArgument = ", %m: " + mask;
    }
    std::string types =
        llvm::formatv("scale = 0.3 : ({0}, {1}, {2}) to {3}", q, k, v, y);
    if (isGrad)
      return llvm::formatv(R"(
func.func @f(%q: {0}, %k: {1}, %v: {2}, %y: {3}, %l: {4}, %g: {3}{5}) -> ({0}, {1}, {2}) {{
  %0:3 = graph.attention_grad {6}%q, %k, %v result %y log_sum_exp %l cotangent %g{7} {8}
  return %0#0, %0#1, %0#2 : {0}, {1}, {2}
})",
                           q, k, v, y, lse, maskArgument, keyword, maskUse,
                           types);
    return llvm::formatv(R"(
func.func @f(%q: {0}, %k: {1}, %v: {2}{3}) -> ({4}, {5}) {{
  %y, %l = graph.attention {6}%q, %k, %v{7} {8}
  return %y, %l : {4}, {5}
})",
                         q, k, v, maskArgument, y, lse, keyword, maskUse,
                         types);
  }

  void check(const AttentionCase &c) {
    auto forward = compile(c, /*isGrad=*/false);
    auto grad = compile(c, /*isGrad=*/true);
    ASSERT_TRUE(forward && grad);
    RandomInputOptions options;
    options.seed = 1;
    auto inputs = getRandomInputs(forward->getFunction(), options);
    auto results = forward->interpret(inputs);
    expectNear(c, forward->run(inputs), results);

    // What the derivative reads of attention must be of the same inputs.
    auto gradInputs = getRandomInputs(grad->getFunction(), options);
    llvm::copy(llvm::ArrayRef(inputs).take_front(3), gradInputs.begin());
    llvm::copy(results, gradInputs.begin() + 3);
    llvm::copy(llvm::ArrayRef(inputs).drop_front(3), gradInputs.begin() + 6);
    expectNear(c, grad->run(gradInputs), grad->interpret(gradInputs));
  }

  std::unique_ptr<CompiledKernel> compile(const AttentionCase &c, bool isGrad) {
    auto kernel = CompiledKernel::create(context, getSource(c, isGrad));
    if (kernel)
      EXPECT_EQ(kernel->getPlan().hero, Hero::Attention);
    return kernel;
  }

  static void expectNear(const AttentionCase &c,
                         const std::vector<ReferenceTensor> &found,
                         const std::vector<ReferenceTensor> &expected) {
    ASSERT_EQ(found.size(), expected.size());
    double tolerance = StringRef(c.element) == "f32" ? 512 : 4;
    for (auto [number, pair] : llvm::enumerate(llvm::zip(found, expected)))
      EXPECT_LE(getError(std::get<0>(pair), std::get<1>(pair)), tolerance)
          << "result " << number << " of " << c.batch << " x " << c.numQueries
          << " queries, " << c.numKeys << " keys, heads of " << c.headSize
          << " and " << c.valueSize << ' ' << c.element;
  }

  MLIRContext context;
};
} // namespace

TEST_F(AttentionKernelTest, Sizes) {
  check({2, 5, 5, 8, 8});
  check({1, 70, 70, 16, 16});
  check({1, 64, 64, 64, 64});
  check({1, 65, 129, 17, 31});
  check({1, 33, 7, 256, 1});
  check({1, 3, 150, 1, 256});
}

TEST_F(AttentionKernelTest, Causal) {
  check({2, 70, 70, 8, 8, "f32", true});
  check({1, 5, 140, 8, 8, "f32", true});
  // Queries without a key come first.
  check({1, 140, 5, 8, 8, "f32", true});
}

TEST_F(AttentionKernelTest, Masks) {
  for (int rank = 0; rank <= 3; ++rank)
    check({2, 19, 67, 8, 12, "f32", rank % 2 == 0, rank});
}

TEST_F(AttentionKernelTest, NarrowTypes) {
  for (const char *element : {"bf16", "f16"}) {
    check({2, 40, 40, 24, 24, element, true});
    check({1, 17, 66, 64, 5, element, false, 2});
  }
}

TEST_F(AttentionKernelTest, Empty) {
  check({0, 5, 5, 8, 8});
  check({2, 0, 5, 8, 8});
  check({2, 5, 0, 8, 8});
}

TEST_F(AttentionKernelTest, RandomShapes) {
  std::mt19937_64 random(7);
  auto pick = [&](int64_t from, int64_t to) {
    return std::uniform_int_distribution<int64_t>(from, to)(random);
  };
  const char *elements[] = {"f32", "f32", "bf16", "f16"};
  for (int i = 0; i < 8; ++i)
    check({pick(1, 3), pick(1, 100), pick(1, 100), pick(1, 80), pick(1, 80),
           elements[pick(0, 3)], pick(0, 1) == 1,
           static_cast<int>(pick(-1, 3))});
}

// A mask of -inf, an infinite and a NaN score: what the formula gives.
TEST_F(AttentionKernelTest, ScoresThatAreNotFinite) {
  auto kernel = CompiledKernel::create(
      context, getSource({1, 4, 20, 1, 1}, /*isGrad=*/false));
  ASSERT_TRUE(kernel);
  const double infinity = std::numeric_limits<double>::infinity();
  auto makeTensor = [&](int64_t rows, double value) {
    ReferenceTensor tensor(
        RankedTensorType::get({1, rows, 1}, Float32Type::get(&context)));
    for (double &x : tensor.floats())
      x = value;
    return tensor;
  };
  ReferenceTensor query = makeTensor(4, 1), key = makeTensor(20, 1);
  query.floats()[1] = std::numeric_limits<double>::quiet_NaN();
  query.floats()[2] = infinity;
  query.floats()[3] = -infinity;
  std::vector<ReferenceTensor> inputs = {query, key, makeTensor(20, 3)};
  auto found = kernel->run(inputs), expected = kernel->interpret(inputs);
  for (auto [x, y] : llvm::zip_equal(found, expected))
    EXPECT_LE(getError(x, y), 16);
  EXPECT_EQ(found[0].floats()[0], 3);
  EXPECT_TRUE(std::isnan(found[0].floats()[1]));
  EXPECT_TRUE(std::isnan(found[0].floats()[2]));
  EXPECT_EQ(found[0].floats()[3], 0);
  EXPECT_EQ(found[1].floats()[3], -infinity);
}
