//===- TensorCore.cpp - Warp-level matrix products ------------------------===//

#include "TensorCore.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace graph;
using namespace graph::cuda;

static constexpr unsigned kChunkBytes = 16;
/// All banks of shared memory once.
static constexpr unsigned kLineBytes = 128;
static constexpr unsigned kGlobalSpace = 1, kSharedSpace = 3;

unsigned cuda::getElementBytes(MmaType type) {
  return type == MmaType::TF32 ? 4 : 2;
}
unsigned cuda::getDepth(MmaType type) { return 32 / getElementBytes(type); }

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static Value getPointer(ImplicitLocOpBuilder &b, Value memref, unsigned space) {
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, memref);
  address = arith::IndexCastOp::create(b, b.getI64Type(), address);
  auto type = LLVM::LLVMPointerType::get(b.getContext(), space);
  return LLVM::IntToPtrOp::create(b, type, address);
}

Value cuda::getGlobalPointer(ImplicitLocOpBuilder &b, Value memref) {
  return getPointer(b, memref, kGlobalSpace);
}

Value cuda::getSharedMemory(ImplicitLocOpBuilder &b) {
  auto space =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  auto type = MemRefType::get({ShapedType::kDynamic}, b.getI8Type(),
                              MemRefLayoutAttrInterface(), space);
  return getPointer(b, gpu::DynamicSharedMemoryOp::create(b, type),
                    kSharedSpace);
}

Value cuda::advance(ImplicitLocOpBuilder &b, Value pointer, Int bytes) {
  return LLVM::GEPOp::create(b, pointer.getType(), b.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{bytes.getValue()});
}

Value cuda::loadFrom(ImplicitLocOpBuilder &b, Type type, Value pointer,
                     unsigned alignment) {
  return LLVM::LoadOp::create(b, type, pointer, alignment);
}

void cuda::storeTo(ImplicitLocOpBuilder &b, Value value, Value pointer,
                   unsigned alignment) {
  LLVM::StoreOp::create(b, value, pointer, alignment);
}

Int SharedTile::getOffset(Int row, Int chunk) const {
  // Eight neighbouring rows, or as many as a line holds, are read at once.
  unsigned partBytes = std::min(rowBytes, kLineBytes);
  unsigned chunks = partBytes / kChunkBytes;
  unsigned rowsPerLine = kLineBytes / partBytes;
  Int line = rowsPerLine == 1 ? row : row / rowsPerLine;
  Int moved =
      isReadAcrossRows ? (line & (chunks / 2 - 1)) * 2 : line & (chunks - 1);
  Int inPart = rowBytes > kLineBytes ? chunk % chunks : chunk;
  Int offset = row * partBytes + (inPart ^ moved) * kChunkBytes;
  if (rowBytes > kLineBytes)
    offset = offset + (chunk / chunks) * (numRows * partBytes);
  return offset;
}

void cuda::copyAsync(ImplicitLocOpBuilder &b, Value shared, Value global,
                     unsigned bytes, Value validBytes) {
  auto modifier = bytes == kChunkBytes ? NVVM::LoadCacheModifierKind::CG
                                       : NVVM::LoadCacheModifierKind::CA;
  NVVM::CpAsyncOp::create(b, shared, global, bytes, modifier, validBytes);
}

void cuda::commitCopies(ImplicitLocOpBuilder &b) {
  NVVM::CpAsyncCommitGroupOp::create(b);
}

void cuda::waitForCopies(ImplicitLocOpBuilder &b, unsigned pending) {
  NVVM::CpAsyncWaitGroupOp::create(b, pending);
}

void cuda::emitBarrier(ImplicitLocOpBuilder &b) { gpu::BarrierOp::create(b); }

void cuda::emitBarrier(ImplicitLocOpBuilder &b, unsigned numThreads) {
  // Barrier 0 is that of all threads.
  NVVM::BarrierOp::create(b, /*res=*/Type(), Int(b, 1), Int(b, numThreads),
                          /*reductionOp=*/nullptr,
                          /*reductionPredicate=*/Value());
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

Fragment FragmentReader::read(Int outer, int64_t depth) {
  bool isTransposable = getElementBytes(type) == 2;
  Fragment fragment = isDepthContiguous || isTransposable
                          ? readMatrices(outer, depth)
                          : readElements(outer, depth);
  if (type != MmaType::TF32)
    return fragment;
  for (Value &value : fragment) {
    value = LLVM::BitcastOp::create(b, b.getF32Type(), value);
    value = NVVM::ConvertFloatToTF32Op::create(
        b, b.getI32Type(), value, NVVM::FPRoundingMode::RNA,
        NVVM::SaturationMode::NONE, /*relu=*/false);
  }
  return fragment;
}

// Register j of a holds the block of outer half j % 2 and depth half j / 2;
// that of b the other way round. Lane l gives the address of row l % 8 of block
// l / 8, and receives element l % 4 (of 4 bytes) of row l / 4 of every block.
Fragment FragmentReader::readMatrices(Int outer, int64_t depth) {
  unsigned chunkElements = kChunkBytes / getElementBytes(type);
  Int row = lane & 7, low = (lane >> 3) & 1, high = lane >> 4;
  Int outerHalf = operand == MmaOperand::A ? low : high;
  Int depthHalf = operand == MmaOperand::A ? high : low;
  // With 4-byte elements a block is 8 x 4, so that halves of 16 outer elements
  // are 8 rows, and halves of the depth are one chunk, in both cases.
  Int offset = isDepthContiguous
                   ? tile.getOffset(outer + outerHalf * 8 + row,
                                    depthHalf + depth / chunkElements)
                   : tile.getOffset(depthHalf * 8 + row + depth,
                                    outer / chunkElements + outerHalf);
  Type i32 = b.getI32Type();
  auto type =
      LLVM::LLVMStructType::getLiteral(b.getContext(), {i32, i32, i32, i32});
  auto shape = NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8);
  Value loaded = NVVM::LdMatrixOp::create(
      b, type, advance(b, tile.pointer, offset), /*num=*/4,
      isDepthContiguous ? NVVM::MMALayout::row : NVVM::MMALayout::col, shape,
      NVVM::LdStMatrixEltType::B16);
  Fragment fragment;
  for (unsigned i = 0; i < 4; ++i)
    fragment[i] = LLVM::ExtractValueOp::create(b, loaded, i);
  return fragment;
}

Fragment FragmentReader::readElements(Int outer, int64_t depth) {
  unsigned chunkElements = kChunkBytes / getElementBytes(type);
  Fragment fragment;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned outerHalf = operand == MmaOperand::A ? i % 2 : i / 2;
    unsigned depthHalf = operand == MmaOperand::A ? i / 2 : i % 2;
    Int column = outer + (lane >> 2) + outerHalf * 8;
    Int row = (lane & 3) + (depth + depthHalf * 4);
    Int offset = tile.getOffset(row, column / chunkElements) +
                 (column % chunkElements) * getElementBytes(type);
    fragment[i] = loadFrom(b, b.getI32Type(), advance(b, tile.pointer, offset),
                           /*alignment=*/4);
  }
  return fragment;
}

Accumulator cuda::multiply(ImplicitLocOpBuilder &b, MmaType type,
                           const Fragment &lhs, const Fragment &rhs,
                           unsigned half, const Accumulator &sum) {
  auto getOperand = [&](Value value) -> Value {
    if (type != MmaType::F16)
      return value;
    return LLVM::BitcastOp::create(b, VectorType::get({2}, b.getF16Type()),
                                   value);
  };
  SmallVector<Value, 4> a, bHalf;
  for (Value value : lhs)
    a.push_back(getOperand(value));
  for (Value value : ArrayRef(rhs).slice(2 * half, 2))
    bHalf.push_back(getOperand(value));
  NVVM::MMATypes element = type == MmaType::F16    ? NVVM::MMATypes::f16
                           : type == MmaType::BF16 ? NVVM::MMATypes::bf16
                                                   : NVVM::MMATypes::tf32;
  Type f32 = b.getF32Type();
  auto result =
      LLVM::LLVMStructType::getLiteral(b.getContext(), {f32, f32, f32, f32});
  Value product = NVVM::MmaOp::create(
      b, result, a, bHalf, ValueRange(sum),
      ArrayRef<int64_t>{16, 8, getDepth(type)}, /*b1Op=*/std::nullopt,
      /*intOverflow=*/std::nullopt, std::array{element, element},
      std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  Accumulator next;
  for (unsigned i = 0; i < 4; ++i)
    next[i] = LLVM::ExtractValueOp::create(b, product, i);
  return next;
}

Value cuda::packPair(ImplicitLocOpBuilder &b, MmaType type, Value low,
                     Value high) {
  Type element =
      type == MmaType::F16 ? Type(b.getF16Type()) : Type(b.getBF16Type());
  auto pair = VectorType::get({2}, b.getF32Type());
  Value both = vector::FromElementsOp::create(b, pair, ValueRange{low, high});
  both = arith::TruncFOp::create(b, VectorType::get({2}, element), both);
  return LLVM::BitcastOp::create(b, b.getI32Type(), both);
}
