//===- ThreadPool.h - The threads of one CPU device -------------*- C++ -*-===//
//
// A fixed team: the calling thread and its workers. An index range is cut into
// one contiguous part per thread, by the range and the number of threads alone,
// so that a thread meets the same data again and again. Bodies must not depend
// on the cut; results then do not either.
//
// A worker that waits for work spins for some tens of microseconds, longer than
// the gap between two steps of a program, and then sleeps.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPHRT_CPU_THREADPOOL_H
#define GRAPHRT_CPU_THREADPOOL_H

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace graphrt::cpu {

class ThreadPool {
public:
  /// A team of `size` threads, at least 1. Every new thread calls `onStart`
  /// first. Throws std::system_error if the system refuses a thread.
  ThreadPool(unsigned size, const std::function<void()> &onStart);
  ~ThreadPool();

  unsigned size() const { return workers.size() + 1; }

  /// Calls body(begin, end, thread) for parts that together are [0, count),
  /// at most once per thread, and waits for all. `body` must not throw. Only
  /// one thread may call at a time.
  template <typename Body>
  void parallelFor(int64_t count, const Body &body) {
    run(
        count,
        [](const void *body, int64_t begin, int64_t end, unsigned thread) {
          (*static_cast<const Body *>(body))(begin, end, thread);
        },
        &body);
  }

private:
  using Function = void (*)(const void *body, int64_t begin, int64_t end,
                            unsigned thread);

  /// What one worker waits on, alone on its cache line.
  struct alignas(64) Worker {
    /// Counts the jobs given to this worker.
    std::atomic<uint32_t> jobs{0};
    std::atomic<bool> isSleeping{false};
    std::thread thread;
  };

  /// The current job; written between jobs by the caller alone.
  struct Job {
    Function function = nullptr;
    const void *body = nullptr;
    int64_t count = 0;
    unsigned parts = 0;

    void runPart(unsigned part) const;
  };

  void run(int64_t count, Function function, const void *body);
  void work(Worker &worker, unsigned index);
  void wake(Worker &worker);
  void stop();

  Job job;
  bool isStopping = false;
  std::vector<std::unique_ptr<Worker>> workers;
  /// Workers that have not finished the current job.
  alignas(64) std::atomic<uint32_t> remaining{0};
  std::atomic<bool> callerIsSleeping{false};
};

} // namespace graphrt::cpu

#endif // GRAPHRT_CPU_THREADPOOL_H
