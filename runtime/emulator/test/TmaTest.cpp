//===- TmaTest.cpp - Tests of TMA copies and mbarriers --------------------===//

#include "Machine.h"
#include "TmaText.h"

#include "graphrt/support/Float16.h"

using namespace graphrt;
using namespace graphrt::test;
using exec::TensorMap;

namespace {

TEST(Tma, FillsWithZerosOutsideTheTensor) {
  Machine machine;
  uint64_t in = machine.upload(matrix(8, 32, bf16FromFloat));
  TensorMap map = describe(in, 8, 32, 4, 16, TensorMap::Swizzle::None);
  uint64_t maps = machine.upload(std::vector<TensorMap>{map});
  uint64_t out = *machine.memory->allocate(128);
  auto text = [](const std::string &wait) {
    return kernel(2, ".shared .align 128 .b8 s[128];\n"
                     ".shared .align 8 .b64 bar;\n" +
                         armAndIssue(128, copyTile("s", "%p0", "24, -2")) +
                         wait +
                         "mov.u32 %r1, s;\nmad.lo.u32 %r1, %t, 4, %r1;\n"
                         "ld.shared.u32 %r2, [%r1];\n"
                         "mad.wide.u32 %rd1, %t, 4, %p1;\n"
                         "st.global.u32 [%rd1], %r2;");
  };
  auto result =
      machine.run(text(waitForCopies), {maps, out}, {1, 1, 1}, {32, 1, 1});
  ASSERT_TRUE(result) << result.failure().message;
  auto found = machine.download<uint16_t>(out, 64);
  for (unsigned row = 0; row < 4; ++row)
    for (unsigned column = 0; column < 16; ++column) {
      bool inside = row >= 2 && column < 8;
      EXPECT_EQ(found[row * 16 + column],
                inside ? bf16FromFloat(element(row - 2, column + 24)) : 0);
    }
  auto bad = machine.run(text(""), {maps, out}, {1, 1, 1}, {32, 1, 1});
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.failure().message.find("missing wait: load"),
            std::string::npos);
}

TEST(Tma, StoresTilesAndBulkCopies) {
  Machine machine;
  uint64_t in = machine.upload(matrix(8, 16, bf16FromFloat));
  uint64_t out = machine.upload(std::vector<uint16_t>(128));
  uint64_t maps = machine.upload(std::vector<TensorMap>{
      describe(out, 8, 16, 8, 16, TensorMap::Swizzle::None)});
  std::string text = kernel(
      2, ".shared .align 128 .b8 s[256];\n.shared .align 8 .b64 bar;\n" +
             armAndIssue(256, "cp.async.bulk.shared::cluster.global.mbarrier::"
                              "complete_tx::bytes [s], [%p0], 256, [bar];\n") +
             waitForCopies +
             "@!%q1 ret;\ncp.async.bulk.tensor.2d.global.shared::cta.bulk_"
             "group [%p1, {0, 0}], [s];\ncp.async.bulk.commit_group;\n"
             "cp.async.bulk.wait_group.read 0;");
  auto result = machine.run(text, {in, maps}, {1, 1, 1}, {32, 1, 1});
  ASSERT_TRUE(result) << result.failure().message;
  EXPECT_EQ(machine.download<uint16_t>(out, 128), matrix(8, 16, bf16FromFloat));
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

/// A tile of 4 x 16 elements at `s`.
const std::string declarations = ".shared .align 128 .b8 s[256];\n"
                                 ".shared .align 8 .b64 bar;\n";

/// The fault of a kernel of one warp that copies tiles, %p0 being a map of a
/// matrix of 8 x 32 elements.
std::string faultOf(const std::string &body) {
  Machine machine;
  uint64_t in = machine.upload(matrix(8, 32, bf16FromFloat));
  uint64_t maps = machine.upload(std::vector<TensorMap>{
      describe(in, 8, 32, 4, 16, TensorMap::Swizzle::None)});
  auto result = machine.run(kernel(1, declarations + body), {maps}, {1, 1, 1},
                            {32, 1, 1});
  return result ? "no fault" : result.failure().message;
}

void expectPart(const std::string &found, const std::string &part) {
  EXPECT_NE(found.find(part), std::string::npos) << found;
}

void expectFault(const std::string &body, const std::string &part) {
  expectPart(faultOf(body), part);
}

TEST(Tma, BytesThatDoNotArriveAreADeadlock) {
  std::string copy = copyTile("s", "%p0", "0, 0");
  EXPECT_EQ(faultOf(armAndIssue(128, copy) + waitForCopies), "no fault");
  for (const std::string &body :
       {armAndIssue(128, ""), armAndIssue(144, copy), armAndIssue(64, copy)}) {
    std::string fault = faultOf(body + waitForCopies);
    expectPart(fault, "deadlock: found 32 of 32 threads waiting for each other "
                      "in kernel 'k', block (0, 0, 0), thread (0, 0, 0)");
    expectPart(fault, "warp 0 waits in line");
    expectPart(fault, "mbarrier.try_wait.parity");
  }
}

TEST(Tma, CopiesAreChecked) {
  auto issue = [](const std::string &target, const std::string &map) {
    return armAndIssue(128, copyTile(target, map, "0, 0"));
  };
  expectFault(issue("s+64", "%p0"),
              "bad tensor copy: found a map of rank 2 and shared address 64, "
              "expected rank 2 and a multiple of 128");
  expectFault(issue("s+256", "%p0"), "of shared memory, which has");
  expectFault(armAndIssue(128, "cp.async.bulk.tensor.1d.shared::cluster.global."
                               "mbarrier::complete_tx::bytes [s], [%p0, {0}], "
                               "[bar];\n"),
              "found a map of rank 2 and shared address 0, expected rank 1");
  expectFault("add.u64 %rd1, %p0, 16;\n" + issue("s", "%rd1"),
              "bad tensor map: found an address of 16 modulo 64");
  expectFault("ld.global.u64 %rd1, [%p0+8];\n" + issue("s", "%rd1"),
              "bad tensor map: found other bytes than cuTensorMapEncodeTiled "
              "writes");
  expectFault(
      armAndIssue(16, "cp.async.bulk.shared::cluster.global.mbarrier::"
                      "complete_tx::bytes [s], [%p0], 24, [bar];\n"),
      "misaligned bulk copy: found 24 bytes at shared address 0, expected "
      "multiples of 16");
}

TEST(Tma, TilesAreNotOverwrittenWhileTheyAreRead) {
  // Thread 0 copies again while the other warp may still be reading.
  auto fault = [](const std::string &between) {
    Machine machine;
    uint64_t in = machine.upload(matrix(8, 32, bf16FromFloat));
    uint64_t maps = machine.upload(std::vector<TensorMap>{
        describe(in, 8, 32, 4, 16, TensorMap::Swizzle::None)});
    std::string copy = copyTile("s", "%p0", "0, 0");
    auto result = machine.run(
        kernel(1, declarations + armAndIssue(128, copy) + waitForCopies +
                      "bar.sync 0;\nsetp.ge.u32 %q2, %t, 32;\n"
                      "@%q2 ld.shared.u32 %r1, [s];\n" +
                      between +
                      "@!%q1 ret;\nmbarrier.arrive.expect_tx.shared::cta.b64 "
                      "_, [bar], 128;\n" +
                      copy),
        {maps}, {1, 1, 1}, {64, 1, 1});
    return result ? "no fault" : result.failure().message;
  };
  EXPECT_EQ(fault("bar.sync 0;\n"), "no fault");
  expectPart(fault(""), "race");
}

TEST(Mbarrier, ObjectsAreChecked) {
  expectFault("mbarrier.arrive.shared::cta.b64 %rd1, [bar];\n",
              "bad mbarrier: found none at shared address 256, expected one "
              "that mbarrier.init has made");
  expectFault("mbarrier.init.shared::cta.b64 [s+4], 1;\n",
              "bad mbarrier: found shared address 4, expected a multiple of 8 "
              "in");
  expectFault("mbarrier.init.shared::cta.b64 [bar], 2;\n"
              "mbarrier.arrive.shared::cta.b64 %rd1, [bar], 3;\n",
              "bad mbarrier: found 3 arrivals, expected at most the 2 that are "
              "pending");
  expectFault("mbarrier.init.shared::cta.b64 [bar], 64;\nbar.sync 0;\n"
              "mbarrier.inval.shared::cta.b64 [bar];\n",
              "bad mbarrier: found none");
}

} // namespace
