//===- GemmKernelSelect.cpp - The kernels of this machine -----------------===//

#include "GemmKernel.h"

namespace graphrt::cpu {

// One per compilation of GemmKernel.cpp.
namespace baseline {
extern const GemmKernels kernels;
}
#if defined(__x86_64__)
namespace avx2 {
extern const GemmKernels kernels;
}
namespace avx512 {
extern const GemmKernels kernels;
}
#endif

const GemmKernels &gemmKernels() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return avx512::kernels;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return avx2::kernels;
#endif
  return baseline::kernels;
}

} // namespace graphrt::cpu
