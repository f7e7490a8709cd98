//===- RaceCell.h - Who touched four bytes in a launch ----------*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_EXEC_RACECELL_H
#define GRAPHRT_EMULATOR_EXEC_RACECELL_H

#include <cstdint>

namespace graphrt::exec {

/// The accesses to four aligned bytes of global memory in one launch:
///
///   launch:8 | atomic:1 | writer:23 | reader:24 | written:4 | read:4
struct Cell {
  uint64_t bits;

  static constexpr uint32_t manyReaders = 0xffffff;
  static constexpr uint32_t manyWriters = 0x7fffff;

  uint8_t launch() const { return bits >> 56; }
  bool atomic() const { return bits >> 55 & 1; }
  uint32_t writer() const { return bits >> 32 & manyWriters; }
  uint32_t reader() const { return bits >> 8 & manyReaders; }
  unsigned written() const { return bits >> 4 & 15; }
  unsigned read() const { return bits & 15; }

  static Cell pack(uint8_t launch, bool atomic, uint32_t writer,
                   uint32_t reader, unsigned written, unsigned read) {
    return {uint64_t(launch) << 56 | uint64_t(atomic) << 55 |
            uint64_t(writer) << 32 | uint64_t(reader) << 8 | written << 4 |
            read};
  }
};

} // namespace graphrt::exec

#endif // GRAPHRT_EMULATOR_EXEC_RACECELL_H
