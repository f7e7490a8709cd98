//===- Clock.h - What happens before what -----------------------*- C++ -*-===//
//
// Vector clocks. A *lane* is a sequence of operations that run one after the
// other: a stream, or one chain of a graph's nodes. A *moment* is a position in
// a lane. The clock of an operation holds, for every lane, the last moment that
// is certain to be over when the operation runs; so A happens before B exactly
// if B's clock includes A's moment.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPHRT_EMULATOR_DRIVER_CLOCK_H
#define GRAPHRT_EMULATOR_DRIVER_CLOCK_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace graphrt::driver {

using LaneId = uint32_t;

struct Moment {
  LaneId lane = 0;
  /// Counts from 1 within the lane.
  uint64_t sequence = 0;
};

class Clock {
public:
  bool includes(Moment moment) const {
    return moment.lane < last.size() && last[moment.lane] >= moment.sequence;
  }

  void add(Moment moment) {
    if (moment.lane >= last.size())
      last.resize(moment.lane + 1);
    last[moment.lane] = std::max(last[moment.lane], moment.sequence);
  }

  void join(const Clock &other) {
    if (other.last.size() > last.size())
      last.resize(other.last.size());
    for (size_t lane = 0; lane < other.last.size(); ++lane)
      last[lane] = std::max(last[lane], other.last[lane]);
  }

  /// Whether everything that `other` includes is included here.
  bool covers(const Clock &other) const {
    for (LaneId lane = 0; lane < other.last.size(); ++lane)
      if (other.last[lane] && !includes({lane, other.last[lane]}))
        return false;
    return true;
  }

private:
  std::vector<uint64_t> last;
};

} // namespace graphrt::driver

#endif // GRAPHRT_EMULATOR_DRIVER_CLOCK_H
