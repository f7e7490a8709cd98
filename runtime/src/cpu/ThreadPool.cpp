//===- ThreadPool.cpp - The threads of one CPU device ---------------------===//

#include "ThreadPool.h"

#include <algorithm>

using namespace graphrt::cpu;

namespace {

/// About 50 microseconds where every thread has a core. The yields let other
/// threads run where they do not.
constexpr unsigned spinLimit = 1500;
constexpr unsigned spinsPerYield = 50;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

/// Waits until `value` is no longer `old`. The one who changes it must call
/// notify_one if `isSleeping` is set after the change.
void waitForChange(std::atomic<uint32_t> &value, uint32_t old,
                   std::atomic<bool> &isSleeping) {
  for (unsigned spin = 0; spin < spinLimit; ++spin) {
    if (value.load(std::memory_order_acquire) != old)
      return;
    if (spin % spinsPerYield == spinsPerYield - 1)
      std::this_thread::yield();
    else
      pause();
  }
  isSleeping = true;
  while (value.load() == old)
    value.wait(old);
  isSleeping = false;
}

} // namespace

ThreadPool::ThreadPool(unsigned size, const std::function<void()> &onStart) {
  try {
    for (unsigned index = 1; index < size; ++index) {
      workers.push_back(std::make_unique<Worker>());
      Worker &worker = *workers.back();
      worker.thread = std::thread([this, onStart, &worker, index] {
        onStart();
        work(worker, index);
      });
    }
  } catch (...) {
    stop();
    throw;
  }
}

ThreadPool::~ThreadPool() { stop(); }

void ThreadPool::stop() {
  isStopping = true;
  for (auto &worker : workers)
    offer(*worker);
  for (auto &worker : workers)
    if (worker->thread.joinable())
      worker->thread.join();
}

void ThreadPool::offer(Worker &worker) {
  worker.ticket.fetch_add(1);
  if (worker.isSleeping)
    worker.ticket.notify_one();
}

void ThreadPool::work(Worker &worker, unsigned index) {
  for (;;) {
    uint32_t ticket = worker.ticket.load();
    if (ticket % 2 == 0) {
      waitForChange(worker.ticket, ticket, worker.isSleeping);
      continue;
    }
    if (!worker.take(ticket))
      continue;
    if (isStopping)
      return;
    job.runPart(index, index);
    if (remaining.fetch_sub(1) == 1 && callerIsSleeping)
      remaining.notify_one();
  }
}

void ThreadPool::Job::runPart(unsigned part, unsigned thread) const {
  // The first `count % parts` parts are longer by one.
  int64_t length = count / parts, longer = count % parts;
  int64_t begin = part * length + std::min<int64_t>(part, longer);
  function(body, begin, begin + length + (part < longer), thread);
}

void ThreadPool::run(int64_t count, Function function, const void *body) {
  if (count <= 0)
    return;
  unsigned parts = std::min<int64_t>(count, size());
  job = {function, body, count, parts};
  remaining.store(parts - 1, std::memory_order_relaxed);
  for (unsigned part = 1; part < parts; ++part)
    offer(*workers[part - 1]);
  job.runPart(0, 0);
  for (unsigned part = 1; part < parts; ++part) {
    Worker &worker = *workers[part - 1];
    uint32_t ticket = worker.ticket.load();
    if (ticket % 2 == 0 || !worker.take(ticket))
      continue;
    job.runPart(part, 0);
    remaining.fetch_sub(1);
  }
  while (uint32_t left = remaining.load(std::memory_order_acquire))
    waitForChange(remaining, left, callerIsSleeping);
}
