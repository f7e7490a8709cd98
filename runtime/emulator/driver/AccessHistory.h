//===- AccessHistory.h - Races between operations ---------------*- C++ -*-===//
//
// Remembers, for every byte that operations touched, the last write and the
// reads since. An operation that touches a byte which another one touched, one
// of them writing, must be ordered after it; if its clock does not say so, a
// wait is missing, in whatever order the two happened to run.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPHRT_EMULATOR_DRIVER_ACCESSHISTORY_H
#define GRAPHRT_EMULATOR_DRIVER_ACCESSHISTORY_H

#include "Clock.h"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace graphrt::driver {

/// The addresses [begin, end), of the device or of host memory: the two never
/// share addresses.
struct ByteRange {
  uint64_t begin = 0;
  uint64_t end = 0;
};

/// How messages name an operation, and its place in time.
struct OperationName {
  std::string text;
  Moment moment;
};
using OperationNameRef = std::shared_ptr<const OperationName>;

class AccessHistory {
public:
  /// An earlier access that the recorded one is not ordered after.
  struct Conflict {
    OperationNameRef other;
    bool otherWrites;
    ByteRange range;
  };

  /// Records that `name`, with what `clock` says to be over before it, reads or
  /// writes `range`. Returns the first conflict, if there is one.
  std::optional<Conflict> record(const OperationNameRef &name,
                                 const Clock &clock, ByteRange range,
                                 bool isWrite);

  /// Forgets accesses to memory that is gone.
  void forget(ByteRange range);
  void clear() { segments.clear(); }

private:
  /// Bytes with one history; the key in the map is their begin.
  struct Segment {
    uint64_t end;
    OperationNameRef writer;
    std::vector<OperationNameRef> readers;
  };
  using Segments = std::map<uint64_t, Segment>;

  /// Splits the segment that contains `address` in its middle, and returns the
  /// first segment that begins at or after it.
  Segments::iterator splitAt(uint64_t address);
  /// What an operation that knows `clock`, which includes the operation itself,
  /// conflicts with in a segment.
  static std::optional<Conflict> findConflict(const Segments::value_type &entry,
                                              const Clock &clock, bool isWrite);
  void recordWrite(const OperationNameRef &name, ByteRange range);
  void recordRead(const OperationNameRef &name, const Clock &clock,
                  ByteRange range);

  Segments segments;
};

} // namespace graphrt::driver

#endif // GRAPHRT_EMULATOR_DRIVER_ACCESSHISTORY_H
