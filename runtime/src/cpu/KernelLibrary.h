//===- KernelLibrary.h - The loaded code of an artifact ---------*- C++ -*-===//

#ifndef GRAPHRT_CPU_KERNELLIBRARY_H
#define GRAPHRT_CPU_KERNELLIBRARY_H

#include "graphrt/artifact/program_generated.h"
#include "graphrt/support/Expected.h"

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace graphrt::cpu {

using KernelFunction = void (*)(void *const *buffers, int64_t workgroup);

/// Code that is executable until the object is destroyed.
class KernelLibrary {
public:
  /// Loads an ELF shared object and finds the functions of all kernels of
  /// `program`.
  static Expected<std::unique_ptr<KernelLibrary>>
  load(std::string_view code, const fb::Program &program);
  ~KernelLibrary();

  KernelFunction function(uint32_t kernel) const { return functions[kernel]; }

private:
  KernelLibrary() = default;
  Status open(std::string_view code);
  Status findFunctions(const fb::Program &program);

  int descriptor = -1;
  std::string path;
  void *handle = nullptr;
  std::vector<KernelFunction> functions;
};

} // namespace graphrt::cpu

#endif // GRAPHRT_CPU_KERNELLIBRARY_H
