//===- BulkFaultTest.cpp - Faults of mbarriers and bulk copies ------------===//

#include "ExpectFault.h"

#include "exec/TensorMap.h"

using namespace graphrt;
using namespace graphrt::test;

namespace {

const std::string shared = ".shared .align 128 .b8 s[256];\n"
                           ".shared .align 8 .b64 bar;\n";
const std::string init = "mbarrier.init.shared::cta.b64 [bar], 1;\n";

TEST(BulkFault, MbarrierAtABadAddress) {
  Machine machine;
  expectFault(machine,
              kernel(0, shared + "mov.u32 %r1, s;\n"
                                 "mbarrier.init.shared::cta.b64 [%r1+4], 1;"),
              {}, 1, 1,
              {"bad mbarrier: found shared address 4, expected a multiple of 8 "
               "in 272 bytes"});
}

TEST(BulkFault, MbarrierThatNobodyHasMade) {
  Machine machine;
  expectFault(machine,
              kernel(0, shared + "mbarrier.arrive.shared::cta.b64 _, [bar];"),
              {}, 1, 1,
              {"bad mbarrier: found none at shared address 256, expected one "
               "that mbarrier.init has made"});
}

TEST(BulkFault, MoreArrivalsThanExpected) {
  Machine machine;
  expectFault(
      machine,
      kernel(0, shared + init + "mbarrier.arrive.shared::cta.b64 _, [bar], 2;"),
      {}, 1, 1,
      {"bad mbarrier: found 2 arrivals, expected at most the 1 that are "
       "pending"});
}

std::string bulkCopy(const std::string &bytes) {
  return "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
         "[s], [%p0], " +
         bytes + ", [bar];\n";
}

TEST(BulkFault, CopyThatIsMisaligned) {
  Machine machine;
  uint64_t source = machine.upload(std::vector<uint32_t>(64));
  expectFault(machine, kernel(1, shared + init + bulkCopy("8")), {source}, 1, 1,
              {"misaligned bulk copy: found 8 bytes at shared address 0, "
               "expected multiples of 16"});
}

TEST(BulkFault, CopyForNoMbarrier) {
  Machine machine;
  uint64_t source = machine.upload(std::vector<uint32_t>(64));
  expectFault(machine, kernel(1, shared + bulkCopy("16")), {source}, 1, 1,
              {"bad mbarrier: found none at shared address 256"});
}

TEST(BulkFault, CopyByABadMap) {
  Machine machine;
  std::string copy = "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::"
                     "complete_tx::bytes [s], [%p0, {0, 0}], [bar];\n";
  uint64_t other = machine.upload(std::vector<uint32_t>(64));
  expectFault(machine, kernel(1, shared + init + copy), {other}, 1, 1,
              {"bad tensor map: found other bytes than cuTensorMapEncodeTiled "
               "writes"});
  exec::TensorMap map = {};
  map.magic = exec::TensorMap::expectedMagic;
  map.rank = 1;
  map.elementBytes = 4;
  map.address = other;
  map.extents[0] = map.box[0] = 16;
  map.elementStrides[0] = 1;
  uint64_t maps = machine.upload(std::vector<exec::TensorMap>{map});
  expectFault(machine, kernel(1, shared + init + copy), {maps}, 1, 1,
              {"bad tensor copy: found a map of rank 1 and shared address 0, "
               "expected rank 2 and a multiple of 128"});
}

} // namespace
