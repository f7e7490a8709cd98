//===- CommandChecks.h - Checks of single commands --------------*- C++ -*-===//

#ifndef GRAPHRT_ARTIFACT_COMMANDCHECKS_H
#define GRAPHRT_ARTIFACT_COMMANDCHECKS_H

#include "graphrt/ElementType.h"
#include "graphrt/artifact/program_generated.h"
#include "graphrt/support/Expected.h"

#include <type_traits>
#include <vector>

namespace graphrt::artifact {

/// Elements of a vector that may be absent.
template <typename T>
size_t count(const flatbuffers::Vector<T> *vector) {
  return vector ? vector->size() : 0;
}

/// Whether the elements of a vector may be read in place. FlatBuffers' verifier
/// checks the alignment of single fields only.
template <typename T>
bool isAligned(const flatbuffers::Vector<T> *vector) {
  using Element = std::remove_const_t<std::remove_pointer_t<T>>;
  return !vector ||
         reinterpret_cast<uintptr_t>(vector->Data()) % alignof(Element) == 0;
}

inline Failure corrupt(std::string message) {
  return {ErrorCode::Corrupt, std::move(message)};
}

/// "found 3 buffers, expected 4".
Failure mismatch(const std::string &what, uint64_t found, uint64_t expected);

/// Limits of a launch, the same on all CUDA devices.
inline constexpr uint64_t maxCudaWorkgroups = INT32_MAX;
inline constexpr uint32_t maxCudaThreads = 1024;

inline bool isForCuda(const fb::Program &program) {
  return program.target()->string_view() == "cuda";
}

/// The sizes in bytes of everything that a buffer of one function may lie in.
struct Limits {
  uint64_t arena = 0;
  uint64_t constants = 0;
  std::vector<uint64_t> states, inputs, outputs;
};

/// The buffers that a command reads and writes. A kernel's written buffers
/// count as written only.
struct Accesses {
  std::vector<fb::Buffer> reads, writes;
};

/// Checks that a buffer lies inside its object and may be written.
Status checkBuffer(const fb::Buffer &buffer, const Limits &limits,
                   bool isWritten);

bool overlaps(const fb::Buffer &a, const fb::Buffer &b);

/// Checks the tensor maps of a kernel, whatever its buffers are.
Status checkTensorMaps(const fb::Kernel &kernel);
/// Checks that a checked tensor map lies inside the buffer of a dispatch.
Status checkTensorMapPlace(const fb::TensorMap &map, const fb::Buffer &buffer);

Status checkDispatch(const fb::Program &program, const fb::Dispatch &dispatch,
                     const Limits &limits, Accesses &accesses);
Status checkGemm(const fb::Program &program, const fb::Gemm &gemm,
                 const Limits &limits, Accesses &accesses);

/// Checks that a command's indices and ranges are valid and that it does not
/// write what is read-only.
Status checkCommand(const fb::Program &program, const fb::Step &step,
                    const Limits &limits, Accesses &accesses);

} // namespace graphrt::artifact

#endif // GRAPHRT_ARTIFACT_COMMANDCHECKS_H
