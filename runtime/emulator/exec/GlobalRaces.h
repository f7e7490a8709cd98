//===- GlobalRaces.h - Races over global memory -----------------*- C++ -*-===//
//
// Between blocks: every four bytes have a cell that says which block wrote and
// which blocks read them in this launch, and which of the bytes. Two accesses
// of different blocks to the same byte, one a plain write, race, unless both
// blocks order themselves: the earlier one with a fence followed by an atomic
// (or a store with release), the later one with an atomic or a load with
// acquire. That both use the same flag is not checked.
//
// Between the threads of a block: a second cell, of ThreadRaces.h, holds the
// last accesses of the block that the first cell names; it means nothing where
// that is another block or an earlier launch.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPHRT_EMULATOR_EXEC_GLOBALRACES_H
#define GRAPHRT_EMULATOR_EXEC_GLOBALRACES_H

#include "exec/Access.h"
#include "exec/Block.h"
#include "exec/RaceCell.h"

namespace graphrt::exec {

/// The accesses of one instruction of a warp. The addresses lie in live
/// allocations and are aligned.
class GlobalRaceCheck {
public:
  GlobalRaceCheck(Warp &warp, AccessKind kind);

  /// Records the access of one lane. False for a race, which leaves the cell as
  /// it was, to be found again.
  bool record(unsigned lane, uint64_t address, unsigned bytes);
  /// Records the accesses of all lanes to consecutive elements of `bytes`
  /// bytes, the first at a multiple of 4; false if one of them may be a race.
  bool recordAll(uint64_t address, unsigned bytes);

  /// "a write by block number 3 in this launch", after a race.
  std::string describe() const;

private:
  bool recordWord(uint64_t *cell, uint64_t *threadCell, unsigned mask,
                  unsigned lane);
  void recordThread(Cell old, uint64_t *bits, unsigned mask, unsigned lane);
  bool needsThread(Cell old, Cell updated) const;
  Cell update(Cell old, unsigned mask);
  Cell read(Cell old, unsigned mask);
  Cell write(Cell old, unsigned mask);
  bool areOrdered(uint32_t found) const;
  void conflict(uint32_t found, bool isRead);

  LaunchState &launch;
  Warp &warp;
  AccessKind kind;
  /// The block's name in cells.
  uint32_t self;
  bool checksThreads;
  /// What the access races with: a block's name, or another thread.
  uint32_t other = 0;
  bool otherReads = false;
  std::string otherThread;
};

} // namespace graphrt::exec

#endif // GRAPHRT_EMULATOR_EXEC_GLOBALRACES_H
