//===- OperandTensorMapTest.cpp - Which operands TMA can read -------------===//

#include "graph/Planning/OperandTensorMap.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>

using namespace graph;

namespace {

using Dimension = OperandTensorMap::Dimension;
using Numbers = std::vector<int64_t>;

/// [B,S,H,D] x [B,T,H,D] -> [B,H,S,T] with B = 2, S = 100, H = 3, D = 64 of
/// 2-byte elements.
GemmForm getHeads() {
  GemmForm form;
  form.batch = {2, 3};
  form.m = 100;
  form.n = 72;
  form.k = 64;
  form.a.batchStrides = {100 * 3 * 64, 64};
  form.a.rowStride = 3 * 64;
  form.b.batchStrides = {72 * 3 * 64, 64};
  form.b.rowStride = 1;
  form.b.columnStride = 3 * 64;
  return form;
}

ContractionTiling getTiling() {
  ContractionTiling tiling;
  tiling.engine = ContractionTiling::WarpGroup;
  tiling.blockM = 64;
  tiling.blockN = 128;
  tiling.blockK = 64;
  tiling.elementBytes = 2;
  return tiling;
}

template <typename Field>
Numbers collect(const OperandTensorMap &map, Field field) {
  Numbers values;
  for (const Dimension &dimension : map.dimensions)
    values.push_back(dimension.*field);
  return values;
}

TEST(OperandTensorMap, OrdersDimensionsByTheirStrides) {
  std::optional<OperandTensorMap> map =
      getLhsTensorMap(getHeads(), getTiling());
  ASSERT_TRUE(map);
  EXPECT_TRUE(map->isDepthContiguous());
  EXPECT_EQ(collect(*map, &Dimension::kind),
            (Numbers{Dimension::Depth, Dimension::Batch, Dimension::Outer,
                     Dimension::Batch}));
  EXPECT_EQ(collect(*map, &Dimension::size), (Numbers{64, 3, 100, 2}));
  EXPECT_EQ(collect(*map, &Dimension::stride), (Numbers{1, 64, 192, 19200}));
  EXPECT_EQ(collect(*map, &Dimension::box), (Numbers{64, 1, 64, 1}));
}

TEST(OperandTensorMap, CutsContiguousOuterDimensionsIntoRows) {
  GemmForm form = getHeads();
  form.a.rowStride = 1;
  form.a.columnStride = 3 * 64;
  form.m = 64;
  std::optional<OperandTensorMap> map = getLhsTensorMap(form, getTiling());
  ASSERT_TRUE(map);
  EXPECT_FALSE(map->isDepthContiguous());
  EXPECT_EQ(collect(*map, &Dimension::box), (Numbers{64, 1, 64, 1}));
}

TEST(OperandTensorMap, LeavesOutWhatIsBroadcast) {
  GemmForm form = getHeads();
  form.b.batchStrides[0] = 0;
  std::optional<OperandTensorMap> map = getRhsTensorMap(form, getTiling());
  ASSERT_TRUE(map);
  EXPECT_EQ(collect(*map, &Dimension::size), (Numbers{64, 3, 72}));
  EXPECT_EQ(map->dimensions[1].batch, 1u);
}

TEST(OperandTensorMap, LeavesWhatADeviceRefusesToOthers) {
  auto isLegal = [](auto change) {
    GemmForm form = getHeads();
    change(form);
    return getLhsTensorMap(form, getTiling()).has_value();
  };
  EXPECT_TRUE(isLegal([](GemmForm &) {}));
  // Addresses of the tensor and of rows are multiples of 16 bytes.
  EXPECT_FALSE(isLegal([](GemmForm &form) { form.a.offset = 4; }));
  EXPECT_FALSE(isLegal([](GemmForm &form) {
    form.a.rowStride = 196;
    form.a.batchStrides = {100 * 196, 64};
  }));
  // Every stride is a multiple of those before.
  EXPECT_FALSE(isLegal([](GemmForm &form) { form.a.rowStride = 200; }));
  EXPECT_FALSE(isLegal(
      [](GemmForm &form) { form.a.batchStrides[0] = int64_t(192) << 32; }));
  EXPECT_FALSE(isLegal([](GemmForm &form) { form.m = int64_t(1) << 31; }));
  EXPECT_FALSE(isLegal([](GemmForm &form) {
    form.batch = {2, 2, 2, 3};
    form.a.batchStrides = {76800, 38400, 19200, 64};
  }));
}

TEST(OperandTensorMap, IsAskedForBySm90a) {
  GemmForm form;
  form.m = form.n = 2048;
  form.k = 512;
  form.a.rowStride = 512;
  form.b.rowStride = 2048;
  mlir::MLIRContext context;
  auto usesTMA = [&](mlir::Type element, llvm::StringRef chip,
                     OperandUse use = OperandUse::Multiply) {
    return chooseContractionTiling(form, element, KernelTarget::getCUDA(chip),
                                   use)
        .usesTMA;
  };
  mlir::Type bf16 = mlir::BFloat16Type::get(&context);
  EXPECT_TRUE(usesTMA(bf16, "sm_90a"));
  EXPECT_FALSE(usesTMA(bf16, "sm_90a", OperandUse::Sum));
  EXPECT_FALSE(usesTMA(bf16, "sm_90a", OperandUse::Compute));
  EXPECT_FALSE(usesTMA(bf16, "sm_90"));
  EXPECT_FALSE(usesTMA(mlir::Float32Type::get(&context), "sm_90a"));
  form.a.rowStride = 516;
  EXPECT_FALSE(usesTMA(bf16, "sm_90a"));
}

} // namespace
