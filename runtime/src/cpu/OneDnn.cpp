//===- OneDnn.cpp - oneDNN, loaded at run time ----------------------------===//

#include "OneDnn.h"

#include <cstdlib>
#include <dlfcn.h>
#include <optional>
#include <string_view>

using namespace graphrt::cpu;

namespace {

void *openLibrary() {
  if (const char *choice = std::getenv("GRAPHRT_ONEDNN"))
    return choice == std::string_view("off")
               ? nullptr
               : ::dlopen(choice, RTLD_NOW | RTLD_LOCAL);
  for (const char *name : {"libdnnl.so.3", "libdnnl.so.2"})
    if (void *handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL))
      return handle;
  return nullptr;
}

/// Sets `function` to the symbol of the library or of one that it depends on.
template <typename Function>
void find(void *handle, const char *symbol, Function &function) {
  function = reinterpret_cast<Function>(::dlsym(handle, symbol));
}

std::optional<OneDnn> load() {
  void *handle = openLibrary();
  if (!handle)
    return std::nullopt;
  OneDnn library;
  find(handle, "dnnl_sgemm", library.sgemm);
  find(handle, "omp_set_num_threads", library.ompSetNumThreads);
  find(handle, "omp_get_max_threads", library.ompGetMaxThreads);
  if (!library.sgemm)
    return std::nullopt;
  return library;
}

} // namespace

const OneDnn *OneDnn::get() {
  static const std::optional<OneDnn> library = load();
  return library ? &*library : nullptr;
}

OneDnn::SingleThreaded::SingleThreaded(const OneDnn *library)
    : library(library && library->ompSetNumThreads && library->ompGetMaxThreads
                  ? library
                  : nullptr) {
  if (!this->library)
    return;
  saved = library->ompGetMaxThreads();
  library->ompSetNumThreads(1);
}

OneDnn::SingleThreaded::~SingleThreaded() {
  if (library)
    library->ompSetNumThreads(saved);
}
