//===- CublasLt.cpp - cuBLASLt, loaded at run time ------------------------===//

#include "CublasLt.h"

#include <cstdlib>
#include <dlfcn.h>
#include <optional>
#include <string_view>

using namespace graphrt;
using namespace graphrt::cuda;

static void *openLibrary() {
  if (const char *choice = std::getenv("GRAPHRT_CUBLASLT"))
    return choice == std::string_view("off")
               ? nullptr
               : ::dlopen(choice, RTLD_NOW | RTLD_LOCAL);
  for (const char *name : {"libcublasLt.so.13", "libcublasLt.so.12"})
    if (void *handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL))
      return handle;
  return nullptr;
}

static std::optional<CublasLt> load() {
  void *handle = openLibrary();
  if (!handle)
    return std::nullopt;
  CublasLt library;
  bool isComplete = true;
#define GRAPHRT_CUBLASLT_FUNCTION(name)                                        \
  library.name =                                                               \
      reinterpret_cast<decltype(library.name)>(::dlsym(handle, #name));        \
  isComplete &= library.name != nullptr;
#include "CublasLtSymbols.def"
  if (!isComplete)
    return std::nullopt;
  return library;
}

const CublasLt *CublasLt::get() {
  static const std::optional<CublasLt> library = load();
  return library ? &*library : nullptr;
}

Status CublasLt::check(cublasStatus_t code, const std::string &action) const {
  if (code == CUBLAS_STATUS_SUCCESS)
    return {};
  return Failure{code == CUBLAS_STATUS_ALLOC_FAILED ? ErrorCode::OutOfMemory
                                                    : ErrorCode::Internal,
                 "cannot " + action + ": " + cublasLtGetStatusName(code)};
}
