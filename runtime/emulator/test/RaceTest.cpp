//===- RaceTest.cpp - Accesses with no order between them -----------------===//

#include "ExpectFault.h"

using namespace graphrt;
using namespace graphrt::test;

namespace {

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// Every thread writes its word and reads its neighbour's.
std::string exchange(const std::string &between) {
  return kernel(0, ".shared .align 4 .b8 s[1024];\n"
                   "mov.u32 %r1, s;\nmad.lo.u32 %r2, %t, 4, %r1;\n"
                   "st.shared.u32 [%r2], %t;\n" +
                       between +
                       "\nxor.b32 %r3, %t, 33;\nmad.lo.u32 %r2, %r3, 4, %r1;\n"
                       "ld.shared.u32 %r4, [%r2];");
}

TEST(Race, MissingBarrierOverSharedMemory) {
  Machine machine;
  // Thread 32's word is in place when warp 1 comes first to warp 0's.
  expectFault(machine, exchange("bar.warp.sync -1;"), {}, 1, 64,
              {"uninitialised load of 4 bytes", "ld.shared.u32 %r4"});
  EXPECT_TRUE(machine.run(exchange("bar.sync 0;"), {}, {1, 1, 1}, {64, 1, 1}));
}

TEST(Race, MissingBarrierBetweenInitializedWords) {
  Machine machine;
  std::string body = ".shared .align 4 .b8 s[1024];\n"
                     "mov.u32 %r1, s;\nmad.lo.u32 %r2, %t, 4, %r1;\n"
                     "st.shared.u32 [%r2], %t;\nbar.sync 0;\n"
                     "xor.b32 %r3, %t, 33;\nmad.lo.u32 %r4, %r3, 4, %r1;\n"
                     "ld.shared.u32 %r5, [%r4];\n";
  expectFault(machine, kernel(0, body + "st.shared.u32 [%r2], %r5;"), {}, 1, 64,
              {"race: ", "of shared memory against a ",
               "with no barrier between", "thread ("});
  EXPECT_TRUE(
      machine.run(kernel(0, body + "bar.sync 0;\nst.shared.u32 [%r2], %r5;"),
                  {}, {1, 1, 1}, {64, 1, 1}));
}

TEST(Race, MissingWarpBarrier) {
  Machine machine;
  std::string body = ".shared .align 4 .b8 s[128];\n"
                     "mov.u32 %r1, s;\nmad.lo.u32 %r2, %t, 4, %r1;\n"
                     "st.shared.u32 [%r2], %t;\n";
  std::string read = "xor.b32 %r3, %t, 1;\nmad.lo.u32 %r2, %r3, 4, %r1;\n"
                     "ld.shared.u32 %r4, [%r2];";
  expectFault(machine, kernel(0, body + read), {}, 1, 32,
              {"race: load of 4 bytes", "a write by block (0, 0, 0), thread"});
  EXPECT_TRUE(machine.run(kernel(0, body + "bar.warp.sync -1;\n" + read), {},
                          {1, 1, 1}, {32, 1, 1}));
}

//===----------------------------------------------------------------------===//
// Global memory, blocks
//===----------------------------------------------------------------------===//

TEST(Race, StoresOfTwoBlocks) {
  Machine machine;
  machine.options.threads = 1;
  uint64_t buffer = machine.upload(std::vector<uint32_t>(64));
  expectFault(machine, kernel(1, storeEach), {buffer}, 2, 32,
              {"race: store of 4 bytes", "block (1, 0, 0)",
               "a write by block number 0",
               "bytes into the allocation of 256"});
  machine.options.checkRaces = false;
  EXPECT_TRUE(
      machine.run(kernel(1, storeEach), {buffer}, {2, 1, 1}, {32, 1, 1}));
}

TEST(Race, ReadOfAnotherBlocksWrite) {
  Machine machine;
  machine.options.threads = 1;
  uint64_t buffer = machine.upload(std::vector<uint32_t>(64));
  std::string text = kernel(1, "mov.u32 %r1, %ctaid.x;\n"
                               "mad.wide.u32 %rd1, %r1, 4, %p0;\n"
                               "ld.global.u32 %r2, [%p0];\n"
                               "st.global.u32 [%rd1+4], %r2;\n"
                               "ld.global.u32 %r3, [%p0+4];");
  expectFault(machine, text, {buffer}, 2, 1,
              {"race: load of 4 bytes", "a write by block number 0"});
}

TEST(Race, BlocksMayShareAWordsBytes) {
  Machine machine;
  machine.options.threads = 1;
  uint64_t buffer = machine.upload(std::vector<uint16_t>(64));
  std::string text = kernel(1, "mov.u32 %r1, %ctaid.x;\n"
                               "mad.wide.u32 %rd1, %r1, 2, %p0;\n"
                               "ld.global.u16 %h1, [%rd1];\n"
                               "st.global.u16 [%rd1], %h1;");
  EXPECT_TRUE(machine.run(text, {buffer}, {8, 1, 1}, {1, 1, 1}));
}

TEST(Race, ReadsOfManyBlocks) {
  Machine machine;
  machine.options.threads = 1;
  uint64_t buffer = machine.upload(std::vector<uint32_t>(64));
  // The last block writes what all have read.
  std::string text = kernel(1, "ld.global.u32 %r1, [%p0];\n"
                               "mov.u32 %r2, %ctaid.x;\n"
                               "setp.eq.u32 %q1, %r2, 2;\n"
                               "@%q1 st.global.u32 [%p0], %r1;");
  expectFault(machine, text, {buffer}, 3, 1,
              {"race: store of 4 bytes",
               "a read by several other blocks in this launch"});
}

//===----------------------------------------------------------------------===//
// Global memory, threads of a block
//===----------------------------------------------------------------------===//

/// Every thread stores to its element of `bits` bits, and after `between` loads
/// that of the thread whose number differs in the bits of `distance`.
std::string exchangeOverGlobal(unsigned bits, const std::string &between,
                               unsigned distance) {
  std::string type = std::to_string(bits), bytes = std::to_string(bits / 8);
  std::string value = bits == 16 ? "%h1" : bits == 32 ? "%r1" : "%rd1";
  return kernel(1,
                "cvt.u" + type + ".u32 " + value + ", %t;\n" +
                    "mad.wide.u32 %rd2, %t, " + bytes + ", %p0;\n" +
                    "st.global.u" + type + " [%rd2], " + value + ";\n" +
                    between + "\nxor.b32 %r3, %t, " + std::to_string(distance) +
                    ";\nmad.wide.u32 %rd3, %r3, " + bytes +
                    ", %p0;\nld.global.u" + type + " " + value + ", [%rd3];");
}

TEST(Race, MissingBarrierOverGlobalMemory) {
  for (unsigned bits : {16, 32, 64}) {
    Machine machine;
    uint64_t buffer = machine.upload(std::vector<uint64_t>(64));
    std::string name = "store of " + std::to_string(bits / 8) + " bytes";
    // The first warp has read what the second writes only now.
    expectFault(machine, exchangeOverGlobal(bits, "", 33), {buffer}, 1, 64,
                {"race: ", name, "against a read by block (0, 0, 0), thread (",
                 "with no barrier between", "bytes into the allocation of 512",
                 "st.global.u"});
    // A fence orders nothing; a barrier does.
    expectFault(machine, exchangeOverGlobal(bits, "membar.gl;", 33), {buffer},
                1, 64, {"race: "});
    auto result = machine.run(exchangeOverGlobal(bits, "bar.sync 0;", 33),
                              {buffer}, {1, 1, 1}, {64, 1, 1});
    EXPECT_TRUE(result) << result.failure().message;
  }
}

TEST(Race, MissingWarpBarrierOverGlobalMemory) {
  Machine machine;
  uint64_t buffer = machine.upload(std::vector<uint64_t>(64));
  expectFault(machine, exchangeOverGlobal(32, "", 1), {buffer}, 1, 32,
              {"race: load of 4 bytes",
               "against a write by block (0, 0, 0), thread (1, 0, 0)"});
  EXPECT_TRUE(machine.run(exchangeOverGlobal(32, "bar.warp.sync -1;", 1),
                          {buffer}, {1, 1, 1}, {32, 1, 1}));
  // It does not order other warps.
  expectFault(machine, exchangeOverGlobal(32, "bar.warp.sync -1;", 32),
              {buffer}, 1, 64, {"race: store of 4 bytes"});
}

TEST(Race, OverwritingWhatAnotherThreadReads) {
  Machine machine;
  uint64_t buffer = machine.upload(std::vector<uint32_t>(64));
  std::string read = "xor.b32 %r3, %t, 1;\nmad.wide.u32 %rd1, %r3, 4, %p0;\n"
                     "ld.global.u32 %r4, [%rd1];\n";
  std::string write = "mad.wide.u32 %rd2, %t, 4, %p0;\n"
                      "st.global.u32 [%rd2], %r4;";
  expectFault(machine, kernel(1, read + write), {buffer}, 1, 64,
              {"race: store of 4 bytes",
               "against a read by block (0, 0, 0), thread (1, 0, 0)"});
  EXPECT_TRUE(machine.run(kernel(1, read + "bar.sync 0;\n" + write), {buffer},
                          {1, 1, 1}, {64, 1, 1}));
}

TEST(Race, ThreadsThatStoreTheSameWord) {
  Machine machine;
  uint64_t buffer = machine.upload(std::vector<uint32_t>(64));
  expectFault(machine, kernel(1, "st.global.u32 [%p0], %t;"), {buffer}, 1, 2,
              {"race: store of 4 bytes", "thread (1, 0, 0)",
               "a write by block (0, 0, 0), thread (0, 0, 0)"});
}

TEST(Race, LoadsOfOneWordByAllThreads) {
  Machine machine;
  uint64_t buffer = machine.upload(std::vector<uint32_t>(64));
  auto text = [](const std::string &writer, const std::string &between) {
    return kernel(1, "setp.eq.u32 %q1, %t, " + writer +
                         ";\n@%q1 st.global.u32 [%p0], %t;\n" + between +
                         "\nld.global.u32 %r1, [%p0];");
  };
  for (const char *writer : {"0", "13", "31"}) {
    expectFault(machine, text(writer, ""), {buffer}, 1, 32,
                {"race: load of 4 bytes",
                 "a write by block (0, 0, 0), thread (" + std::string(writer)});
    EXPECT_TRUE(machine.run(text(writer, "bar.sync 0;"), {buffer}, {1, 1, 1},
                            {32, 1, 1}));
  }
}

TEST(Race, AtomicsOfThreadsOrderThemselves) {
  Machine machine;
  uint64_t buffer = machine.upload(std::vector<uint32_t>(64));
  std::string text = "setp.eq.u32 %q1, %t, 0;\n@%q1 st.global.u32 [%p0], 0;\n"
                     "bar.sync 0;\nred.global.add.u32 [%p0], %t;\n";
  EXPECT_TRUE(machine.run(kernel(1, text), {buffer}, {1, 1, 1}, {64, 1, 1}));
  expectFault(machine, kernel(1, text + "ld.global.u32 %r1, [%p0];"), {buffer},
              1, 64, {"race: load of 4 bytes", "a write by block (0, 0, 0)"});
  EXPECT_TRUE(
      machine.run(kernel(1, text + "bar.sync 0;\nld.global.u32 %r1, [%p0];"),
                  {buffer}, {1, 1, 1}, {64, 1, 1}));
}

TEST(Race, BlocksAndLaunchesForgetTheThreadsOfOthers) {
  Machine machine;
  machine.options.threads = 1;
  uint64_t buffer = machine.upload(std::vector<uint32_t>(4096));
  // Each block has words of its own; the next launch's blocks have others'.
  std::string text =
      kernel(1, "mov.u32 %r1, %ctaid.x;\nmad.lo.u32 %r2, %r1, 64, %t;\n"
                "mad.wide.u32 %rd1, %r2, 4, %p0;\nld.global.u32 %r3, [%rd1];\n"
                "add.u32 %r3, %r3, 1;\nst.global.u32 [%rd1], %r3;");
  for (uint64_t offset : {0, 4, 128, 0})
    EXPECT_TRUE(machine.run(text, {buffer + offset}, {16, 1, 1}, {64, 1, 1}));
}

} // namespace
