//===- FaultTest.cpp - Seeded faults are caught and named -----------------===//

#include "ExpectFault.h"

using namespace graphrt;
using namespace graphrt::test;

namespace {

TEST(Fault, OutOfBoundsStore) {
  Machine machine;
  uint64_t buffer = *machine.memory->allocate(400);
  expectFault(machine, kernel(1, storeEach), {buffer}, 1, 128,
              {"out-of-bounds store of 4 bytes", "kernel 'k'",
               "block (0, 0, 0), thread (100, 0, 0)",
               "line 16: ", "st.global.u32 [%rd1], %t;",
               "0 bytes behind the end of the allocation of 400 bytes"});
  // The warps before have stored theirs.
  EXPECT_EQ(machine.download<uint32_t>(buffer, 100)[95], 95u);
}

TEST(Fault, LoadBeforeAnAllocation) {
  Machine machine;
  uint64_t buffer = *machine.memory->allocate(400);
  expectFault(machine, kernel(1, "ld.global.u32 %r1, [%p0+-8];"), {buffer}, 1,
              1, {"out-of-bounds load", "8 bytes before the allocation"});
}

TEST(Fault, NullPointer) {
  Machine machine;
  expectFault(machine, kernel(1, "ld.global.u32 %r1, [%p0];"), {0}, 1, 1,
              {"out-of-bounds load of 4 bytes at 0x0", "nothing is allocated"});
}

TEST(Fault, UseAfterFree) {
  Machine machine;
  uint64_t buffer = *machine.memory->allocate(400);
  ASSERT_FALSE(machine.memory->free(buffer));
  expectFault(machine, kernel(1, storeEach), {buffer}, 1, 32,
              {"use after free: store of 4 bytes",
               "0 bytes into the freed allocation of 400 bytes"});
}

TEST(Fault, UninitializedRead) {
  Machine machine;
  uint64_t buffer = *machine.memory->allocate(64);
  expectFault(machine, kernel(1, "ld.global.u32 %r1, [%p0+8];"), {buffer}, 1, 1,
              {"uninitialised load of 4 bytes",
               "8 bytes into the allocation of 64 bytes"});
  machine.options.checkInitialized = false;
  EXPECT_TRUE(machine.run(kernel(1, "ld.global.u32 %r1, [%p0+8];"), {buffer},
                          {1, 1, 1}, {1, 1, 1}));
}

TEST(Fault, UninitializedSharedAndLocalRead) {
  Machine machine;
  expectFault(machine,
              kernel(0, ".shared .align 4 .b8 s[64];\nld.shared.u32 %r1, [s];"),
              {}, 1, 1, {"uninitialised load of 4 bytes", "of shared memory"});
  expectFault(machine,
              kernel(0, ".local .align 4 .b8 l[64];\nld.local.u32 %r1, [l+4];"),
              {}, 1, 1, {"uninitialised load of 4 bytes", "of local memory"});
}

TEST(Fault, MisalignedVectorLoad) {
  Machine machine;
  uint64_t buffer = machine.upload(std::vector<float>(64));
  expectFault(
      machine, kernel(1, "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%p0+8];"),
      {buffer}, 1, 1, {"misaligned load of 16 bytes", "ld.global.v4.f32"});
}

TEST(Fault, LocalOutOfBoundsAndMisaligned) {
  Machine machine;
  std::string local = ".local .align 8 .b8 l[64];\nmov.u64 %rd1, l;\n";
  expectFault(machine, kernel(0, local + "st.local.u32 [%rd1+62], %t;"), {}, 1,
              1,
              {"out-of-bounds store of 4 bytes at 0x3e of local memory, which "
               "has 64 bytes, in kernel"});
  expectFault(machine, kernel(0, local + "st.local.u32 [%rd1+6], %t;"), {}, 1,
              1, {"misaligned store of 4 bytes at 0x6 of local memory"});
}

TEST(Fault, SharedMisaligned) {
  Machine machine;
  expectFault(machine,
              kernel(0, ".shared .align 8 .b8 s[64];\nmov.u32 %r1, s;\n"
                        "st.shared.u32 [%r1+2], %t;"),
              {}, 1, 1, {"misaligned store of 4 bytes at 0x2 of shared"});
}

TEST(Fault, SharedOutOfBounds) {
  Machine machine;
  expectFault(
      machine,
      kernel(0, ".shared .align 4 .b8 s[64];\nmov.u32 %r1, s;\n"
                "mad.lo.u32 %r1, %t, 4, %r1;\nst.shared.u32 [%r1], %t;"),
      {}, 1, 32,
      {"out-of-bounds store", "thread (16, 0, 0)", "which has 64 bytes"});
}

TEST(Fault, BarrierDivergence) {
  Machine machine;
  expectFault(machine, kernel(0, "setp.lt.u32 %q1, %t, 16;\n@%q1 bar.sync 0;"),
              {}, 1, 32,
              {"divergent barrier: lanes 0x0000ffff", "lanes 0xffff0000",
               "bar.sync 0"});
}

TEST(Fault, Deadlock) {
  Machine machine;
  expectFault(machine,
              kernel(0, "setp.lt.u32 %q1, %t, 32;\n@%q1 bra $a;\n"
                        "bar.sync 1;\nbra $b;\n$a:\nbar.sync 2, 64;\n$b:"),
              {}, 1, 64,
              {"deadlock: found 64 of 64 threads", "warp 0 waits in line"});
}

TEST(Fault, EndlessLoop) {
  Machine machine;
  machine.options.maxWarpInstructions = 100000;
  expectFault(machine, kernel(0, "$top:\nadd.u32 %r1, %r1, 1;\nbra $top;"), {},
              1, 32, {"endless loop", "expected at most 100000", "kernel 'k'"});
}

TEST(Fault, MissingCopyWait) {
  Machine machine;
  uint64_t buffer = machine.upload(std::vector<uint32_t>(128, 7));
  auto text = [](const std::string &wait) {
    return kernel(2, ".shared .align 16 .b8 s[512];\nmov.u32 %r1, s;\n"
                     "mad.lo.u32 %r1, %t, 16, %r1;\n"
                     "mad.wide.u32 %rd1, %t, 16, %p0;\n"
                     "cp.async.cg.shared.global [%r1], [%rd1], 16;\n"
                     "cp.async.commit_group;\n" +
                         wait +
                         "\nld.shared.u32 %r2, [%r1];\n"
                         "mad.wide.u32 %rd2, %t, 4, %p1;\n"
                         "st.global.u32 [%rd2], %r2;");
  };
  uint64_t out = *machine.memory->allocate(128);
  expectFault(machine, text(""), {buffer, out}, 1, 32,
              {"missing wait: load of 4 bytes", "asynchronous copy"});
  expectFault(machine, text("cp.async.wait_group 1;"), {buffer, out}, 1, 32,
              {"missing wait: load of 4 bytes"});
  EXPECT_TRUE(machine.run(text("cp.async.wait_group 0;"), {buffer, out},
                          {1, 1, 1}, {32, 1, 1}));
  EXPECT_EQ(machine.download<uint32_t>(out, 32), std::vector<uint32_t>(32, 7));
}

TEST(Fault, ShuffleWithAMissingMember) {
  Machine machine;
  expectFault(machine, kernel(0, "shfl.sync.idx.b32 %r1, %t, 20, 31, 0xffff;"),
              {}, 1, 16, {"bad shuffle: it reads lane 20"});
}

TEST(Fault, MemberMaskWithoutTheLane) {
  Machine machine;
  expectFault(machine, kernel(0, "shfl.sync.idx.b32 %r1, %t, 0, 31, 2;"), {}, 1,
              1, {"bad member mask: found one without the lane itself"});
}

TEST(Fault, BranchOutsideOfTheTable) {
  Machine machine;
  expectFault(machine,
              kernel(0, "$table: .branchtargets $a, $b;\nbrx.idx %t, $table;\n"
                        "$a:\nret;\n$b:"),
              {}, 1, 4,
              {"bad branch: found index 2, expected less than 2",
               "thread (2, 0, 0)", "brx.idx %t, $table;"});
}

TEST(Fault, BadBarrierNumberAndCount) {
  Machine machine;
  expectFault(machine, kernel(0, "mov.u32 %r1, 16;\nbar.sync %r1;"), {}, 1, 32,
              {"bad barrier: found number 16, expected less than 16"});
  expectFault(machine, kernel(0, "bar.sync 1, 33;"), {}, 1, 32,
              {"found 33 threads, expected a multiple of 32"});
}

TEST(Fault, Trap) {
  Machine machine;
  expectFault(machine, kernel(0, "trap;"), {}, 1, 1, {"trap reached"});
}

TEST(Fault, BadParameterLoad) {
  Machine machine;
  expectFault(
      machine, kernel(1, "ld.param.u64 %rd1, [p0+4];"), {0}, 1, 1,
      {"bad load of 8 bytes at 0x4 of the parameters, which have 8 bytes "
       "and are read only, in kernel"});
}

TEST(LaunchConfig, MustFitTheKernel) {
  Machine machine;
  auto message = [&](const std::string &text, std::vector<uint64_t> arguments,
                     std::array<uint32_t, 3> grid,
                     std::array<uint32_t, 3> block, uint32_t shared) {
    auto result = machine.run(text, arguments, grid, block, shared);
    return result ? std::string("success") : result.failure().message;
  };
  std::string text = kernel(1, "");
  EXPECT_EQ(message(text, {}, {1, 1, 1}, {1, 1, 1}, 0),
            "launch of kernel 'k': found 0 parameters, expected 1");
  EXPECT_EQ(message(text, {0}, {0, 1, 1}, {1, 1, 1}, 0),
            "launch of kernel 'k': found a grid of (0, 1, 1) blocks, expected "
            "at least one");
  EXPECT_EQ(message(text, {0}, {1, 1, 1}, {32, 33, 1}, 0),
            "launch of kernel 'k': found a block of (32, 33, 1) threads, "
            "expected 1 to 1024");
  EXPECT_EQ(message(text, {0}, {1, 1, 1}, {1, 1, 1}, 1 << 20),
            "launch of kernel 'k': found 1048576 bytes of shared memory, "
            "expected at most 232448");
  std::string required = std::string(header) +
                         ".visible .entry k()\n.reqntid 64, 1, 1\n{\nret;\n}\n";
  EXPECT_EQ(message(required, {}, {1, 1, 1}, {32, 1, 1}, 0),
            "launch of kernel 'k': found a block of (32, 1, 1) threads, "
            "expected (64, 1, 1)");
}

} // namespace
