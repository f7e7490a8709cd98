//===- FloatMode.h - Floating-point mode of kernels -------------*- C++ -*-===//

#ifndef GRAPHRT_CPU_FLOATMODE_H
#define GRAPHRT_CPU_FLOATMODE_H

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace graphrt::cpu {

/// The mode that kernels run in, whatever the caller's is: round to nearest,
/// exceptions masked, denormal operands and results as zero. Restores the
/// thread's mode at the end of its life.
class KernelFloatMode {
public:
  KernelFloatMode() : saved(get()) { set(kernelMode); }
  ~KernelFloatMode() { set(saved); }
  KernelFloatMode(const KernelFloatMode &) = delete;
  KernelFloatMode &operator=(const KernelFloatMode &) = delete;

private:
#if defined(__x86_64__)
  using Register = unsigned;
  /// MXCSR: all exceptions masked, DAZ (bit 6) and FTZ (bit 15).
  static constexpr Register kernelMode = 0x1f80 | 1u << 6 | 1u << 15;
  static Register get() { return _mm_getcsr(); }
  static void set(Register mode) { _mm_setcsr(mode); }
#elif defined(__aarch64__)
  using Register = uint64_t;
  /// FPCR: FZ (bit 24) and FZ16 off.
  static constexpr Register kernelMode = 1u << 24;
  static Register get() {
    Register mode;
    asm volatile("mrs %0, fpcr" : "=r"(mode));
    return mode;
  }
  static void set(Register mode) { asm volatile("msr fpcr, %0" : : "r"(mode)); }
#else
#error "unsupported architecture"
#endif

  Register saved;
};

} // namespace graphrt::cpu

#endif // GRAPHRT_CPU_FLOATMODE_H
