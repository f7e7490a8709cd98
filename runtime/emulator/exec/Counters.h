//===- Counters.h - What a profiler would tell ------------------*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_EXEC_COUNTERS_H
#define GRAPHRT_EMULATOR_EXEC_COUNTERS_H

#include <cstdint>

namespace graphrt::exec {

/// The counters, each with a column title for reports. A request is one memory
/// instruction of one warp; a sector is 32 aligned bytes of global memory; a
/// wavefront is one pass over the 32 four-byte banks of shared memory.
#define GRAPHRT_EMULATOR_COUNTERS(X)                                           \
  X(threadInstructions, "thread instructions")                                 \
  X(warpInstructions, "warp instructions")                                     \
  X(globalLoadRequests, "global load requests")                                \
  X(globalStoreRequests, "global store requests")                              \
  X(globalLoadBytes, "bytes loaded")                                           \
  X(globalStoreBytes, "bytes stored")                                          \
  /* Distinct sectors of each request, summed over requests. */                \
  X(globalLoadSectors, "load sectors")                                         \
  X(globalStoreSectors, "store sectors")                                       \
  /* Distinct bytes of each request in whole sectors, summed likewise. */      \
  X(idealLoadSectors, "ideal load sectors")                                    \
  X(idealStoreSectors, "ideal store sectors")                                  \
  X(sharedLoadRequests, "shared load requests")                                \
  X(sharedStoreRequests, "shared store requests")                              \
  /* Wavefronts beyond those that the request's size needs. */                 \
  X(sharedLoadConflicts, "shared load conflicts")                              \
  X(sharedStoreConflicts, "shared store conflicts")                            \
  X(matrixLoadRequests, "ldmatrix requests")                                   \
  X(matrixLoadConflicts, "ldmatrix conflicts")                                 \
  X(atomicRequests, "atomic requests")                                         \
  X(asyncCopyBytes, "bytes copied asynchronously")                             \
  X(barriers, "barriers")                                                      \
  X(matrixFlops, "tensor core flops")                                          \
  X(divergentBranches, "divergent branches")

/// Sums over one launch; those of several launches add up.
struct Counters {
#define GRAPHRT_EMULATOR_FIELD(name, title) uint64_t name = 0;
  GRAPHRT_EMULATOR_COUNTERS(GRAPHRT_EMULATOR_FIELD)
#undef GRAPHRT_EMULATOR_FIELD

  Counters &operator+=(const Counters &other) {
#define GRAPHRT_EMULATOR_ADD(name, title) name += other.name;
    GRAPHRT_EMULATOR_COUNTERS(GRAPHRT_EMULATOR_ADD)
#undef GRAPHRT_EMULATOR_ADD
    return *this;
  }
};

} // namespace graphrt::exec

#endif // GRAPHRT_EMULATOR_EXEC_COUNTERS_H
