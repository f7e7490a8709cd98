//===- MatrixTest.cpp - Tensor core instructions against plain products ---===//

#include "Machine.h"
#include "TmaText.h"

#include "graphrt/support/Float16.h"

#include <cmath>

using namespace graphrt;
using namespace graphrt::test;
using exec::TensorMap;

namespace {

/// Copies `bytes` from %p<parameter> to shared memory `s` + offset.
std::string copyIn(unsigned parameter, unsigned offset, unsigned bytes) {
  std::string text;
  for (unsigned done = 0; done < bytes; done += 128)
    text += "mul.wide.u32 %rd1, %t, 4;\nadd.u64 %rd1, %rd1, %p" +
            std::to_string(parameter) + ";\nld.global.u32 %r1, [%rd1+" +
            std::to_string(done) +
            "];\nmov.u32 %r2, s;\n"
            "mad.lo.u32 %r2, %t, 4, %r2;\nst.shared.u32 [%r2+" +
            std::to_string(offset + done) + "], %r1;\n";
  return text;
}

/// Stores the four sums in %f0 to %f3 of m16n8 to %p0, row-major.
const std::string storeSums =
    "shr.u32 %r10, %t, 2;\nand.b32 %r11, %t, 3;\n"
    "mul.lo.u32 %r12, %r10, 32;\nmad.lo.u32 %r12, %r11, 8, %r12;\n"
    "cvt.u64.u32 %rd2, %r12;\nadd.u64 %rd2, %rd2, %p0;\n"
    "st.global.v2.f32 [%rd2], {%f0, %f1};\n"
    "st.global.v2.f32 [%rd2+256], {%f2, %f3};";

const std::string zeroSums = "mov.f32 %f0, 0f00000000;\nmov.f32 %f1, %f0;\n"
                             "mov.f32 %f2, %f0;\nmov.f32 %f3, %f0;\n";

void expectProduct(Machine &machine, uint64_t out, unsigned rows,
                   unsigned columns, unsigned depth, bool transposedB,
                   float scale = 1) {
  auto found = machine.download<float>(out, rows * columns);
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned column = 0; column < columns; ++column) {
      float sum = 0;
      for (unsigned k = 0; k < depth; ++k)
        sum += element(row, k) *
               (transposedB ? element(column, k) : element(k, column));
      ASSERT_EQ(found[row * columns + column], sum * scale)
          << "row " << row << ", column " << column;
    }
}

/// A by ldmatrix, B by ldmatrix.trans, both row-major.
void checkMma16(const std::string &type, uint16_t (*narrow)(float)) {
  SCOPED_TRACE(type);
  Machine machine;
  uint64_t out = *machine.memory->allocate(512);
  uint64_t a = machine.upload(matrix(16, 16, narrow));
  uint64_t b = machine.upload(matrix(16, 8, narrow));
  std::string text = kernel(
      3, ".shared .align 16 .b8 s[768];\n" + copyIn(1, 0, 512) +
             copyIn(2, 512, 256) +
             "bar.sync 0;\nand.b32 %r3, %t, 15;\nshr.u32 %r4, %t, 4;\n"
             "mov.u32 %r5, s;\nmad.lo.u32 %r6, %r3, 32, %r5;\n"
             "mad.lo.u32 %r6, %r4, 16, %r6;\n"
             "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r20, %r21, %r22, "
             "%r23}, [%r6];\n"
             "mad.lo.u32 %r7, %r3, 16, %r5;\n"
             "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r24, %r25}, "
             "[%r7+512];\n" +
             zeroSums + "mma.sync.aligned.m16n8k16.row.col.f32." + type + "." +
             type +
             ".f32 {%f0, %f1, %f2, %f3}, {%r20, %r21, %r22, %r23}, {%r24, "
             "%r25}, {%f0, %f1, %f2, %f3};\n"
             // A second time, by halves of k.
             "mma.sync.aligned.m16n8k8.row.col.f32." +
             type + "." + type +
             ".f32 {%f0, %f1, %f2, %f3}, {%r20, %r21}, {%r24}, {%f0, %f1, %f2, "
             "%f3};\nmma.sync.aligned.m16n8k8.row.col.f32." +
             type + "." + type +
             ".f32 {%f0, %f1, %f2, %f3}, {%r22, %r23}, {%r25}, {%f0, %f1, %f2, "
             "%f3};\n" +
             storeSums);
  auto result = machine.run(text, {out, a, b}, {1, 1, 1}, {32, 1, 1});
  ASSERT_TRUE(result) << result.failure().message;
  expectProduct(machine, out, 16, 8, 16, false, 2);
  EXPECT_EQ(result->matrixFlops, 2u * 2 * 16 * 8 * 16);
  EXPECT_EQ(result->matrixLoadRequests, 2u);
  // Rows of A are 32 bytes apart: two rows share each bank.
  EXPECT_EQ(result->matrixLoadConflicts, 4u);
}

TEST(Mma, HalfPrecision) {
  checkMma16("bf16", bf16FromFloat);
  checkMma16("f16", f16FromFloat);
}

TEST(Mma, Tf32IgnoresTheLowBits) {
  Machine machine;
  uint64_t out = *machine.memory->allocate(512);
  std::vector<float> left, right;
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned k = 0; k < 8; ++k)
      left.push_back(floatOf(bitsOf(element(row, k)) | 0x1fff));
  for (unsigned k = 0; k < 8; ++k)
    for (unsigned column = 0; column < 8; ++column)
      right.push_back(element(k, column));
  uint64_t a = machine.upload(left), b = machine.upload(right);
  std::string text = kernel(
      3,
      "shr.u32 %r10, %t, 2;\nand.b32 %r11, %t, 3;\n"
      "mad.lo.u32 %r12, %r10, 8, %r11;\nmad.wide.u32 %rd3, %r12, 4, %p1;\n"
      "ld.global.b32 %r20, [%rd3];\nld.global.b32 %r21, [%rd3+256];\n"
      "ld.global.b32 %r22, [%rd3+16];\nld.global.b32 %r23, [%rd3+272];\n"
      "mad.lo.u32 %r12, %r11, 8, %r10;\nmad.wide.u32 %rd4, %r12, 4, %p2;\n"
      "ld.global.b32 %r24, [%rd4];\nld.global.b32 %r25, [%rd4+128];\n" +
          zeroSums +
          "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f0, %f1, %f2, "
          "%f3}, {%r20, %r21, %r22, %r23}, {%r24, %r25}, {%f0, %f1, %f2, "
          "%f3};\n" +
          storeSums);
  auto result = machine.run(text, {out, a, b}, {1, 1, 1}, {32, 1, 1});
  ASSERT_TRUE(result) << result.failure().message;
  // Zeros have become denormal, whose products vanish.
  expectProduct(machine, out, 16, 8, 8, false);
}

TEST(Matrix, StoreUndoesLoadAndMoveTransposes) {
  Machine machine;
  auto values = matrix(8, 8, bf16FromFloat);
  uint64_t in = machine.upload(values), out = *machine.memory->allocate(256);
  std::string text = kernel(
      2,
      ".shared .align 16 .b8 s[384];\n" + copyIn(0, 0, 128) +
          "bar.sync 0;\nmov.u32 %r5, s;\nand.b32 %r3, %t, 7;\n"
          "mad.lo.u32 %r6, %r3, 16, %r5;\n"
          "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r20}, [%r6];\n"
          "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%r6+128], {%r20};\n"
          "movmatrix.sync.aligned.m8n8.trans.b16 %r21, %r20;\n"
          "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r6+256], {%r21};\n"
          "bar.sync 0;\nmad.lo.u32 %r7, %t, 4, %r5;\n"
          "ld.shared.u32 %r8, [%r7+128];\nld.shared.u32 %r9, [%r7+256];\n"
          "mad.wide.u32 %rd1, %t, 4, %p1;\nst.global.u32 [%rd1], %r8;\n"
          "st.global.u32 [%rd1+128], %r9;");
  auto result = machine.run(text, {in, out}, {1, 1, 1}, {32, 1, 1});
  ASSERT_TRUE(result) << result.failure().message;
  auto found = machine.download<uint16_t>(out, 128);
  for (unsigned row = 0; row < 8; ++row)
    for (unsigned column = 0; column < 8; ++column) {
      EXPECT_EQ(found[row * 8 + column], values[column * 8 + row]);
      EXPECT_EQ(found[64 + row * 8 + column], values[column * 8 + row]);
    }
}

//===----------------------------------------------------------------------===//
// wgmma
//===----------------------------------------------------------------------===//

/// The accumulators %f0 to %f<n/2> of m64n<n> into %p0, row-major.
std::string storeWarpGroupSums(unsigned n) {
  std::string text =
      "shr.u32 %r10, %t, 5;\nand.b32 %r11, %t, 31;\nshr.u32 %r12, %r11, 2;\n"
      "and.b32 %r13, %r11, 3;\nmad.lo.u32 %r14, %r10, 16, %r12;\n"
      "mul.lo.u32 %r14, %r14, " +
      std::to_string(n * 4) +
      ";\nmad.lo.u32 %r14, %r13, 8, %r14;\ncvt.u64.u32 %rd2, %r14;\n"
      "add.u64 %rd2, %rd2, %p0;\n";
  for (unsigned j = 0; j < n / 2; j += 2)
    text += "st.global.v2.f32 [%rd2+" +
            std::to_string(j / 4 * 32 + (j & 2 ? n * 32 : 0)) + "], {%f" +
            std::to_string(j) + ", %f" + std::to_string(j + 1) + "};\n";
  return text;
}

std::string listOf(unsigned count) {
  std::string list = "{";
  for (unsigned index = 0; index < count; ++index)
    list += (index ? ", %f" : "%f") + std::to_string(index);
  return list + "}";
}

/// A descriptor of shared memory at `symbol` + offset into %rd<n>.
std::string descriptor(unsigned number, const std::string &symbol,
                       unsigned offset, unsigned leading, unsigned stride,
                       unsigned swizzleCode) {
  uint64_t rest = uint64_t(leading / 16) << 16 | uint64_t(stride / 16) << 32 |
                  uint64_t(swizzleCode) << 62;
  std::string n = std::to_string(number);
  return "mov.u64 %rd" + n + ", " + symbol + ";\nadd.u64 %rd" + n + ", %rd" +
         n + ", " + std::to_string(offset) + ";\nshr.u64 %rd" + n + ", %rd" +
         n + ", 4;\nor.b64 %rd" + n + ", %rd" + n + ", " +
         std::to_string(rest) + ";\n";
}

/// 64 x 64 x 64 through tiles in shared memory that TMA has swizzled.
void checkWgmma(TensorMap::Swizzle swizzle, unsigned code, bool bIsMnMajor) {
  SCOPED_TRACE(code);
  // Columns of one swizzled row.
  unsigned width = 16u << unsigned(swizzle);
  unsigned rowElements = width / 2;
  Machine machine;
  uint64_t out = *machine.memory->allocate(64 * 64 * 4);
  uint64_t a = machine.upload(matrix(64, 64, bf16FromFloat));
  uint64_t maps = machine.upload(
      std::vector<TensorMap>{describe(a, 64, 64, 64, rowElements, swizzle)});
  // A and B are the same matrix; each tile of 64 rows takes 64 * width bytes.
  std::string copies;
  for (unsigned tile = 0; tile < 64 / rowElements; ++tile) {
    std::string column = std::to_string(tile * rowElements);
    std::string offset = std::to_string(tile * 64 * width);
    copies += copyTile("a+" + offset, "%p1", column + ", 0");
    copies += copyTile("b+" + offset, "%p1", column + ", 0");
  }
  std::string body = ".shared .align 1024 .b8 a[8192];\n"
                     ".shared .align 1024 .b8 b[8192];\n"
                     ".shared .align 8 .b64 bar;\n" +
                     armAndIssue(16384, copies) + waitForCopies +
                     "wgmma.fence.sync.aligned;\n";
  for (unsigned k = 0; k < 64; k += 16) {
    unsigned inTile = k / rowElements * 64 * width + k % rowElements * 2;
    body += descriptor(10, "a", inTile, 0, 8 * width, code);
    // Rows of B are k where n is contiguous.
    body += bIsMnMajor
                ? descriptor(11, "b", k * width, 64 * width, 8 * width, code)
                : descriptor(11, "b", inTile, 0, 8 * width, code);
    body += "mov.u32 %r40, " + std::to_string(k) +
            ";\nsetp.ne.u32 %q6, %r40, "
            "0;\nwgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 " +
            listOf(32) + ", %rd10, %rd11, %q6, 1, 1, 0, " +
            (bIsMnMajor ? "1" : "0") + ";\n";
  }
  body += "wgmma.commit_group.sync.aligned;\n"
          "wgmma.wait_group.sync.aligned 0;\n" +
          storeWarpGroupSums(64);
  auto result =
      machine.run(kernel(2, body), {out, maps}, {1, 1, 1}, {128, 1, 1});
  ASSERT_TRUE(result) << result.failure().message;
  expectProduct(machine, out, 64, 64, 64, !bIsMnMajor);
  EXPECT_EQ(result->matrixFlops, 2u * 64 * 64 * 64);
}

TEST(Wgmma, SwizzledTiles) {
  checkWgmma(TensorMap::Swizzle::Bytes128, 1, false);
  checkWgmma(TensorMap::Swizzle::Bytes64, 2, false);
  checkWgmma(TensorMap::Swizzle::Bytes32, 3, false);
}

TEST(Wgmma, TransposedB) {
  checkWgmma(TensorMap::Swizzle::Bytes128, 1, true);
  checkWgmma(TensorMap::Swizzle::Bytes64, 2, true);
  checkWgmma(TensorMap::Swizzle::Bytes32, 3, true);
}

TEST(Wgmma, AInRegistersAndNoSwizzle) {
  // A is all ones; B without swizzle: 8 x 8 core matrices of 128 bytes.
  Machine machine;
  uint64_t out = *machine.memory->allocate(64 * 8 * 4);
  std::vector<uint16_t> cores;
  for (unsigned kBlock = 0; kBlock < 2; ++kBlock)
    for (unsigned n = 0; n < 8; ++n)
      for (unsigned k = 0; k < 8; ++k)
        cores.push_back(bf16FromFloat(element(kBlock * 8 + k, n)));
  uint64_t b = machine.upload(cores);
  std::string body =
      ".shared .align 128 .b8 s[256];\nsetp.lt.u32 %q1, %t, 32;\n"
      "@!%q1 bra $copied;\n" +
      copyIn(1, 0, 256) + "$copied:\nbar.sync 0;\nmov.b32 %r30, 0x3f803f80;\n" +
      descriptor(11, "s", 0, 128, 256, 0) +
      "setp.ne.s32 %q6, %r30, %r30;\nwgmma.fence.sync.aligned;\n"
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 " +
      listOf(4) +
      ", {%r30, %r30, %r30, %r30}, %rd11, %q6, 1, -1, 0;\n"
      "wgmma.commit_group.sync.aligned;\n"
      "wgmma.wait_group.sync.aligned 0;\n" +
      storeWarpGroupSums(8);
  auto result = machine.run(kernel(2, body), {out, b}, {1, 1, 1}, {128, 1, 1});
  ASSERT_TRUE(result) << result.failure().message;
  auto found = machine.download<float>(out, 64 * 8);
  for (unsigned column = 0; column < 8; ++column) {
    float sum = 0;
    for (unsigned k = 0; k < 16; ++k)
      sum -= element(k, column);
    for (unsigned row = 0; row < 64; ++row)
      EXPECT_EQ(found[row * 8 + column], sum);
  }
}

} // namespace
