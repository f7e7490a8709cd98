//===- StepRunner.cpp - Runs steps on this machine's cores ----------------===//

#include "StepRunner.h"
#include "CpuFeatures.h"
#include "FloatMode.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <sched.h>

using namespace graphrt;
using namespace graphrt::cpu;

namespace {

constexpr unsigned maxThreads = 1024;

/// The cores that the process may use.
unsigned availableCores() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof(set), &set) == 0)
    return std::clamp<unsigned>(CPU_COUNT(&set), 1, maxThreads);
  return std::clamp<unsigned>(std::thread::hardware_concurrency(), 1,
                              maxThreads);
}

Failure badThreads(const std::string &found) {
  return {ErrorCode::InvalidArgument, "found " + found + " threads, expected " +
                                          "1 to " + std::to_string(maxThreads)};
}

Expected<unsigned> chooseThreads(unsigned requested) {
  if (requested > maxThreads)
    return badThreads(std::to_string(requested));
  if (requested != 0)
    return requested;
  const char *variable = std::getenv("GRAPHRT_NUM_THREADS");
  if (!variable)
    return availableCores();
  std::string_view text = variable;
  unsigned threads = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), threads);
  if (error != std::errc() || end != text.data() + text.size() ||
      threads == 0 || threads > maxThreads)
    return badThreads("GRAPHRT_NUM_THREADS='" + std::string(text) + "'");
  return threads;
}

uint64_t now() {
  auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::nanoseconds(time).count();
}

} // namespace

Expected<std::unique_ptr<StepRunner>>
StepRunner::create(const fb::Program &program, std::string_view code,
                   unsigned threads) {
  if (Status status = checkMachine(program))
    return status.failure();
  Expected<unsigned> size = chooseThreads(threads);
  if (!size)
    return size.failure();
  Expected<std::unique_ptr<KernelLibrary>> kernels =
      KernelLibrary::load(code, program);
  if (!kernels)
    return kernels.failure();
  const OneDnn *oneDnn = rt::usesGemm(program) ? OneDnn::get() : nullptr;
  return std::unique_ptr<StepRunner>(
      new StepRunner(program, std::move(*kernels), oneDnn, *size));
}

StepRunner::StepRunner(const fb::Program &program,
                       std::unique_ptr<KernelLibrary> kernels,
                       const OneDnn *oneDnn, unsigned threads)
    : program(program), kernels(std::move(kernels)), oneDnn(oneDnn),
      pool(threads,
           [oneDnn] {
             // Workers keep their mode for life.
             thread_local KernelFloatMode mode;
             thread_local OneDnn::SingleThreaded singleThreaded(oneDnn);
           }),
      gemms(pool, oneDnn) {}

Status StepRunner::run(const fb::Function &function,
                       const rt::Bindings &bindings,
                       const rt::StepObserver &observe) {
  KernelFloatMode mode;
  OneDnn::SingleThreaded singleThreaded(oneDnn);
  uint32_t count = function.steps() ? function.steps()->size() : 0;
  uint64_t begin = observe ? now() : 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (Status status = runStep(*function.steps()->Get(i), bindings))
      return status;
    if (observe) {
      uint64_t end = now();
      observe(i, begin, end);
      // The observer's own time is nobody's.
      begin = now();
    }
  }
  return {};
}

Status StepRunner::runStep(const fb::Step &step, const rt::Bindings &bindings) {
  switch (step.command_type()) {
  case fb::Command::Dispatch:
    dispatch(*step.command_as_Dispatch(), bindings);
    return {};
  case fb::Command::Copy:
    copy(*step.command_as_Copy(), bindings);
    return {};
  case fb::Command::Gemm: {
    const fb::Gemm &gemm = *step.command_as_Gemm();
    Status status = gemms.run(gemm, bindings.resolve(*gemm.a()->buffer()),
                              bindings.resolve(*gemm.b()->buffer()),
                              bindings.resolve(*gemm.c()->buffer()));
    if (status)
      status.failure().location =
          program.locations()->Get(step.location())->str();
    return status;
  }
  case fb::Command::NONE:
    break;
  }
  __builtin_unreachable();
}

void StepRunner::dispatch(const fb::Dispatch &dispatch,
                          const rt::Bindings &bindings) {
  arguments.clear();
  for (const fb::Buffer *buffer : *dispatch.buffers())
    arguments.push_back(bindings.resolve(*buffer));
  KernelFunction function = kernels->function(dispatch.kernel());
  void *const *buffers = arguments.data();
  pool.parallelFor(dispatch.workgroups(),
                   [=](int64_t begin, int64_t end, unsigned) {
                     for (int64_t i = begin; i < end; ++i)
                       function(buffers, i);
                   });
}

void StepRunner::copy(const fb::Copy &copy, const rt::Bindings &bindings) {
  constexpr int64_t chunk = 256 << 10;
  int64_t size = copy.source()->size();
  char *to = bindings.resolve(*copy.destination());
  const char *from = bindings.resolve(*copy.source());
  pool.parallelFor((size + chunk - 1) / chunk,
                   [=](int64_t begin, int64_t end, unsigned) {
                     std::memcpy(to + begin * chunk, from + begin * chunk,
                                 std::min(end * chunk, size) - begin * chunk);
                   });
}
