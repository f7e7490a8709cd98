//===- ThreadPool.h - The threads of one CPU device -------------*- C++ -*-===//
//
// A fixed team: the calling thread and its workers. An index range is cut into
// one contiguous part per thread, by the range and the number of threads alone,
// so that a thread meets the same data again and again. Bodies must not depend
// on the cut; results then do not either.
//
// The caller takes back the parts of workers that have not started when it is
// done with its own, so that a worker without a core delays nobody.
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
  /// one at a time per thread, and waits for all. `body` must not throw. Only
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
    /// Odd while a part is offered to this worker; who makes it even again,
    /// the worker or the caller, runs the part.
    std::atomic<uint32_t> ticket{0};
    std::atomic<bool> isSleeping{false};
    std::thread thread;

    /// Whether the part of an odd ticket is now the calling thread's to run.
    bool take(uint32_t offered) {
      return ticket.compare_exchange_strong(offered, offered + 1);
    }
  };

  /// The current job; written between jobs by the caller alone.
  struct Job {
    Function function = nullptr;
    const void *body = nullptr;
    int64_t count = 0;
    unsigned parts = 0;

    void runPart(unsigned part, unsigned thread) const;
  };

  void run(int64_t count, Function function, const void *body);
  void work(Worker &worker, unsigned index);
  void offer(Worker &worker);
  void stop();

  Job job;
  bool isStopping = false;
  std::vector<std::unique_ptr<Worker>> workers;
  /// Parts of the workers in the current job that are not finished.
  alignas(64) std::atomic<uint32_t> remaining{0};
  std::atomic<bool> callerIsSleeping{false};
};

} // namespace graphrt::cpu

#endif // GRAPHRT_CPU_THREADPOOL_H
