//===- KernelLibrary.cpp - The loaded code of an artifact -----------------===//

#include "KernelLibrary.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace graphrt;
using namespace graphrt::cpu;

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

namespace {

Failure systemFailure(const std::string &what) {
  return {ErrorCode::IO, "cannot " + what + " for the artifact's code: " +
                             std::strerror(errno)};
}

/// Anonymous memory that dlopen can load. Old kernels do not know MFD_EXEC, new
/// ones may demand it (sysctl vm.memfd_noexec).
int createMemoryFile() {
  unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  int descriptor = ::memfd_create("graphrt-kernels", flags | MFD_EXEC);
  if (descriptor < 0 && errno == EINVAL)
    descriptor = ::memfd_create("graphrt-kernels", flags);
  return descriptor;
}

bool isSharedObject(std::string_view code) {
#if defined(__x86_64__)
  constexpr uint16_t machine = EM_X86_64;
#elif defined(__aarch64__)
  constexpr uint16_t machine = EM_AARCH64;
#endif
  Elf64_Ehdr header;
  if (code.size() < sizeof(header))
    return false;
  std::memcpy(&header, code.data(), sizeof(header));
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
         header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_type == ET_DYN &&
         header.e_machine == machine;
}

} // namespace

Expected<std::unique_ptr<KernelLibrary>>
KernelLibrary::load(std::string_view code, const fb::Program &program) {
  std::unique_ptr<KernelLibrary> library(new KernelLibrary);
  if (!program.kernels() || program.kernels()->size() == 0)
    return library;
  if (Status status = library->open(code))
    return status.failure();
  if (Status status = library->findFunctions(program))
    return status.failure();
  return library;
}

Status KernelLibrary::open(std::string_view code) {
  if (!isSharedObject(code))
    return Failure{ErrorCode::Corrupt,
                   "found a code section of another format, expected an ELF "
                   "shared object for this machine"};
  descriptor = createMemoryFile();
  if (descriptor < 0)
    return systemFailure("create executable memory");
  for (std::string_view rest = code; !rest.empty();) {
    ssize_t count = ::write(descriptor, rest.data(), rest.size());
    if (count < 0 && errno != EINTR)
      return systemFailure("fill memory");
    rest.remove_prefix(count < 0 ? 0 : count);
  }
  if (::fcntl(descriptor, F_ADD_SEALS,
              F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL))
    return systemFailure("seal memory");
  path = "/proc/self/fd/" + std::to_string(descriptor);
  handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return Failure{ErrorCode::Corrupt,
                   std::string("cannot load the artifact's code: ") +
                       ::dlerror()};
  return {};
}

Status KernelLibrary::findFunctions(const fb::Program &program) {
  for (const fb::Kernel *kernel : *program.kernels()) {
    void *symbol = ::dlsym(handle, kernel->symbol()->c_str());
    if (!symbol)
      return Failure{ErrorCode::Corrupt,
                     "the artifact's code does not define the kernel '" +
                         kernel->symbol()->str() + "'"};
    functions.push_back(reinterpret_cast<KernelFunction>(symbol));
  }
  return {};
}

KernelLibrary::~KernelLibrary() {
  if (handle)
    ::dlclose(handle);
  // The loader knows libraries by path: while this one stays loaded, its
  // descriptor's number must not be given to another.
  bool isLoaded =
      handle && ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (descriptor >= 0 && !isLoaded)
    ::close(descriptor);
}
