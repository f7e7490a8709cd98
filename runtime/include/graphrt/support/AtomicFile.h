//===- AtomicFile.h - Files that are whole or absent ------------*- C++ -*-===//

#ifndef GRAPHRT_SUPPORT_ATOMICFILE_H
#define GRAPHRT_SUPPORT_ATOMICFILE_H

#include "graphrt/support/Expected.h"

#include <span>
#include <string>
#include <string_view>

namespace graphrt {

/// Replaces the file at `path` by the concatenation of `pieces`: writes a
/// temporary file beside it, flushes it to the disk, and renames it. On failure
/// the old file is unchanged and the temporary file is removed. A symbolic link
/// is followed; a `path` that is neither absent nor a regular file is refused.
Status writeFileAtomically(const std::string &path,
                           std::span<const std::string_view> pieces);

/// Succeeds if writeFileAtomically could begin: the directory exists and takes
/// new files. Leaves nothing behind.
Status checkWritable(const std::string &path);

/// Reads a whole file; messages begin with its path.
Expected<std::string> readWholeFile(const std::string &path);

} // namespace graphrt

#endif // GRAPHRT_SUPPORT_ATOMICFILE_H
