//===- ArenaLayout.h - Places for buffers in one block of memory *- C++ -*-===//
//
// Buffers that are alive at the same time must not overlap; others may. Finding
// the smallest arena is NP-hard; placing the largest buffer first, each at the
// lowest free offset, comes within a few percent of the sum of what is alive at
// the worst point, which no layout can beat.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_DIALECT_EXEC_TRANSFORMS_ARENALAYOUT_H
#define GRAPH_DIALECT_EXEC_TRANSFORMS_ARENALAYOUT_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace exec {

/// A buffer of `size` bytes that is alive from point `first` to point `last`,
/// both included.
struct Lifetime {
  int64_t size;
  unsigned first, last;

  bool overlaps(const Lifetime &other) const {
    return first <= other.last && other.first <= last;
  }
};

struct ArenaLayout {
  /// One per lifetime, a multiple of kBufferAlignment.
  llvm::SmallVector<int64_t> offsets;
  /// The end of the highest buffer.
  int64_t size = 0;
};

ArenaLayout layOutArena(llvm::ArrayRef<Lifetime> lifetimes);

/// The largest sum, over all points, of the sizes of what is alive there. Sizes
/// are rounded up to kBufferAlignment.
int64_t getMaxLive(llvm::ArrayRef<Lifetime> lifetimes);

} // namespace exec

#endif // GRAPH_DIALECT_EXEC_TRANSFORMS_ARENALAYOUT_H
