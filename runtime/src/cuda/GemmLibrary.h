//===- GemmLibrary.h - A library of matrix products -------------*- C++ -*-===//

#ifndef GRAPHRT_CUDA_GEMMLIBRARY_H
#define GRAPHRT_CUDA_GEMMLIBRARY_H

#include "Context.h"

#include "../api/Device.h"

#include <memory>

namespace graphrt::cuda {

class GemmLibrary {
public:
  virtual ~GemmLibrary() = default;

  /// Whether the library computes a product, with its epilogue, of this shape.
  /// Decided once for each product.
  virtual bool supports(const fb::Gemm &gemm) = 0;

  /// Puts a product that is supported into a stream.
  virtual Status enqueue(const fb::Gemm &gemm, const rt::Bindings &bindings,
                         CUstream stream) = 0;
};

/// cuBLASLt on the context's device, or null where it cannot be loaded. The
/// variable GRAPHRT_CUBLASLT names another file to load, or "off". Workspace is
/// allocated in the order of `stream`; the context outlives the library.
Expected<std::unique_ptr<GemmLibrary>> openCublasLt(const Context &context,
                                                    CUstream stream);

} // namespace graphrt::cuda

#endif // GRAPHRT_CUDA_GEMMLIBRARY_H
