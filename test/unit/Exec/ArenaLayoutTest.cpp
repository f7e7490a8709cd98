//===- ArenaLayoutTest.cpp - Places of buffers in an arena ----------------===//

#include "graph/Dialect/Exec/Transforms/ArenaLayout.h"
#include "graph/Dialect/Exec/IR/ExecOps.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <random>

using namespace exec;

namespace {

/// Checks pair by pair that nothing overlaps in time and in space.
void expectDisjoint(llvm::ArrayRef<Lifetime> lifetimes,
                    const ArenaLayout &layout) {
  ASSERT_EQ(layout.offsets.size(), lifetimes.size());
  for (auto [i, first] : llvm::enumerate(lifetimes)) {
    EXPECT_EQ(layout.offsets[i] % kBufferAlignment, 0);
    EXPECT_GE(layout.offsets[i], 0);
    EXPECT_LE(layout.offsets[i] + first.size, layout.size);
    for (size_t j = 0; j < i; ++j) {
      const Lifetime &second = lifetimes[j];
      bool sameTime = first.first <= second.last && second.first <= first.last;
      bool sameBytes = layout.offsets[i] < layout.offsets[j] + second.size &&
                       layout.offsets[j] < layout.offsets[i] + first.size;
      EXPECT_FALSE(sameTime && sameBytes) << "buffers " << i << " and " << j;
    }
  }
}

TEST(ArenaLayout, Empty) {
  ArenaLayout layout = layOutArena({});
  EXPECT_EQ(layout.size, 0);
  EXPECT_EQ(getMaxLive({}), 0);
}

TEST(ArenaLayout, BuffersOfDifferentTimesShareBytes) {
  Lifetime lifetimes[] = {{100, 0, 1}, {100, 2, 3}};
  ArenaLayout layout = layOutArena(lifetimes);
  EXPECT_EQ(layout.offsets[0], layout.offsets[1]);
  EXPECT_EQ(layout.size, 128);
}

TEST(ArenaLayout, TouchingLifetimesOverlap) {
  Lifetime lifetimes[] = {{64, 0, 1}, {64, 1, 2}};
  ArenaLayout layout = layOutArena(lifetimes);
  EXPECT_EQ(layout.size, 128);
  expectDisjoint(lifetimes, layout);
}

TEST(ArenaLayout, MaxLiveCountsThePointsWhereBothLive) {
  Lifetime lifetimes[] = {{64, 0, 4}, {128, 1, 2}, {192, 3, 4}, {0, 0, 4}};
  EXPECT_EQ(getMaxLive(lifetimes), 256);
}

TEST(ArenaLayout, RandomLifetimesStayApartAndCompact) {
  std::mt19937 random(7);
  int64_t arena = 0, maxLive = 0;
  for (unsigned round = 0; round < 200; ++round) {
    llvm::SmallVector<Lifetime> lifetimes;
    unsigned count = 1 + random() % 60;
    for (unsigned i = 0; i < count; ++i) {
      unsigned first = random() % 50;
      unsigned length = random() % 4 ? random() % 4 : random() % 50;
      lifetimes.push_back({static_cast<int64_t>(random() % 5000), first,
                           std::min(first + length, 50u)});
    }
    ArenaLayout layout = layOutArena(lifetimes);
    expectDisjoint(lifetimes, layout);
    EXPECT_GE(layout.size, getMaxLive(lifetimes));
    arena += layout.size;
    maxLive += getMaxLive(lifetimes);
  }
  // On the average; single cases are worse.
  EXPECT_LE(arena, maxLive * 1.06);
}

} // namespace
