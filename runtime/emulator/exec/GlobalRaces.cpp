//===- GlobalRaces.cpp - Races over global memory -------------------------===//

#include "exec/GlobalRaces.h"

#include "exec/ThreadRaces.h"

#include <algorithm>

using namespace graphrt;
using namespace graphrt::exec;

namespace {

/// A block's name in cells: from 1, and below the marks for many.
constexpr uint32_t names = Cell::manyWriters - 1;
uint32_t nameOf(uint64_t block) { return block % names + 1; }

uint64_t loadRelaxed(const uint64_t *cell) {
  return __atomic_load_n(cell, __ATOMIC_RELAXED);
}

void storeRelaxed(uint64_t *cell, uint64_t value) {
  __atomic_store_n(cell, value, __ATOMIC_RELAXED);
}

// Blocks on other host threads may change cells meanwhile. Vectors of atomics
// do not exist; that whole cells change is all that a check of races needs.
#define GRAPHRT_RACY __attribute__((no_sanitize("thread")))

/// Whether all cells are equal, or none is of this launch.
GRAPHRT_RACY bool areUniform(const uint64_t *cells, unsigned count,
                             uint64_t launch) {
  // The top bit of `current` becomes set by a cell of this launch.
  uint64_t first = cells[0], differences = 0, current = 0;
  for (unsigned word = 0; word < count; ++word) {
    differences |= cells[word] ^ first;
    current |= (cells[word] >> 56 ^ launch) - 1;
  }
  return differences == 0 || current >> 63 == 0;
}

GRAPHRT_RACY void fill(uint64_t *cells, unsigned count, uint64_t value) {
  for (unsigned word = 0; word < count; ++word)
    cells[word] = value;
}

} // namespace

GlobalRaceCheck::GlobalRaceCheck(Warp &warp, AccessKind kind)
    : launch(warp.block.launch), warp(warp), kind(kind),
      self(nameOf(warp.block.number)),
      checksThreads(!warp.block.timeRestarted && launch.blocks <= names) {}

//===----------------------------------------------------------------------===//
// Between blocks
//===----------------------------------------------------------------------===//

Cell GlobalRaceCheck::read(Cell old, unsigned mask) {
  if (old.writer() != 0 && old.writer() != self && (old.written() & mask))
    conflict(old.writer(), false);
  // Of the bytes that several blocks read, only those count that two have
  // surely read: a block may overwrite what it alone has read.
  uint32_t reader = self;
  unsigned bytesRead = mask;
  if (old.reader() == self) {
    bytesRead |= old.read();
  } else if (old.reader() == Cell::manyReaders || (old.read() & mask)) {
    reader = Cell::manyReaders;
    bytesRead =
        old.reader() == Cell::manyReaders ? old.read() : old.read() & mask;
  }
  return Cell::pack(launch.epoch, old.atomic(), old.writer(), reader,
                    old.written(), bytesRead);
}

Cell GlobalRaceCheck::write(Cell old, unsigned mask) {
  bool atomic = kind == AccessKind::Atomic;
  uint32_t writer = self;
  unsigned written = mask;
  if (old.writer() == self) {
    written |= old.written();
    atomic &= old.atomic();
  } else if (old.writer() != 0 && (old.written() & mask)) {
    if (atomic && old.atomic())
      writer = Cell::manyWriters;
    else
      conflict(old.writer(), false);
  }
  if (old.reader() != 0 && old.reader() != self && (old.read() & mask))
    conflict(old.reader(), true);
  return Cell::pack(launch.epoch, atomic, writer, old.reader(), written,
                    old.read());
}

Cell GlobalRaceCheck::update(Cell old, unsigned mask) {
  return isLoad(kind) ? read(old, mask) : write(old, mask);
}

/// Whether flags in memory order what that block did before this access.
bool GlobalRaceCheck::areOrdered(uint32_t found) const {
  bool acquired = launch.flags[warp.block.number] & LaunchState::Acquired;
  bool isMany = found >= Cell::manyWriters;
  bool published = isMany || (found - 1 < launch.blocks &&
                              launch.flags[found - 1] & LaunchState::Published);
  return acquired && published;
}

void GlobalRaceCheck::conflict(uint32_t found, bool isRead) {
  if (areOrdered(found))
    return;
  other = found;
  otherReads = isRead;
}

//===----------------------------------------------------------------------===//
// Between threads
//===----------------------------------------------------------------------===//

/// A write by a block other than the word's only reader is a race anyway.
bool GlobalRaceCheck::needsThread(Cell old, Cell updated) const {
  return checksThreads &&
         (!isLoad(kind) || old.writer() == self || updated.reader() == self);
}

void GlobalRaceCheck::recordThread(Cell old, uint64_t *bits, unsigned mask,
                                   unsigned lane) {
  ThreadCell cell{loadRelaxed(bits)};
  if (old.writer() != self)
    cell.forgetWriter();
  if (old.reader() != self)
    cell.forgetReader();
  ThreadRaceCheck check(warp, lane);
  if (isLoad(kind))
    check.read(cell.bits, mask);
  else
    check.write(cell.bits, mask, kind == AccessKind::Atomic);
  if (check.found() && !areOrdered(self)) {
    other = self;
    otherThread = check.describe();
  } else {
    storeRelaxed(bits, cell.bits);
  }
}

bool GlobalRaceCheck::recordWord(uint64_t *cell, uint64_t *threadCell,
                                 unsigned mask, unsigned lane) {
  Cell old{loadRelaxed(cell)};
  uint64_t before = old.bits;
  if (old.launch() != launch.epoch)
    old.bits = 0;
  Cell updated = update(old, mask);
  if (other == 0 && needsThread(old, updated))
    recordThread(old, threadCell, mask, lane);
  if (other == 0 && updated.bits != before)
    storeRelaxed(cell, updated.bits);
  return other == 0;
}

bool GlobalRaceCheck::record(unsigned lane, uint64_t address, unsigned bytes) {
  launch.memory.touch(address, bytes, launch.epoch);
  uint64_t *cell = launch.memory.cells(address);
  uint64_t *threadCell = launch.memory.threadCells(address);
  unsigned mask = maskOfWord(address, bytes);
  for (unsigned word = 0; word < std::max(1u, bytes / 4); ++word)
    if (!recordWord(cell + word, threadCell + word, mask, lane))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// All lanes at once
//===----------------------------------------------------------------------===//

bool GlobalRaceCheck::recordAll(uint64_t address, unsigned bytes) {
  unsigned words = bytes * warpSize / 4;
  launch.memory.touch(address, bytes * warpSize, launch.epoch);
  uint64_t *cells = launch.memory.cells(address);
  Cell old{loadRelaxed(cells)};
  if (areUniform(cells, words, launch.epoch)) {
    uint64_t before = old.bits;
    if (old.launch() != launch.epoch)
      old.bits = 0;
    Cell updated = update(old, 15);
    if (other != 0)
      return false;
    if (!needsThread(old, updated) ||
        recordInOrder(warp, launch.memory.threadCells(address), bytes,
                      isLoad(kind),
                      {old.writer() == self, old.reader() == self})) {
      if (updated.bits != before)
        fill(cells, words, updated.bits);
      return true;
    }
  }
  for (unsigned lane = 0; lane < warpSize; ++lane)
    if (!record(lane, address + lane * bytes, bytes))
      return false;
  return true;
}

std::string GlobalRaceCheck::describe() const {
  if (!otherThread.empty())
    return otherThread;
  std::string who = other == Cell::manyWriters || other == Cell::manyReaders
                        ? "several other blocks"
                        : "block number " + std::to_string(other - 1);
  return std::string("a ") + (otherReads ? "read" : "write") + " by " + who +
         " in this launch";
}
