//===- CublasLt.h - cuBLASLt, loaded at run time ----------------*- C++ -*-===//

#ifndef GRAPHRT_CUDA_CUBLASLT_H
#define GRAPHRT_CUDA_CUBLASLT_H

#include "graphrt/support/Expected.h"

#include <cublasLt.h>

#include <string>

namespace graphrt::cuda {

/// The table of the library's functions, all of them set.
struct CublasLt {
#define GRAPHRT_CUBLASLT_FUNCTION(name) decltype(&::name) name = nullptr;
#include "CublasLtSymbols.def"

  /// The library, loaded by the first call and never unloaded; null if it or
  /// one of its functions is absent. The variable GRAPHRT_CUBLASLT names
  /// another file to load, or "off".
  static const CublasLt *get();

  /// The failure that a status of the library stands for, or success.
  Status check(cublasStatus_t code, const std::string &action) const;
};

} // namespace graphrt::cuda

#endif // GRAPHRT_CUDA_CUBLASLT_H
