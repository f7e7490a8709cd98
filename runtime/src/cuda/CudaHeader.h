//===- CudaHeader.h - cuda.h as this project uses it ------------*- C++ -*-===//
//
// The only file that includes cuda.h. Its macros rename functions to the
// versions of the header's release; drivers from CUDA 12.0 on must do.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPHRT_CUDA_CUDAHEADER_H
#define GRAPHRT_CUDA_CUDAHEADER_H

#include <cuda.h>

#if CUDA_VERSION < 12000
#error "expected cuda.h of CUDA 12.0 or newer"
#endif

// CUDA 12.8 renamed this function and kept its parameters; older drivers have
// the old name only, newer ones have both.
#ifdef cuEventElapsedTime
#undef cuEventElapsedTime
extern "C" CUresult CUDAAPI cuEventElapsedTime(float *milliseconds,
                                               CUevent start, CUevent end);
#endif

#endif // GRAPHRT_CUDA_CUDAHEADER_H
