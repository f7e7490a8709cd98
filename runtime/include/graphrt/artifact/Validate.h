//===- Validate.h - Proof that a program has meaning ------------*- C++ -*-===//

#ifndef GRAPHRT_ARTIFACT_VALIDATE_H
#define GRAPHRT_ARTIFACT_VALIDATE_H

#include "graphrt/artifact/program_generated.h"
#include "graphrt/support/Expected.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace graphrt::artifact {

/// Bytes of a tensor, or nothing if an extent is negative or the count exceeds
/// 63 bits. A null shape is that of a scalar.
std::optional<uint64_t> byteCount(fb::ElementType type,
                                  const flatbuffers::Vector<int64_t> *shape);

/// Checks the bytes of a program section: that they are a FlatBuffer, and then
/// that everything in it refers to things that exist, lies inside its memory,
/// and is written before it is read. `constantsSize` is the size of the
/// constants section. The result points into `bytes`, which must be aligned to
/// 8 bytes.
Expected<const fb::Program *> validateProgram(std::string_view bytes,
                                              uint64_t constantsSize);

} // namespace graphrt::artifact

#endif // GRAPHRT_ARTIFACT_VALIDATE_H
