//===- TouchedBytes.cpp - The memory that a launch touched ----------------===//

#include "exec/TouchedBytes.h"

#include "exec/RaceCell.h"

using namespace graphrt::exec;

namespace {

/// Joins bytes that come in ascending order to ranges.
class RangeList {
public:
  explicit RangeList(std::vector<LaunchRecord::Bytes> &ranges)
      : ranges(ranges) {}

  /// Adds those of the four bytes at `address` whose bits `mask` has.
  void add(uint64_t address, unsigned mask) {
    if (mask == 15)
      return add(address, address + 4);
    for (unsigned byte = 0; byte < 4; ++byte)
      if (mask >> byte & 1)
        add(address + byte, address + byte + 1);
  }

private:
  void add(uint64_t begin, uint64_t end) {
    if (!ranges.empty() && ranges.back().end == begin)
      ranges.back().end = end;
    else
      ranges.push_back({begin, end});
  }

  std::vector<LaunchRecord::Bytes> &ranges;
};

} // namespace

void graphrt::exec::collectTouchedBytes(const DeviceMemory &memory,
                                        uint8_t launch, LaunchRecord &record) {
  RangeList reads(record.reads), writes(record.writes);
  memory.forEachTouchedPage(launch, [&](uint64_t begin, uint64_t end) {
    const uint64_t *cell = memory.cells(begin);
    for (uint64_t address = begin; address < end; address += 4, ++cell) {
      Cell touched{*cell};
      if (touched.launch() != launch)
        continue;
      reads.add(address, touched.read());
      writes.add(address, touched.written());
    }
  });
}
