//===- IterationSpaceTest.cpp - Iteration spaces of all operations --------===//

#include "graph/Dialect/Graph/IR/GraphOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace graph;

namespace {

using Sizes = SmallVector<int64_t>;

TEST(CommonRefinement, CutsBothSides) {
  EXPECT_EQ(*getCommonRefinement({2, 12}, {2, 3, 4}), Sizes({2, 3, 4}));
  EXPECT_EQ(*getCommonRefinement({6, 4}, {2, 12}), Sizes({2, 3, 4}));
  EXPECT_EQ(*getCommonRefinement({5}, {5}), Sizes({5}));
}

TEST(CommonRefinement, OnesBelongToNoFactor) {
  EXPECT_EQ(*getCommonRefinement({1, 6, 1}, {6}), Sizes({6}));
  EXPECT_EQ(*getCommonRefinement({2, 3}, {1, 2, 1, 3, 1}), Sizes({2, 3}));
  EXPECT_EQ(*getCommonRefinement({1, 1}, {}), Sizes());
  EXPECT_EQ(*getCommonRefinement({}, {}), Sizes());
}

TEST(CommonRefinement, FailsWhereThereIsNone) {
  EXPECT_TRUE(failed(getCommonRefinement({2, 3}, {3, 2})));
  EXPECT_TRUE(failed(getCommonRefinement({6, 4}, {4, 6})));
  // Nothing can be said of an empty tensor.
  EXPECT_TRUE(failed(getCommonRefinement({0, 4}, {0, 2})));
  EXPECT_TRUE(failed(getCommonRefinement({4, 0}, {0})));
}

class IterationSpaceTest : public ::testing::Test {
protected:
  IterationSpaceTest() {
    context.loadDialect<GraphDialect, func::FuncDialect>();
  }

  /// Parses the body of a function and verifies every space in it.
  void verifySpaces(const std::string &arguments, const std::string &body) {
    std::string text =
        "func.func @f(" + arguments + ") {\n" + body + "\nreturn }";
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(text, ParserConfig(&context));
    ASSERT_TRUE(module) << text;
    module->walk([&](IterationSpaceOpInterface op) {
      EXPECT_TRUE(succeeded(op.getIterationSpace().verify(op))) << body;
      seen.insert(op->getName().getStringRef());
    });
  }

  /// The space of the only operation in `body`.
  IterationSpace getSpace(const std::string &arguments,
                          const std::string &body) {
    std::string text =
        "func.func @f(" + arguments + ") {\n" + body + "\nreturn }";
    module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
    IterationSpace space;
    module->walk([&](IterationSpaceOpInterface op) {
      operation = op;
      space = op.getIterationSpace();
    });
    return space;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  Operation *operation = nullptr;
  llvm::StringSet<> seen;
};

TEST_F(IterationSpaceTest, EveryOperationInManyShapes) {
  for (const char *shape : {"", "0x", "1x", "3x", "2x0x1x", "2x3x4x", "1x1x"}) {
    std::string f = llvm::formatv("tensor<{0}f32>", shape);
    std::string p = llvm::formatv("tensor<{0}i1>", shape);
    std::string i = llvm::formatv("tensor<{0}i32>", shape);
    std::string arguments = llvm::formatv(
        "%x: {0}, %p: {1}, %i: {2}, %key: tensor<i64>, %s: tensor<f32>, "
        "%t: tensor<5x2xf32>, %u: tensor<{3}2xf32>, %l: tensor<{3}7xf32>, "
        "%w: tensor<7xf32>",
        f, p, i, shape);
    std::string body;
    for (const char *op : {"neg", "abs", "exp", "log", "sqrt", "rsqrt", "tanh",
                           "erf", "logistic", "sin", "cos", "relu", "silu"})
      body += llvm::formatv("graph.{0} %x : {1}\n", op, f);
    for (const char *op : {"add", "sub", "mul", "div", "max", "min", "pow"})
      body += llvm::formatv("graph.{0} %x, %x : {1}\n", op, f);
    body += llvm::formatv(R"(
      graph.gelu erf, %x : {0}
      graph.compare lt, %x, %x : {0} to {1}
      graph.select %p, %x, %x : {0}
      graph.cast %x : {0} to {2}
      graph.constant dense<1.0> : {0}
      graph.random_uniform %key : tensor<i64> to {0}
      graph.random_normal %key : tensor<i64> to {0}
      graph.broadcast %s dims = [] : tensor<f32> to {0}
      graph.reshape %x : {0} to {0}
      graph.reduce sum, %x dims = [] : {0} to {0}
      graph.gather fill %t[%i] : tensor<5x2xf32>[{2}] to tensor<{3}2xf32>
      graph.scatter_add fill %t[%i], %u
        : tensor<5x2xf32>[{2}], tensor<{3}2xf32> to tensor<5x2xf32>
      graph.cross_entropy %l, %i : tensor<{3}7xf32>, {2} to {0}
      graph.layer_norm %l, %w, %w epsilon = 1.0e-5
        : tensor<{3}7xf32>, tensor<7xf32>
      graph.softmax %l dim = 0 : tensor<{3}7xf32>
      graph.log_softmax %l dim = 0 : tensor<{3}7xf32>
      graph.iota dim = 0 : tensor<{3}7xf32>
    )",
                          f, p, i, shape);
    verifySpaces(arguments, body);
  }

  verifySpaces("%x: tensor<2x1x0xf32>", R"(
    graph.transpose %x perm = [2, 0, 1] : tensor<2x1x0xf32> to tensor<0x2x1xf32>
    graph.concat %x, %x dim = 2
      : (tensor<2x1x0xf32>, tensor<2x1x0xf32>) -> tensor<2x1x0xf32>
    graph.pad %x with 0.0 : f32 low = [0, 1, 2] high = [0, 0, 1]
      interior = [0, 0, 3] : tensor<2x1x0xf32> to tensor<2x2x3xf32>
    graph.reduce max, %x dims = [0, 2] : tensor<2x1x0xf32> to tensor<1xf32>
    graph.broadcast %x dims = [1, 2, 3]
      : tensor<2x1x0xf32> to tensor<4x2x1x0xf32>
    graph.reshape %x : tensor<2x1x0xf32> to tensor<0x7xf32>
  )");
  verifySpaces("%x: tensor<8x3xf32>, %y: tensor<2x3xf32>", R"(
    graph.slice %x starts = [1, 0] limits = [8, 3] strides = [3, 1]
      : tensor<8x3xf32> to tensor<3x3xf32>
    graph.slice %x starts = [4, 0] limits = [4, 0] strides = [1, 1]
      : tensor<8x3xf32> to tensor<0x0xf32>
    graph.concat %x, %y dim = 0
      : (tensor<8x3xf32>, tensor<2x3xf32>) -> tensor<10x3xf32>
    graph.dot %x, %y batch = [] x [] contract = [1] x [1]
      : (tensor<8x3xf32>, tensor<2x3xf32>) to tensor<8x2xf32>
    graph.dot %x, %y batch = [1] x [1] contract = [] x []
      : (tensor<8x3xf32>, tensor<2x3xf32>) to tensor<3x8x2xf32>
    graph.reshape %x : tensor<8x3xf32> to tensor<3x8xf32>
    graph.reshape %x : tensor<8x3xf32> to tensor<2x1x4x3xf32>
    graph.reshape %x : tensor<8x3xf32> to tensor<4x6xf32>
  )");
  verifySpaces("%q: tensor<2x3x4xf32>, %k: tensor<2x5x4xf32>, "
               "%v: tensor<2x5x6xf32>, %m: tensor<5xi1>, %n: tensor<2x3x5xi1>, "
               "%y: tensor<2x3x6xf32>, %e: tensor<2x3xf32>",
               R"(
    graph.attention causal %q, %k, %v scale = 1.0
      : (tensor<2x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x6xf32>)
        to tensor<2x3x6xf32>
    graph.attention %q, %k, %v mask %m : tensor<5xi1> scale = 1.0
      : (tensor<2x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x6xf32>)
        to tensor<2x3x6xf32>
    graph.attention %q, %k, %v mask %n : tensor<2x3x5xi1> scale = 1.0
      : (tensor<2x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x6xf32>)
        to tensor<2x3x6xf32>
    graph.attention_grad %q, %k, %v result %y log_sum_exp %e cotangent %y
      mask %m : tensor<5xi1> scale = 1.0
      : (tensor<2x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x6xf32>)
        to tensor<2x3x6xf32>
  )");

  for (RegisteredOperationName name : context.getRegisteredOperations())
    if (name.hasInterface<IterationSpaceOpInterface>())
      EXPECT_TRUE(seen.contains(name.getStringRef()))
          << name.getStringRef().str() << " is not in this test";
}

TEST_F(IterationSpaceTest, ReshapeSharesTheFactorsThatItCan) {
  // The rows are a factor of both sides, the rest is rearranged.
  IterationSpace space =
      getSpace("%x: tensor<5x2x3xf32>",
               "graph.reshape %x : tensor<5x2x3xf32> to tensor<5x3x2xf32>");
  EXPECT_EQ(space.getNumPoints(), 30);
  EXPECT_EQ(space.operands[0][0].factors, space.results[0][0].factors);
  EXPECT_EQ(space.factors[0].kind, FactorKind::Parallel);
  EXPECT_TRUE(space.operands[0][1].factors.empty());
  EXPECT_EQ(space.factors[space.results[0][1].factors[0]].kind,
            FactorKind::Whole);
}

TEST_F(IterationSpaceTest, ReshapeSplitsADimension) {
  IterationSpace space =
      getSpace("%x: tensor<5x6xf32>",
               "graph.reshape %x : tensor<5x6xf32> to tensor<5x1x2x3xf32>");
  EXPECT_EQ(space.getNumPoints(), 30);
  ASSERT_EQ(space.operands[0][1].factors.size(), 2u);
  EXPECT_EQ(space.operands[0][1].factors[0], space.results[0][2].factors[0]);
  EXPECT_EQ(space.operands[0][1].factors[1], space.results[0][3].factors[0]);
  EXPECT_TRUE(space.results[0][1].factors.empty());
}

TEST_F(IterationSpaceTest, VerifierFindsWrongSpaces) {
  IterationSpace right =
      getSpace("%x: tensor<2x3xf32>", "graph.exp %x : tensor<2x3xf32>");
  auto messageOf = [&](const IterationSpace &space) {
    std::string message;
    ScopedDiagnosticHandler handler(
        &context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
    EXPECT_TRUE(failed(space.verify(operation)));
    return message;
  };
  IterationSpace space = right;
  space.operands.clear();
  EXPECT_EQ(messageOf(space),
            "'graph.exp' op found an iteration space with maps for 0 operands "
            "and 1 results, expected 1 and 1");
  space = right;
  space.operands[0].pop_back();
  EXPECT_EQ(messageOf(space),
            "'graph.exp' op found an iteration space with 1 dimensions of "
            "operand 0, expected 2");
  space = right;
  space.factors[1].size = 4;
  EXPECT_EQ(messageOf(space),
            "'graph.exp' op found an iteration space with 4 points along "
            "dimension 1 of operand 0, expected 3");
  space = right;
  space.results[0][0].factors[0] = 7;
  EXPECT_EQ(messageOf(space),
            "'graph.exp' op found factor 7 in its iteration space, expected "
            "one of 2");
}

} // namespace
