//===- ArenaLayout.cpp - Places for buffers in one block of memory --------===//

#include "graph/Dialect/Exec/Transforms/ArenaLayout.h"
#include "graph/Dialect/Exec/IR/ExecOps.h"

#include "llvm/Support/MathExtras.h"
#include <map>

using namespace exec;

static int64_t getAlignedSize(const Lifetime &lifetime) {
  return llvm::alignTo(lifetime.size, kBufferAlignment);
}

ArenaLayout exec::layOutArena(llvm::ArrayRef<Lifetime> lifetimes) {
  auto order = llvm::to_vector(llvm::seq<unsigned>(0, lifetimes.size()));
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    return getAlignedSize(lifetimes[a]) > getAlignedSize(lifetimes[b]);
  });
  ArenaLayout layout;
  layout.offsets.resize(lifetimes.size());
  // What has a place, by offset.
  llvm::SmallVector<unsigned> placed;
  for (unsigned index : order) {
    int64_t size = getAlignedSize(lifetimes[index]);
    int64_t offset = 0;
    for (unsigned other : placed) {
      if (!lifetimes[index].overlaps(lifetimes[other]))
        continue;
      if (offset + size <= layout.offsets[other])
        break;
      offset = std::max(offset, layout.offsets[other] +
                                    getAlignedSize(lifetimes[other]));
    }
    layout.offsets[index] = offset;
    layout.size = std::max(layout.size, offset + size);
    auto position =
        llvm::upper_bound(placed, index, [&](unsigned a, unsigned b) {
          return layout.offsets[a] < layout.offsets[b];
        });
    placed.insert(position, index);
  }
  return layout;
}

int64_t exec::getMaxLive(llvm::ArrayRef<Lifetime> lifetimes) {
  // What the live bytes change by when a point is reached.
  std::map<unsigned, int64_t> changes;
  for (const Lifetime &lifetime : lifetimes) {
    changes[lifetime.first] += getAlignedSize(lifetime);
    changes[lifetime.last + 1] -= getAlignedSize(lifetime);
  }
  int64_t live = 0, maxLive = 0;
  for (auto [point, change] : changes)
    maxLive = std::max(maxLive, live += change);
  return maxLive;
}
