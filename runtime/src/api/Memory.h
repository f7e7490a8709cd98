//===- Memory.h - Aligned memory --------------------------------*- C++ -*-===//

#ifndef GRAPHRT_API_MEMORY_H
#define GRAPHRT_API_MEMORY_H

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

#include <sys/mman.h>

namespace graphrt::rt {

struct FreeMemory {
  void operator()(char *memory) const { std::free(memory); }
};

/// Memory that begins at a multiple of 64 bytes, the alignment that kernels may
/// count on.
using AlignedMemory = std::unique_ptr<char[], FreeMemory>;

/// Allocates at least one byte, whose contents are undefined. Throws
/// std::bad_alloc. Large blocks ask for huge pages: kernels that stream through
/// them miss the TLB less.
inline AlignedMemory allocateAligned(size_t size) {
  constexpr size_t cacheLine = 64, hugePage = 2 << 20;
  size_t alignment = size >= 2 * hugePage ? hugePage : cacheLine;
  if (size > SIZE_MAX - alignment)
    throw std::bad_alloc();
  size_t rounded = (size + alignment - 1) / alignment * alignment;
  void *memory = std::aligned_alloc(alignment, rounded ? rounded : alignment);
  if (!memory)
    throw std::bad_alloc();
  if (alignment == hugePage)
    ::madvise(memory, rounded, MADV_HUGEPAGE);
  return AlignedMemory(static_cast<char *>(memory));
}

} // namespace graphrt::rt

#endif // GRAPHRT_API_MEMORY_H
