//===- Safetensors.h - Checkpoint files -------------------------*- C++ -*-===//
//
// The safetensors format: u64 size of a JSON header, the header, the tensors.
// Files of the runtime carry two more entries in the header's metadata, a
// version and a CRC-32 of the whole file (with the digits of the checksum
// itself as zeros), so that a flip of any single bit is found. Files of other
// programs have neither and are checked as far as their format allows.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPHRT_IO_SAFETENSORS_H
#define GRAPHRT_IO_SAFETENSORS_H

#include "graphrt/ElementType.h"
#include "graphrt/support/Expected.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace graphrt::safetensors {

/// The prefix of the metadata keys that belong to the format.
inline constexpr std::string_view reservedPrefix = "graphrt.";

struct Entry {
  std::string name;
  ElementType type;
  std::vector<int64_t> shape;
  /// Row-major, little endian; not owned.
  std::string_view data;
};

struct File {
  std::vector<Entry> entries;
  std::map<std::string, std::string> metadata;
};

/// Writes a file atomically. Names and metadata are UTF-8.
Status write(const std::string &path, const File &file);

/// Checks and decodes the bytes of a file, to which the result points.
Expected<File> parse(std::string_view bytes);

} // namespace graphrt::safetensors

#endif // GRAPHRT_IO_SAFETENSORS_H
