//===- WarpGroupProduct.cpp - Tiles multiplied by groups of four warps ----===//
//
// wgmma of sm_90a: four warps together multiply 64 x 16 by 16 x n, both read
// from shared memory by the tensor cores themselves. Tiles lie there as
// elsewhere (SharedTile, rows of 128 bytes), which is the layout that the PTX
// manual calls 128-byte swizzling; a descriptor says where a tile begins and
// how far apart its groups of eight rows and its sequences of rows are. The
// sums are distributed as those of mma.sync.
//
//===----------------------------------------------------------------------===//

#include "MmaProduct.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace graph;
using namespace graph::cuda;

static constexpr int64_t kRowBytes = 128, kGroupRows = 64;

namespace {
class WarpGroupProduct : public MmaProduct {
public:
  WarpGroupProduct(ImplicitLocOpBuilder &b, const ContractionTiling &tiling,
                   Layout layout, Int thread, MmaType type)
      : MmaProduct(b, tiling, layout, thread, type), group(thread / 128) {}

  /// The tensor cores see what threads wrote before this fence.
  void publish() override {
    NVVM::FenceProxyOp::create(
        b,
        NVVM::ProxyKindAttr::get(b.getContext(), NVVM::ProxyKind::async_shared),
        NVVM::SharedSpaceAttr::get(b.getContext(),
                                   NVVM::SharedSpace::shared_cta));
  }

  SmallVector<Value> accumulate(const SharedTile &lhs, const SharedTile &rhs,
                                ArrayRef<Value> sums) override {
    SmallVector<Type> types(sums.size(), b.getF32Type());
    auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
    Value all = LLVM::UndefOp::create(b, type);
    for (auto [i, sum] : llvm::enumerate(sums))
      all = LLVM::InsertValueOp::create(b, all, sum, i);
    NVVM::WgmmaFenceAlignedOp::create(b);
    for (int64_t depth = 0; depth < tiling.blockK; depth += 16)
      all = multiply(
          getDescriptor(lhs, layout.isLhsDepthContiguous, group * kGroupRows,
                        depth),
          getDescriptor(rhs, layout.isRhsDepthContiguous, Int(b, 0), depth),
          all);
    NVVM::WgmmaGroupSyncAlignedOp::create(b);
    // The tiles are free for the next copies when this returns.
    NVVM::WgmmaWaitGroupSyncOp::create(b, 0);
    SmallVector<Value> result;
    for (size_t i = 0; i < sums.size(); ++i)
      result.push_back(LLVM::ExtractValueOp::create(b, all, i));
    return result;
  }

private:
  /// Of the part of a tile at `outer`, a multiple of 64, and `depth`.
  Value getDescriptor(const SharedTile &tile, bool isDepthContiguous, Int outer,
                      int64_t depth) {
    Int address(b, LLVM::PtrToIntOp::create(b, b.getI32Type(), tile.pointer));
    // Between sequences of rows, which run along the outer dimension.
    int64_t sequenceBytes = isDepthContiguous ? 16 : tile.numRows * kRowBytes;
    if (isDepthContiguous)
      address = address + outer * kRowBytes + depth * 2;
    else
      address =
          address + (outer / kGroupRows) * sequenceBytes + depth * kRowBytes;
    constexpr int64_t kSwizzle128 = 1;
    int64_t rest = (sequenceBytes >> 4) << 16 | (8 * kRowBytes >> 4) << 32 |
                   kSwizzle128 << 62;
    Int descriptor = ((address & 0x3FFFF) >> 4).extend();
    return descriptor + rest;
  }

  Value multiply(Value lhs, Value rhs, Value sums) {
    MLIRContext *context = b.getContext();
    auto shape =
        NVVM::MMAShapeAttr::get(context, kGroupRows, tiling.blockN, 16);
    auto element = NVVM::WGMMATypesAttr::get(
        context,
        type == MmaType::F16 ? NVVM::WGMMATypes::f16 : NVVM::WGMMATypes::bf16);
    auto f32 = NVVM::WGMMATypesAttr::get(context, NVVM::WGMMATypes::f32);
    auto add = NVVM::WGMMAScaleOutAttr::get(context, NVVM::WGMMAScaleOut::one);
    auto plain = NVVM::WGMMAScaleInAttr::get(context, NVVM::WGMMAScaleIn::one);
    auto row = NVVM::MMALayoutAttr::get(context, NVVM::MMALayout::row);
    auto column = NVVM::MMALayoutAttr::get(context, NVVM::MMALayout::col);
    return NVVM::WgmmaMmaAsyncOp::create(
        b, sums.getType(), sums, lhs, rhs, shape, element, element, f32, add,
        plain, plain, layout.isLhsDepthContiguous ? row : column,
        layout.isRhsDepthContiguous ? column : row, NVVM::MMAIntOverflowAttr());
  }

  Int group;
};
} // namespace

std::unique_ptr<BlockProduct> cuda::createWarpGroupProduct(
    ImplicitLocOpBuilder &b, const ContractionTiling &tiling,
    BlockProduct::Layout layout, Int thread, MmaType type) {
  return std::make_unique<WarpGroupProduct>(b, tiling, layout, thread, type);
}
