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

  /// Adds those bytes of the words in [begin, end) whose bits `mask` has.
  void add(uint64_t begin, uint64_t end, unsigned mask) {
    if (mask == 15)
      return add(begin, end);
    for (; mask != 0 && begin < end; begin += 4)
      for (unsigned byte = 0; byte < 4; ++byte)
        if (mask >> byte & 1)
          add(begin + byte, begin + byte + 1);
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
    // Runs of words that were touched alike.
    constexpr uint64_t key = uint64_t(0xff) << 56 | 0xff;
    const uint64_t *cell = memory.cells(begin);
    for (uint64_t next; begin < end; begin = next) {
      Cell touched{*cell};
      for (next = begin; next < end && (*cell & key) == (touched.bits & key);
           next += 4)
        ++cell;
      if (touched.launch() != launch)
        continue;
      reads.add(begin, next, touched.read());
      writes.add(begin, next, touched.written());
    }
  });
}
