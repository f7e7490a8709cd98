//===- Gemm.h - Matrix products on the CPU ----------------------*- C++ -*-===//
//
// A product is cut into blocks of c, by its shape alone. Blocks are shared out
// among the threads and each is computed by one thread, over all of k, so the
// bits of the result do not depend on the number of threads.
//
// f32 goes to oneDNN, or to our own kernel where that is absent. bf16 and f16
// are widened to f32 in slices, accumulated in f32 over all of k, and rounded
// once. f64 and integers always use our own kernel.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPHRT_CPU_GEMM_H
#define GRAPHRT_CPU_GEMM_H

#include "OneDnn.h"
#include "ThreadPool.h"

#include "graphrt/artifact/program_generated.h"
#include "graphrt/support/Expected.h"

#include <memory>
#include <vector>

namespace graphrt::cpu {

class GemmRunner {
public:
  /// `oneDnn` may be null; it and `pool` must outlive the runner.
  GemmRunner(ThreadPool &pool, const OneDnn *oneDnn);
  ~GemmRunner();

  /// Computes a valid command on the matrices that begin at a, b and c.
  Status run(const fb::Gemm &gemm, const void *a, const void *b, void *c);

private:
  struct Scratch;

  ThreadPool &pool;
  const OneDnn *oneDnn;
  /// One per thread.
  std::vector<std::unique_ptr<Scratch>> scratch;
};

} // namespace graphrt::cpu

#endif // GRAPHRT_CPU_GEMM_H
