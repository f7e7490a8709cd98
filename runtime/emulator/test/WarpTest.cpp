//===- WarpTest.cpp - Divergence, exchanges, memory and atomics -----------===//

#include "Machine.h"

#include <algorithm>
#include <fstream>
#include <numeric>
#include <sstream>

using namespace graphrt;
using namespace graphrt::test;

namespace {

/// Runs `body`, which leaves each thread's result in %r0, and returns them.
std::vector<uint32_t> results(const std::string &body, uint32_t threads = 32,
                              exec::Counters *counters = nullptr) {
  Machine machine;
  uint64_t out = *machine.memory->allocate(threads * 4);
  auto result = machine.run(kernel(1, body + "\nmad.wide.u32 %rd1, %t, 4, %p0;"
                                             "\nst.global.u32 [%rd1], %r0;"),
                            {out}, {1, 1, 1}, {threads, 1, 1});
  if (!result) {
    ADD_FAILURE() << result.failure().message;
    return std::vector<uint32_t>(threads);
  }
  if (counters)
    *counters = *result;
  return machine.download<uint32_t>(out, threads);
}

template <typename F>
void expectEach(const std::string &body, F function) {
  SCOPED_TRACE(body);
  std::vector<uint32_t> found = results(body);
  for (uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(found[lane], uint32_t(function(lane))) << "lane " << lane;
}

TEST(Warp, LoopsOfDifferentLengthReconverge) {
  // The sum below the lane; behind the loop all lanes are together again.
  exec::Counters counters;
  auto found = results("mov.u32 %r0, 0;\nmov.u32 %r1, 0;\n"
                       "setp.eq.u32 %q1, %t, 0;\n@%q1 bra $done;\n"
                       "$top:\nadd.u32 %r0, %r0, %r1;\nadd.u32 %r1, %r1, 1;\n"
                       "setp.lt.u32 %q2, %r1, %t;\n@%q2 bra $top;\n"
                       "$done:\nactivemask.b32 %r2;\n"
                       "not.b32 %r2, %r2;\nadd.u32 %r0, %r0, %r2;",
                       32, &counters);
  for (uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(found[lane], lane * (lane - 1) / 2);
  EXPECT_EQ(counters.divergentBranches, 31u);
}

TEST(Warp, NestedBranchesAndBranchTables) {
  expectEach("and.b32 %r1, %t, 3;\n"
             "$table: .branchtargets $a, $b, $c, $d;\n"
             "brx.idx %r1, $table;\n"
             "$a:\nmov.u32 %r0, 10;\nbra $end;\n"
             "$b:\nmov.u32 %r0, 11;\nbra $end;\n"
             "$c:\nsetp.lt.u32 %q1, %t, 16;\nmov.u32 %r0, 12;\n"
             "@!%q1 bra $end;\nmov.u32 %r0, 13;\nbra $end;\n"
             "$d:\nmov.u32 %r0, 14;\n$end:",
             [](uint32_t lane) {
               constexpr uint32_t values[] = {10, 11, 12, 14};
               return lane % 4 == 2 && lane < 16 ? 13 : values[lane % 4];
             });
}

TEST(Warp, Shuffles) {
  expectEach("shfl.sync.bfly.b32 %r0, %t, 5, 31, -1;",
             [](uint32_t lane) { return lane ^ 5; });
  expectEach("shfl.sync.up.b32 %r0|%q1, %t, 3, 0, -1;\n"
             "@!%q1 mov.u32 %r0, 99;",
             [](uint32_t lane) { return lane < 3 ? 99 : lane - 3; });
  expectEach("shfl.sync.down.b32 %r0, %t, 2, 0x181f, -1;",
             [](uint32_t lane) { return lane % 8 < 6 ? lane + 2 : lane; });
  expectEach("shfl.sync.idx.b32 %r0, %t, 3, 0x181f, -1;",
             [](uint32_t lane) { return lane / 8 * 8 + 3; });
}

TEST(Warp, ShuffleWaitsForDivergedLanes) {
  expectEach("setp.lt.u32 %q1, %t, 7;\nmov.u32 %r1, 1;\n@%q1 bra $a;\n"
             "mov.u32 %r1, 2;\nmov.u32 %r1, 3;\n$a:\n"
             "shfl.sync.bfly.b32 %r0, %r1, 16, 31, -1;",
             [](uint32_t lane) { return (lane ^ 16) < 7 ? 1 : 3; });
}

TEST(Warp, VotesMatchesAndReductions) {
  std::string odd = "and.b32 %r1, %t, 1;\nsetp.ne.u32 %q1, %r1, 0;\n";
  expectEach(odd + "vote.sync.ballot.b32 %r0, %q1, -1;",
             [](uint32_t) { return 0xaaaaaaaau; });
  expectEach(odd + "vote.sync.all.pred %q2, !%q1, -1;\n"
                   "selp.u32 %r0, 1, 0, %q2;",
             [](uint32_t) { return 0u; });
  expectEach(odd + "vote.sync.any.pred %q2, %q1, -1;\n"
                   "selp.u32 %r0, 1, 0, %q2;",
             [](uint32_t) { return 1u; });
  expectEach(odd + "match.any.sync.b32 %r0, %r1, -1;", [](uint32_t lane) {
    return lane % 2 ? 0xaaaaaaaau : 0x55555555u;
  });
  expectEach("redux.sync.add.u32 %r0, %t, -1;", [](uint32_t) { return 496u; });
  expectEach("sub.s32 %r1, 5, %t;\nredux.sync.min.s32 %r0, %r1, -1;",
             [](uint32_t) { return uint32_t(-26); });
  expectEach("elect.sync %r1|%q1, -1;\nselp.u32 %r0, 1, 0, %q1;",
             [](uint32_t lane) { return lane == 0; });
}

TEST(Warp, SpecialRegisters) {
  expectEach("mov.u32 %r0, %lanemask_lt;",
             [](uint32_t lane) { return (1u << lane) - 1; });
  auto found = results("mov.u32 %r1, %warpid;\nmov.u32 %r2, %laneid;\n"
                       "mov.u32 %r3, %ntid.x;\nmad.lo.u32 %r0, %r1, 100, %r2;\n"
                       "mad.lo.u32 %r0, %r3, 10000, %r0;",
                       64);
  EXPECT_EQ(found[33], 640101u);
}

TEST(Warp, ThreeDimensionalGrid) {
  Machine machine;
  uint64_t out = machine.upload(std::vector<uint32_t>(24));
  std::string text =
      kernel(1, "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ctaid.y;\n"
                "mov.u32 %r3, %tid.z;\nmov.u32 %r4, %tid.y;\n"
                "mad.lo.u32 %r5, %r2, 2, %r1;\nmad.lo.u32 %r5, %r5, 2, %r3;\n"
                "mad.lo.u32 %r5, %r5, 2, %r4;\nmul.wide.u32 %rd1, %r5, 4;\n"
                "add.u64 %rd1, %rd1, %p0;\nst.global.u32 [%rd1], %r5;");
  auto result = machine.run(text, {out}, {2, 3, 1}, {1, 2, 2});
  ASSERT_TRUE(result) << result.failure().message;
  std::vector<uint32_t> expected(24);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(machine.download<uint32_t>(out, 24), expected);
}

TEST(Memory, NarrowAndVectorAccesses) {
  Machine machine;
  uint64_t in = machine.upload(std::vector<uint8_t>{0x80, 1, 2, 3, 4, 5, 6, 7});
  uint64_t out = *machine.memory->allocate(64);
  auto result = machine.run(
      kernel(2, "ld.global.s8 %h1, [%p0];\ncvt.s32.s16 %r1, %h1;\n"
                "ld.global.u8 %r2, [%p0];\n"
                "ld.global.nc.v4.u16 {%h2, %h3, %h4, %h5}, [%p0];\n"
                "cvt.u32.u16 %r3, %h5;\nst.global.v2.u32 [%p1], {%r1, %r2};\n"
                "st.global.v2.b32 [%p1+8], {%r3, 0f3F800000};\n"
                "st.global.b8 [%p1+16], %r1;"),
      {in, out}, {1, 1, 1}, {1, 1, 1});
  ASSERT_TRUE(result) << result.failure().message;
  EXPECT_EQ(machine.download<uint32_t>(out, 4),
            (std::vector<uint32_t>{0xffffff80, 0x80, 0x0706, 0x3f800000}));
  EXPECT_EQ(machine.download<uint8_t>(out + 16, 1)[0], 0x80);
}

TEST(Memory, GenericAddressesReachEverySpace) {
  // Even lanes point to shared, odd ones to local memory.
  expectEach(".shared .align 4 .b8 s[128];\n.local .align 4 .b8 l[8];\n"
             "cvta.shared.u64 %rd2, s;\ncvta.local.u64 %rd3, l;\n"
             "mad.wide.u32 %rd2, %t, 4, %rd2;\nadd.u64 %rd3, %rd3, 4;\n"
             "and.b32 %r1, %t, 1;\nsetp.eq.u32 %q1, %r1, 0;\n"
             "selp.b64 %rd4, %rd2, %rd3, %q1;\n"
             "mul.lo.u32 %r2, %t, 3;\nst.u32 [%rd4], %r2;\n"
             "ld.u32 %r0, [%rd4];\ncvta.to.shared.u64 %rd5, %rd2;\n"
             "@%q1 ld.shared.u32 %r0, [%rd5];",
             [](uint32_t lane) { return lane * 3; });
}

TEST(Memory, Variables) {
  Machine machine;
  uint64_t out = *machine.memory->allocate(64);
  std::string declarations = ".global .align 4 .u32 g[3] = {5, 6};\n"
                             ".const .align 4 .b8 c[4] = {1, 2, 3};\n"
                             ".global .align 8 .u64 pointer[1] = {g+4};\n"
                             ".global .align 4 .f32 f = 0f40000000;\n";
  auto result =
      machine.run(kernel(1,
                         "ld.global.u64 %rd1, [pointer];\n"
                         "ld.global.u32 %r1, [%rd1];\nld.const.u32 %r2, [c];\n"
                         "ld.global.u32 %r3, [g+8];\nmov.u64 %rd2, g;\n"
                         "ld.global.u32 %r4, [%rd2];\n"
                         "st.global.v4.u32 [%p0], {%r1, %r2, %r3, %r4};\n"
                         "ld.global.f32 %f1, [f];\nst.global.f32 [%p0+16], "
                         "%f1;",
                         declarations),
                  {out}, {1, 1, 1}, {1, 1, 1});
  ASSERT_TRUE(result) << result.failure().message;
  EXPECT_EQ(machine.download<uint32_t>(out, 5),
            (std::vector<uint32_t>{6, 0x00030201, 0, 5, 0x40000000}));
}

TEST(Memory, ModulesShareNothing) {
  Machine machine;
  std::string text = kernel(0, "", ".global .u32 counter = 3;\n");
  auto first = *ptx::Module::parse(text), second = *ptx::Module::parse(text);
  uint64_t one = (**machine.memory->place(*first))[0];
  uint64_t other = (**machine.memory->place(*second))[0];
  EXPECT_NE(one, other);
  EXPECT_EQ((**machine.memory->place(*first))[0], one);
  EXPECT_EQ(machine.download<uint32_t>(other, 1)[0], 3u);
}

TEST(Memory, HostAccessesAreChecked) {
  auto memory = std::move(*exec::DeviceMemory::create(1024));
  uint64_t buffer = *memory->allocate(100);
  std::vector<uint8_t> bytes(200);
  auto message = [](Status status) {
    return status ? status.failure().message : "success";
  };
  EXPECT_EQ(message(memory->write(buffer + 50, bytes.data(), 60)),
            "found a write of 60 bytes at offset 50 of an allocation of 100 "
            "bytes");
  EXPECT_EQ(message(memory->read(bytes.data(), buffer + 200, 1)),
            "found a read of 1 bytes outside of every allocation");
  EXPECT_EQ(message(memory->free(buffer + 4)),
            "found a free of an address that is not an allocation's");
  EXPECT_EQ(message(memory->free(buffer)), "success");
  EXPECT_EQ(message(memory->free(buffer)),
            "found a second free of an allocation of 100 bytes");
  EXPECT_EQ(memory->allocate(2000).failure().message,
            "found an allocation of 2000 bytes, expected at most the 1024 that "
            "are free of 1024");
  EXPECT_EQ(memory->allocate(0).failure().message,
            "found an allocation of 0 bytes, expected at least 1");
}

TEST(Memory, AddressesAreReusedWhenTheRangeIsFull) {
  auto memory = std::move(*exec::DeviceMemory::create(1 << 20));
  uint64_t kept = *memory->allocate(1000);
  for (unsigned round = 0; round < 100; ++round) {
    auto address = memory->allocate(1 << 19);
    ASSERT_TRUE(address) << address.failure().message;
    EXPECT_TRUE(*address > kept + 1000 || *address + (1 << 19) < kept);
    ASSERT_FALSE(memory->free(*address));
  }
  EXPECT_EQ(memory->used(), 1000u);
}

TEST(Atomic, GlobalAndShared) {
  Machine machine;
  uint64_t buffer = machine.upload(std::vector<uint32_t>(8));
  std::string text =
      kernel(1, "atom.global.add.u32 %r1, [%p0], 1;\n"
                "red.global.max.u32 [%p0+4], %t;\nred.global.add.f32 [%p0+8], "
                "0f3F800000;\nred.global.or.b32 [%p0+12], 6;\n"
                "atom.global.cas.b32 %r2, [%p0+16], 0, 77;\n"
                "atom.global.inc.u32 %r3, [%p0+20], 9;\n"
                "red.global.add.noftz.bf16x2 [%p0+24], %r63;");
  auto start = text.find("red.global.add.noftz");
  text.insert(start, "mov.b32 %r63, 0x3f803f80;\n");
  auto result = machine.run(text, {buffer}, {4, 1, 1}, {64, 1, 1});
  ASSERT_TRUE(result) << result.failure().message;
  auto found = machine.download<uint32_t>(buffer, 8);
  EXPECT_EQ(found[0], 256u);
  EXPECT_EQ(found[1], 63u);
  EXPECT_EQ(found[2], 0x43800000u); // 256
  EXPECT_EQ(found[3], 6u);
  EXPECT_EQ(found[4], 77u);
  EXPECT_EQ(found[5], 256u % 10);
  EXPECT_EQ(found[6], 0x43804380u);
  EXPECT_EQ(result->atomicRequests, 7 * 8u);
}

TEST(Atomic, TheLastBlockMayReadWhatAllHavePublished) {
  Machine machine;
  uint64_t parts = machine.upload(std::vector<uint32_t>(8));
  uint64_t count = machine.upload(std::vector<uint32_t>(1));
  uint64_t out = machine.upload(std::vector<uint32_t>(1));
  auto text = [](const std::string &fence) {
    return kernel(3, "mov.u32 %r1, %ctaid.x;\nmad.wide.u32 %rd1, %r1, 4, %p0;\n"
                     "add.u32 %r2, %r1, 1;\nst.global.u32 [%rd1], %r2;\n" +
                         fence +
                         "atom.global.add.u32 %r3, [%p1], 1;\n"
                         "setp.ne.u32 %q1, %r3, 7;\n@%q1 ret;\n"
                         "mov.u32 %r4, 0;\nmov.u32 %r6, 0;\n$top:\n"
                         "mad.wide.u32 %rd2, %r4, 4, %p0;\n"
                         "ld.global.u32 %r5, [%rd2];\nadd.u32 %r6, %r6, %r5;\n"
                         "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %q2, %r4, 8;\n"
                         "@%q2 bra $top;\nst.global.u32 [%p2], %r6;");
  };
  auto good = machine.run(text("membar.gl;\n"), {parts, count, out}, {8, 1, 1},
                          {1, 1, 1});
  ASSERT_TRUE(good) << good.failure().message;
  EXPECT_EQ(machine.download<uint32_t>(out, 1)[0], 36u);
  uint32_t zero = 0;
  ASSERT_FALSE(machine.memory->write(count, &zero, 4));
  auto bad = machine.run(text(""), {parts, count, out}, {8, 1, 1}, {1, 1, 1});
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.failure().message.find("race: load"), std::string::npos);
}

TEST(Barrier, NamedBarriersCountThreads) {
  // Warp 0 hands over to warp 1 by barrier 3; warp 2 takes no part.
  auto found = results(
      ".shared .align 4 .b8 s[4];\nmov.u32 %r0, 0;\nmov.u32 %r1, %warpid;\n"
      "setp.eq.u32 %q1, %t, 0;\n@%q1 st.shared.u32 [s], 42;\n"
      "setp.eq.u32 %q2, %r1, 0;\n@%q2 bar.arrive 3, 64;\n"
      "setp.ne.u32 %q3, %r1, 1;\n@%q3 bra $end;\nbar.sync 3, 64;\n"
      "ld.shared.u32 %r0, [s];\n$end:",
      96);
  EXPECT_EQ(found[0], 0u);
  EXPECT_EQ(found[40], 42u);
}

TEST(Counters, SectorsAndBankConflicts) {
  Machine machine;
  uint64_t buffer = machine.upload(std::vector<uint32_t>(1024));
  auto count = [&](const std::string &body) {
    auto result = machine.run(kernel(1, body), {buffer}, {1, 1, 1}, {32, 1, 1});
    EXPECT_TRUE(result) << result.failure().message;
    return *result;
  };
  auto load = [&](unsigned stride) {
    return count("mad.wide.u32 %rd1, %t, " + std::to_string(stride) +
                 ", %p0;\nld.global.u32 %r1, [%rd1];");
  };
  exec::Counters coalesced = load(4), strided = load(32), same = load(0);
  EXPECT_EQ(coalesced.globalLoadSectors, 4u);
  EXPECT_EQ(coalesced.idealLoadSectors, 4u);
  EXPECT_EQ(coalesced.globalLoadBytes, 128u);
  EXPECT_EQ(coalesced.warpInstructions, 5u);
  EXPECT_EQ(coalesced.threadInstructions, 5u * 32);
  EXPECT_EQ(strided.globalLoadSectors, 32u);
  EXPECT_EQ(strided.idealLoadSectors, 4u);
  EXPECT_EQ(same.globalLoadSectors, 1u);
  EXPECT_EQ(same.idealLoadSectors, 1u);
  auto conflicts = [&](const std::string &type, unsigned stride) {
    return count(".shared .align 16 .b8 s[8192];\nmov.u32 %r1, s;\n"
                 "mad.lo.u32 %r1, %t, " +
                 std::to_string(stride) + ", %r1;\nst.shared." + type + ";")
        .sharedStoreConflicts;
  };
  EXPECT_EQ(conflicts("u32 [%r1], %t", 4), 0u);
  EXPECT_EQ(conflicts("u32 [%r1], %t", 8), 1u);
  EXPECT_EQ(conflicts("u32 [%r1], %t", 128), 31u);
  EXPECT_EQ(conflicts("v4.u32 [%r1], {%t, %t, %t, %t}", 16), 0u);
  EXPECT_EQ(conflicts("v4.u32 [%r1], {%t, %t, %t, %t}", 128), 28u);
  EXPECT_EQ(conflicts("v2.u32 [%r1], {%t, %t}", 8), 0u);
}

TEST(Function, CallsPassParametersBothWays) {
  std::string function = ".func (.param .b32 out) twicePlus(.param .b32 a, "
                         ".param .b32 b)\n{\n.reg .b32 %r<5>;\n.reg .pred %p;\n"
                         "ld.param.u32 %r1, [a];\nld.param.u32 %r2, [b];\n"
                         "setp.lt.u32 %p, %r1, 5;\n@%p bra $small;\n"
                         "mad.lo.u32 %r1, %r1, 2, %r2;\n$small:\n"
                         "st.param.b32 [out+0], %r1;\nret;\n}\n";
  std::string call = "{\n.param .b32 p0;\nst.param.b32 [p0+0], %t;\n"
                     ".param .b32 p1;\nst.param.b32 [p1], 7;\n"
                     ".param .b32 result;\n"
                     "call.uni (result), twicePlus, (p0, p1);\n"
                     "ld.param.b32 %r1, [result+0];\n}\n";
  Machine machine;
  uint64_t out = *machine.memory->allocate(128);
  auto result = machine.run(kernel(1,
                                   call + "mad.wide.u32 %rd1, %t, 4, %p0;\n"
                                          "st.global.u32 [%rd1], %r1;",
                                   function),
                            {out}, {1, 1, 1}, {32, 1, 1});
  ASSERT_TRUE(result) << result.failure().message;
  auto found = machine.download<uint32_t>(out, 32);
  for (uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(found[lane], lane < 5 ? lane : lane * 2 + 7);
}

} // namespace
