//===- TensorTest.cpp - Graphs written as expressions ---------------------===//

#include "graph/Dialect/Graph/IR/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace graph;

namespace {

using Sizes = SmallVector<int64_t>;

class TensorTest : public ::testing::Test {
protected:
  TensorTest() : b(UnknownLoc::get(&context), &context) {
    context.loadDialect<GraphDialect, func::FuncDialect>();
    module = ModuleOp::create(b.getLoc());
    b.setInsertionPointToStart(module->getBody());
  }

  Tensor make(ArrayRef<int64_t> shape) { return make(shape, b.getF32Type()); }
  Tensor make(ArrayRef<int64_t> shape, Type type) {
    return full(b, RankedTensorType::get(shape, type), 1);
  }

  void expectShape(Tensor x, ArrayRef<int64_t> shape) {
    EXPECT_EQ(Sizes(x.getShape()), Sizes(shape));
    EXPECT_TRUE(succeeded(verify(*module)));
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  ImplicitLocOpBuilder b;
};

TEST_F(TensorTest, BinaryOperatorsBroadcast) {
  expectShape(make({2, 3}) + make({3}), {2, 3});
  expectShape(make({2, 1}) * make({1, 3}), {2, 3});
  expectShape(make({}) - make({4, 0}), {4, 0});
  expectShape(1 / make({2, 3}), {2, 3});
  expectShape(max(make({5, 1, 3}), make({2, 1})), {5, 2, 3});
}

TEST_F(TensorTest, SelectBroadcastsAllThree) {
  Tensor p = make({3}, b.getI1Type());
  expectShape(select(p, make({2, 1}), make({})), {2, 3});
  expectShape(select(make({2, 3}, b.getI1Type()), make({}), 0), {2, 3});
}

TEST_F(TensorTest, DimensionsCountFromTheEnd) {
  Tensor x = make({2, 3, 4});
  expectShape(sum(x, {-1}), {2, 3});
  expectShape(sum(x, {-1, 0}, /*keepDims=*/true), {1, 3, 1});
  expectShape(swapDims(x, -1, 0), {4, 3, 2});
  expectShape(sliceDim(x, -2, 1, 3), {2, 2, 4});
  expectShape(concat({x, x}, -1), {2, 3, 8});
  expectShape(softmax(x, -3), {2, 3, 4});
}

TEST_F(TensorTest, ReshapeFillsInOneSize) {
  expectShape(reshape(make({2, 6}), {-1, 4}), {3, 4});
  expectShape(reshape(make({2, 0}), {0, -1}), {0, 0});
  expectShape(reshape(make({}), {-1}), {1});
}

TEST_F(TensorTest, MatmulSharesAMatrix) {
  expectShape(matmul(make({2, 3}), make({3, 4})), {2, 4});
  expectShape(matmul(make({5, 2, 3}), make({3, 4})), {5, 2, 4});
  expectShape(matmul(make({5, 2, 3}), make({5, 3, 4})), {5, 2, 4});
}

using TensorDeathTest = TensorTest;

TEST_F(TensorDeathTest, Misuse) {
  Tensor x = make({2, 3});
  EXPECT_DEATH(x + make({2}), "found shapes of tensor<2x3xf32> and "
                              "tensor<2xf32>, expected shapes that broadcast");
  EXPECT_DEATH(x + make({2, 3}, b.getF64Type()),
               "found operands of types tensor<2x3xf32> and tensor<2x3xf64>, "
               "expected one element type");
  EXPECT_DEATH(compare(ComparePredicate::lt, x, make({3}, b.getI32Type())),
               "expected one element type");
  EXPECT_DEATH(select(make({3}, b.getI1Type()), x, make({}, b.getF64Type())),
               "expected one element type");
  EXPECT_DEATH(broadcastTo(x, {4, 3}),
               "found tensor<2x3xf32>, expected a shape that broadcasts to "
               "tensor<4x3xf32>");
  EXPECT_DEATH(broadcastTo(x, {3}), "expected a shape that broadcasts");
  EXPECT_DEATH(reshape(x, {4, -1}),
               "found a reshape of tensor<2x3xf32> to .4, -1., expected as "
               "many elements");
  EXPECT_DEATH(sum(x, {2}), "found dimension 2, expected one in .-2, 2.");
  EXPECT_DEATH(softmax(x, -3), "found dimension -3");
  EXPECT_DEATH(iota(b, x.getType(), 2), "found dimension 2");
  // Operations that infer their type report what is wrong themselves.
  EXPECT_DEATH(transpose(x, {0, 0}), "found perm dimension 0 twice");
}

} // namespace
