//===- ThreadPoolTest.cpp - Tests of the thread pool ----------------------===//

#include "cpu/ThreadPool.h"

#include "gtest/gtest.h"

#include <chrono>

using namespace graphrt::cpu;

namespace {

TEST(ThreadPool, CoversEveryIndexOnce) {
  for (unsigned size : {1, 2, 3, 8}) {
    std::atomic<int> started{0};
    ThreadPool pool(size, [&] { ++started; });
    EXPECT_EQ(pool.size(), size);
    for (int64_t count : {0, 1, 2, 5, 8, 9, 1000}) {
      std::vector<std::atomic<int>> visits(count);
      std::vector<std::atomic<int>> calls(size);
      pool.parallelFor(count, [&](int64_t begin, int64_t end, unsigned thread) {
        ++calls[thread];
        for (int64_t i = begin; i < end; ++i)
          ++visits[i];
      });
      for (auto &visit : visits)
        EXPECT_EQ(visit, 1);
      for (auto &call : calls)
        EXPECT_LE(call, 1);
    }
    EXPECT_EQ(started, int(size) - 1);
  }
}

TEST(ThreadPool, WakesThreadsThatSleep) {
  ThreadPool pool(3, [] {});
  std::atomic<int> total{0};
  for (int round = 0; round < 20; ++round) {
    pool.parallelFor(3, [&](int64_t begin, int64_t end, unsigned thread) {
      if (thread)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      total += end - begin;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(total, 60);
}

TEST(ThreadPool, RunsManyShortJobs) {
  ThreadPool pool(4, [] {});
  int64_t slots[4] = {};
  for (int round = 0; round < 2000; ++round)
    pool.parallelFor(round % 5,
                     [&](int64_t begin, int64_t end, unsigned thread) {
                       slots[thread] += end - begin;
                     });
  EXPECT_EQ(slots[0] + slots[1] + slots[2] + slots[3], 4000);
}

} // namespace
