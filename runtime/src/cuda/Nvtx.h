//===- Nvtx.h - Ranges that profilers show ----------------------*- C++ -*-===//

#ifndef GRAPHRT_CUDA_NVTX_H
#define GRAPHRT_CUDA_NVTX_H

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define GRAPHRT_HAS_NVTX
#endif

namespace graphrt::cuda {

/// Names what the thread does while the object lives. Costs nothing unless a
/// profiler is attached.
class NvtxRange {
public:
#ifdef GRAPHRT_HAS_NVTX
  explicit NvtxRange(const char *name) { ::nvtxRangePushA(name); }
  ~NvtxRange() { ::nvtxRangePop(); }
#else
  explicit NvtxRange(const char *) {}
#endif
  NvtxRange(const NvtxRange &) = delete;
};

} // namespace graphrt::cuda

#endif // GRAPHRT_CUDA_NVTX_H
