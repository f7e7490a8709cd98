//===- ThreadRaces.h - Races between the threads of a block -----*- C++ -*-===//
//
// Every word of shared memory, and every one of global memory that a block
// touches, has a cell with its last writer and its last reader in the block,
// each as thread and time, and the bytes that they touched:
//
//   writer:10 | time:18 | reader:10 | time:18 | written:4 | read:4
//
// The block's time advances at every event that orders accesses. An access is
// ordered behind an earlier one of a warp if the accessing warp's clock has
// seen a later time of that warp: a barrier joins the clocks of all that pass
// it, bar.warp.sync and shuffles advance a warp's own entry. Only the last
// reader is known, so that a write after several reads may race unnoticed with
// all but one; never is an ordered access reported.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPHRT_EMULATOR_EXEC_THREADRACES_H
#define GRAPHRT_EMULATOR_EXEC_THREADRACES_H

#include "exec/Access.h"
#include "exec/Block.h"

namespace graphrt::exec {

/// Whether such accesses can race: strong loads and stores order themselves.
inline bool checksRaces(const LaunchState &launch, AccessKind kind) {
  return launch.options.checkRaces && kind != AccessKind::StrongLoad &&
         kind != AccessKind::StrongStore;
}

/// Which bytes of its first word an access touches, a bit for each.
inline unsigned maskOfWord(uint64_t address, unsigned bytes) {
  return bytes >= 4 ? 15 : ((1 << bytes) - 1) << (address % 4);
}

struct ThreadCell {
  uint64_t bits;

  static constexpr uint32_t threadMask = 1023;

  unsigned writer() const { return bits >> 54; }
  uint32_t writeTime() const { return bits >> 36 & Block::maxTime; }
  unsigned reader() const { return bits >> 26 & threadMask; }
  uint32_t readTime() const { return bits >> 8 & Block::maxTime; }
  unsigned written() const { return bits >> 4 & 15; }
  unsigned read() const { return bits & 15; }

  void setWriter(unsigned thread, uint32_t time, unsigned mask) {
    bits = (bits & ~writerFields) | uint64_t(thread) << 54 |
           uint64_t(time) << 36 | mask << 4;
  }
  void setReader(unsigned thread, uint32_t time, unsigned mask) {
    bits = (bits & ~readerFields) | uint64_t(thread) << 26 |
           uint64_t(time) << 8 | mask;
  }
  void forgetWriter() { bits &= ~writerFields; }
  void forgetReader() { bits &= ~readerFields; }

  static constexpr uint64_t writerFields = ~uint64_t(0) << 36 | 0xf0;
  static constexpr uint64_t readerFields = ~writerFields;
};

/// The accesses of one lane's instruction.
class ThreadRaceCheck {
public:
  ThreadRaceCheck(const Warp &warp, unsigned lane)
      : warp(warp), thread(warp.index * warpSize + lane),
        time(warp.block.time) {}

  /// Records a read of the bytes `mask` of a cell.
  void read(uint64_t &bits, unsigned mask) {
    ThreadCell cell{bits};
    if (cell.written() & mask)
      compare(cell.writer(), cell.writeTime(), false);
    bool same = cell.reader() == thread && cell.readTime() == time;
    cell.setReader(thread, time, same ? cell.read() | mask : mask);
    bits = cell.bits;
  }

  /// Records a write. Atomics order themselves against each other, but are
  /// recorded as writes.
  void write(uint64_t &bits, unsigned mask, bool atomic) {
    ThreadCell cell{bits};
    if (!atomic && (cell.written() & mask))
      compare(cell.writer(), cell.writeTime(), false);
    if (cell.read() & mask)
      compare(cell.reader(), cell.readTime(), true);
    bool same = cell.writer() == thread && cell.writeTime() == time;
    cell.setWriter(thread, time, same ? cell.written() | mask : mask);
    bits = cell.bits;
  }

  bool found() const { return other >= 0; }
  /// "a write by block (0, 0, 0), thread (3, 0, 0) with no barrier between".
  std::string describe() const {
    return std::string("a ") + (otherReads ? "read" : "write") + " by " +
           warp.block.describeThread(other) + " with no barrier between";
  }

private:
  void compare(unsigned previous, uint32_t when, bool isRead) {
    if (previous == thread || when < warp.clock.seen[previous / warpSize])
      return;
    other = previous;
    otherReads = isRead;
  }

  const Warp &warp;
  unsigned thread;
  uint32_t time;
  int other = -1;
  bool otherReads = false;
};

/// Which fields of cells mean something.
struct KnownAccesses {
  bool writer, reader;
};

/// Records the accesses of all lanes to consecutive elements of `bytes` bytes,
/// which begin at the first cell, if every earlier access is surely ordered
/// before them. If not, changes nothing and returns false.
bool recordInOrder(const Warp &warp, uint64_t *cells, unsigned bytes,
                   bool isLoad, KnownAccesses known);

} // namespace graphrt::exec

#endif // GRAPHRT_EMULATOR_EXEC_THREADRACES_H
