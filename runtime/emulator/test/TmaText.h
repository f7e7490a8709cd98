//===- TmaText.h - Matrices and TMA copies in PTX text ----------*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_TEST_TMATEXT_H
#define GRAPHRT_EMULATOR_TEST_TMATEXT_H

#include "exec/TensorMap.h"

#include <cstdint>
#include <string>
#include <vector>

namespace graphrt::test {

/// Small integers: every sum is exact.
inline float element(unsigned row, unsigned column) {
  return float(int(row * 7 + column * 3) % 11 - 5);
}

inline std::vector<uint16_t> matrix(unsigned rows, unsigned columns,
                                    uint16_t (*narrow)(float)) {
  std::vector<uint16_t> values;
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned column = 0; column < columns; ++column)
      values.push_back(narrow(element(row, column)));
  return values;
}

/// A map of a row-major matrix of 16-bit elements, copied whole rows of
/// `boxColumns` by `boxRows`.
inline exec::TensorMap describe(uint64_t address, unsigned rows,
                                unsigned columns, unsigned boxRows,
                                unsigned boxColumns,
                                exec::TensorMap::Swizzle swizzle) {
  exec::TensorMap map = {};
  map.magic = exec::TensorMap::expectedMagic;
  map.rank = 2;
  map.elementBytes = 2;
  map.swizzle = swizzle;
  map.address = address;
  map.strides[0] = columns * 2;
  map.extents[0] = columns;
  map.extents[1] = rows;
  map.box[0] = boxColumns;
  map.box[1] = boxRows;
  map.elementStrides[0] = map.elementStrides[1] = 1;
  return map;
}

/// Waits for phase 0 of the mbarrier `bar`.
inline const std::string waitForCopies =
    "$wait:\nmbarrier.try_wait.parity.shared::cta.b64 %q5, [bar], 0;\n"
    "@!%q5 bra $wait;\n";

/// Thread 0 arms `bar` for `bytes` and issues `copies`.
inline std::string armAndIssue(unsigned bytes, const std::string &copies) {
  return "setp.eq.u32 %q1, %t, 0;\n"
         "@%q1 mbarrier.init.shared::cta.b64 [bar], 1;\n"
         "fence.proxy.async;\nbar.sync 0;\n@!%q1 bra $issued;\n"
         "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], " +
         std::to_string(bytes) + ";\n" + copies + "$issued:\n";
}

inline std::string copyTile(const std::string &target, const std::string &map,
                            const std::string &coordinates) {
  return "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx"
         "::bytes [" +
         target + "], [" + map + ", {" + coordinates + "}], [bar];\n";
}

} // namespace graphrt::test

#endif // GRAPHRT_EMULATOR_TEST_TMATEXT_H
