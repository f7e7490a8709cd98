//===- ThreadPoolTest.cpp - Tests of the thread pool ----------------------===//

#include "cpu/ThreadPool.h"

#include "gtest/gtest.h"

#include <chrono>

using namespace graphrt::cpu;

namespace {

TEST(ThreadPool, CoversEveryIndexOnce) {
  for (unsigned size : {1, 2, 3, 8}) {
    ThreadPool pool(size, [] {});
    EXPECT_EQ(pool.size(), size);
    for (int64_t count : {0, 1, 2, 5, 8, 9, 1000}) {
      std::vector<std::atomic<int>> visits(count);
      std::vector<std::atomic<bool>> isBusy(size);
      std::atomic<unsigned> calls{0};
      pool.parallelFor(count, [&](int64_t begin, int64_t end, unsigned thread) {
        ++calls;
        EXPECT_FALSE(isBusy[thread].exchange(true));
        for (int64_t i = begin; i < end; ++i)
          ++visits[i];
        isBusy[thread] = false;
      });
      for (auto &visit : visits)
        EXPECT_EQ(visit, 1);
      EXPECT_LE(calls, size);
    }
  }
}

TEST(ThreadPool, CallsOnStartInEveryWorker) {
  std::atomic<int> started{0};
  {
    ThreadPool pool(5, [&] { ++started; });
  }
  EXPECT_EQ(started, 4);
}

TEST(ThreadPool, WakesThreadsThatSleep) {
  ThreadPool pool(3, [] {});
  std::atomic<int> total{0}, ofWorkers{0};
  for (int round = 0; round < 20; ++round) {
    pool.parallelFor(3, [&](int64_t begin, int64_t end, unsigned thread) {
      // Long enough for the workers to take their parts.
      if (begin == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      total += end - begin;
      ofWorkers += thread != 0;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(total, 60);
  EXPECT_GT(ofWorkers, 0);
}

TEST(ThreadPool, DoesNotWaitForThreadsThatHaveNotStarted) {
  std::atomic<bool> isReleased{false};
  ThreadPool pool(3, [&] { isReleased.wait(false); });
  int64_t total = 0;
  pool.parallelFor(9, [&](int64_t begin, int64_t end, unsigned thread) {
    EXPECT_EQ(thread, 0u);
    total += end - begin;
  });
  EXPECT_EQ(total, 9);
  isReleased = true;
  isReleased.notify_all();
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
