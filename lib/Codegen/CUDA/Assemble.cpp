//===- Assemble.cpp - PTX to machine code ---------------------------------===//
//
// nvJitLink is loaded where it is found: the compiler is built without a CUDA
// toolkit. The declarations below are those of nvJitLink.h that have not
// changed since the library's first version.
//
//===----------------------------------------------------------------------===//

#include "graph/Codegen/CUDA/Assemble.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/Error.h"

using namespace mlir;

namespace {
struct NvJitLink {
  using Handle = struct nvJitLink *;
  /// 0 is success.
  using Result = int;
  static constexpr int inputPTX = 2;

  Result (*create)(Handle *, uint32_t, const char **) = nullptr;
  Result (*destroy)(Handle *) = nullptr;
  Result (*addData)(Handle, int, const void *, size_t, const char *) = nullptr;
  Result (*complete)(Handle) = nullptr;
  Result (*getCubinSize)(Handle, size_t *) = nullptr;
  Result (*getCubin)(Handle, void *) = nullptr;
  Result (*getErrorLogSize)(Handle, size_t *) = nullptr;
  Result (*getErrorLog)(Handle, char *) = nullptr;
};
} // namespace

template <typename Function>
static bool find(llvm::sys::DynamicLibrary &library, const char *name,
                 Function &function) {
  function = reinterpret_cast<Function>(library.getAddressOfSymbol(name));
  return function != nullptr;
}

static std::optional<NvJitLink> loadNvJitLink() {
  for (const char *path :
       {"libnvJitLink.so.13", "libnvJitLink.so.12", "libnvJitLink.so",
        "/usr/local/cuda/lib64/libnvJitLink.so"}) {
    auto library = llvm::sys::DynamicLibrary::getPermanentLibrary(path);
    NvJitLink api;
    if (library.isValid() && find(library, "nvJitLinkCreate", api.create) &&
        find(library, "nvJitLinkDestroy", api.destroy) &&
        find(library, "nvJitLinkAddData", api.addData) &&
        find(library, "nvJitLinkComplete", api.complete) &&
        find(library, "nvJitLinkGetLinkedCubinSize", api.getCubinSize) &&
        find(library, "nvJitLinkGetLinkedCubin", api.getCubin) &&
        find(library, "nvJitLinkGetErrorLogSize", api.getErrorLogSize) &&
        find(library, "nvJitLinkGetErrorLog", api.getErrorLog))
      return api;
  }
  return std::nullopt;
}

static const std::optional<NvJitLink> &getNvJitLink() {
  static const std::optional<NvJitLink> api = loadNvJitLink();
  return api;
}

bool graph::canAssemblePTX() { return getNvJitLink().has_value(); }

llvm::Expected<std::string> graph::assemblePTX(StringRef ptx, StringRef chip) {
  const std::optional<NvJitLink> &api = getNvJitLink();
  if (!api)
    return llvm::createStringError(
        "found no library nvJitLink, expected that of a CUDA toolkit 12 or 13");
  std::string architecture = "-arch=" + chip.str();
  const char *options[] = {architecture.c_str()};
  NvJitLink::Handle link = nullptr;
  if (api->create(&link, 1, options) != 0)
    return llvm::createStringError("nvJitLink does not know the target '" +
                                   chip + "'");
  llvm::scope_exit destroy([&] { api->destroy(&link); });
  std::string text = ptx.str(), cubin;
  size_t size = 0;
  // Every code counts: after a failed addition completion still succeeds.
  bool isDone = api->addData(link, NvJitLink::inputPTX, text.c_str(),
                             text.size() + 1, "kernels") == 0 &&
                api->complete(link) == 0 && api->getCubinSize(link, &size) == 0;
  if (isDone) {
    cubin.resize(size);
    isDone = api->getCubin(link, cubin.data()) == 0;
  }
  if (isDone)
    return cubin;
  std::string log;
  if (api->getErrorLogSize(link, &size) == 0 && size > 0) {
    log.resize(size);
    api->getErrorLog(link, log.data());
  }
  return llvm::createStringError("nvJitLink did not accept the kernels: " +
                                 log);
}
