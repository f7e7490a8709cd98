//===- RawDataTest.cpp - Tensors as bytes of their element type -----------===//

#include "graph/Reference/RawData.h"

#include "mlir/IR/Builders.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace graph;

namespace {
struct RawDataTest : testing::Test {
  RankedTensorType vector(Type element, int64_t size) {
    return RankedTensorType::get({size}, element);
  }

  MLIRContext context;
  Builder builder{&context};
};
} // namespace

TEST_F(RawDataTest, RoundsToTheElementType) {
  ReferenceTensor x(vector(builder.getBF16Type(), 2),
                    std::vector<double>{1.0, 1.0 + 3.0 / 512});
  // bf16 has eight significant bits: 1 + 3/512 is nearer to 1 + 1/128.
  EXPECT_EQ(toBytes(x), (std::vector<uint8_t>{0x80, 0x3f, 0x81, 0x3f}));
  EXPECT_EQ(fromBytes(x.getType(), toBytes(x)).floats()[1], 1 + 1.0 / 128);
}

TEST_F(RawDataTest, SignExtendsIntegers) {
  RankedTensorType type = vector(builder.getIntegerType(16), 2);
  ReferenceTensor x(type, std::vector<int64_t>{-2, 258});
  EXPECT_EQ(toBytes(x), (std::vector<uint8_t>{0xfe, 0xff, 2, 1}));
  EXPECT_EQ(fromBytes(type, toBytes(x)).ints(), x.ints());
}

TEST_F(RawDataTest, BooleansTakeOneByte) {
  RankedTensorType type = vector(builder.getI1Type(), 3);
  ReferenceTensor x(type, std::vector<int64_t>{1, 0, 1});
  EXPECT_EQ(toBytes(x), (std::vector<uint8_t>{1, 0, 1}));
  EXPECT_EQ(fromBytes(type, toBytes(x)).ints(), x.ints());
}
