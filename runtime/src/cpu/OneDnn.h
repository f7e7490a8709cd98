//===- OneDnn.h - oneDNN, loaded at run time --------------------*- C++ -*-===//

#ifndef GRAPHRT_CPU_ONEDNN_H
#define GRAPHRT_CPU_ONEDNN_H

#include <cstdint>

namespace graphrt::cpu {

/// The functions that the runtime uses of oneDNN and of its OpenMP library.
struct OneDnn {
  /// Row-major c = alpha * op(a) * op(b) + beta * c; 0 for success.
  int (*sgemm)(char transA, char transB, int64_t m, int64_t n, int64_t k,
               float alpha, const float *a, int64_t lda, const float *b,
               int64_t ldb, float beta, float *c, int64_t ldc);
  /// Null in a build of oneDNN without OpenMP.
  void (*ompSetNumThreads)(int);
  int (*ompGetMaxThreads)();

  /// The library, loaded by the first call; null if it is absent. The variable
  /// GRAPHRT_ONEDNN names another file to load, or "off".
  static const OneDnn *get();

  /// Makes oneDNN use one thread when called by this thread, until the end of
  /// its life. Does nothing for a null library.
  class SingleThreaded {
  public:
    explicit SingleThreaded(const OneDnn *library);
    ~SingleThreaded();
    SingleThreaded(const SingleThreaded &) = delete;
    SingleThreaded &operator=(const SingleThreaded &) = delete;

  private:
    const OneDnn *library;
    int saved = 0;
  };
};

} // namespace graphrt::cpu

#endif // GRAPHRT_CPU_ONEDNN_H
