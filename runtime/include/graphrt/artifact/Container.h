//===- Container.h - The file format of artifacts ---------------*- C++ -*-===//
//
// An artifact is a header, a table of sections, and the sections:
//
//   offset  size  field
//        0     8  magic: 89 'G' 'R' 'X' 0d 0a 1a 0a
//        8     2  major version; a reader refuses any other than its own
//       10     2  minor version; a reader ignores sections it does not know
//       12     4  number of sections
//       16     8  size of the file
//       24     4  CRC-32 of the section table
//       28     4  CRC-32 of these 64 bytes with this field as zero
//       32    32  zero
//       64    32  per section: u32 kind, u32 CRC-32, u64 offset, u64 size,
//                 u64 zero
//
// Sections lie in the order of the table, each at the first multiple of 64
// bytes after its predecessor; the gaps are zero and the file ends with the
// last section. So every byte has one right value given the sections, and a
// flip of any single bit is an error. Integers are little endian.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPHRT_ARTIFACT_CONTAINER_H
#define GRAPHRT_ARTIFACT_CONTAINER_H

#include "graphrt/support/Expected.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graphrt::artifact {

inline constexpr uint16_t formatMajor = 1;
inline constexpr uint16_t formatMinor = 1;

/// Sections begin at multiples of this many bytes.
inline constexpr uint64_t sectionAlignment = 64;

enum class SectionKind : uint32_t {
  /// The FlatBuffer of schema/program.fbs. Required.
  Program = 1,
  /// Defines the kernels' symbols: for the target "cpu" an ELF shared object,
  /// for "cuda" PTX text. Required if the program has kernels.
  Code = 2,
  /// The bytes that buffers of the space `constant` point into.
  Constants = 3,
  /// The text of the source IR, for people and debuggers.
  Source = 4,
  /// For the target "cuda" the code section assembled for the program's
  /// architecture, so that the driver need not; optional.
  Cubin = 5,
};

/// The kind in lower case, "unknown" for a kind of a later version.
const char *name(SectionKind kind);

struct Section {
  SectionKind kind;
  std::string_view bytes;
};

/// The file that holds `sections` in the given order, at most one per kind.
std::string serialize(std::span<const Section> sections);

/// Checks every byte of a file. The result points into `bytes`.
Expected<std::vector<Section>> parse(std::string_view bytes);

/// Writes an artifact. A reader of `path` sees the old file or the new one,
/// never a mixture, also after a crash.
Status writeFile(const std::string &path, std::span<const Section> sections);

} // namespace graphrt::artifact

#endif // GRAPHRT_ARTIFACT_CONTAINER_H
