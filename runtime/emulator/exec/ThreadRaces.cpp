//===- ThreadRaces.cpp - Races between the threads of a block -------------===//

#include "exec/ThreadRaces.h"

#include <algorithm>

using namespace graphrt;
using namespace graphrt::exec;

namespace {

/// The thread that a cell keeps of those that touch it, and its bytes: the last
/// one, where elements are narrower than a cell.
struct LaneOfWord {
  unsigned first, add, shift, mask;

  LaneOfWord(const Warp &warp, unsigned bytes)
      : first(warp.index * warpSize), add(bytes < 4 ? 4 / bytes : 1),
        shift(bytes < 4 ? 0 : std::countr_zero(bytes / 4)),
        mask(bytes < 4 ? 15 & 15 << (4 - bytes) : 15) {}

  uint64_t thread(unsigned word) const {
    return first + (((word + 1) * add - 1) >> shift);
  }
};

/// The time before which the warp has seen all accesses of its block.
uint32_t oldestSeen(const Warp &warp) {
  size_t warps = warp.block.warps.size();
  return *std::min_element(warp.clock.seen, warp.clock.seen + warps);
}

/// Whether the access in the fields from bit `shift` on of every cell was
/// before `time` or by the same thread.
template <unsigned Shift>
bool areBefore(const uint64_t *cells, unsigned words, uint64_t time,
               LaneOfWord lanes, uint64_t compareThreads) {
  // Sign bits instead of comparisons, which vectors of 64 bits lack.
  uint64_t all = ~uint64_t(0);
  for (unsigned word = 0; word < words; ++word) {
    uint64_t when = cells[word] >> Shift & Block::maxTime;
    uint64_t thread = cells[word] >> (Shift + 18) & ThreadCell::threadMask;
    uint64_t isSame = (thread ^ lanes.thread(word)) - 1;
    all &= (when - time) | (isSame & compareThreads);
  }
  return all >> 63;
}

} // namespace

bool exec::recordInOrder(const Warp &warp, uint64_t *cells, unsigned bytes,
                         bool isLoad, KnownAccesses known) {
  unsigned words = bytes * warpSize / 4;
  LaneOfWord lanes(warp, bytes);
  // Several threads share a cell of narrow elements.
  uint64_t compareThreads = bytes < 4 ? 0 : ~uint64_t(0);
  uint64_t seen = oldestSeen(warp), time = warp.block.time;
  if (known.writer && !areBefore<36>(cells, words, seen, lanes, compareThreads))
    return false;
  if (!isLoad && known.reader &&
      !areBefore<8>(cells, words, seen, lanes, compareThreads))
    return false;
  uint64_t kept = isLoad ? (known.writer ? ThreadCell::writerFields : 0)
                         : (known.reader ? ThreadCell::readerFields : 0);
  unsigned shift = isLoad ? 8 : 36;
  uint64_t fields = time << shift | lanes.mask << (isLoad ? 0 : 4);
  for (unsigned word = 0; word < words; ++word)
    cells[word] =
        (cells[word] & kept) | fields | lanes.thread(word) << (shift + 18);
  return true;
}
