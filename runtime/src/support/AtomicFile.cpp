//===- AtomicFile.cpp - Files that are whole or absent --------------------===//

#include "graphrt/support/AtomicFile.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace graphrt;

namespace {

Failure ioFailure(const std::string &path, const std::string &what) {
  ErrorCode code = errno == ENOENT ? ErrorCode::NotFound : ErrorCode::IO;
  return {code, "'" + path + "': cannot " + what + ": " + std::strerror(errno)};
}

/// Closes and removes a file that was not handed over.
class TemporaryFile {
public:
  ~TemporaryFile() {
    int error = errno;
    if (descriptor >= 0)
      ::close(descriptor);
    if (!name.empty())
      ::unlink(name.c_str());
    errno = error;
  }

  /// Creates a file beside `path`, with the mode that the final one shall have.
  Status create(const std::string &path) {
    struct stat old;
    bool exists = ::stat(path.c_str(), &old) == 0;
    if (exists && !S_ISREG(old.st_mode))
      return Failure{ErrorCode::IO,
                     "'" + path +
                         "': found something other than a regular "
                         "file, expected a file or nothing"};
    static std::atomic<unsigned> counter{0};
    do {
      name = path + ".tmp" + std::to_string(::getpid()) + "-" +
             std::to_string(counter++);
      descriptor =
          ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (descriptor < 0 && errno == EEXIST);
    if (descriptor < 0) {
      name.clear();
      return ioFailure(path, "create a file beside it");
    }
    if (exists)
      ::fchmod(descriptor, old.st_mode & 0777);
    return {};
  }

  bool write(std::string_view bytes) {
    while (!bytes.empty()) {
      ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR)
        continue;
      if (count < 0)
        return false;
      bytes.remove_prefix(count);
    }
    return true;
  }

  /// Makes the file durable and gives it its final name.
  bool rename(const std::string &path) {
    if (::fsync(descriptor) || ::close(std::exchange(descriptor, -1)) ||
        ::rename(name.c_str(), path.c_str()))
      return false;
    name.clear();
    return true;
  }

private:
  int descriptor = -1;
  std::string name;
};

/// The file behind a chain of symbolic links; `path` itself if absent.
std::string followLinks(const std::string &path) {
  char *resolved = ::realpath(path.c_str(), nullptr);
  std::string result = resolved ? resolved : path;
  std::free(resolved);
  return result;
}

/// Makes a rename durable. Some file systems cannot; that is no error.
void syncDirectoryOf(const std::string &path) {
  size_t slash = path.rfind('/');
  std::string directory =
      slash == std::string::npos ? "." : path.substr(0, slash + 1);
  int descriptor = ::open(directory.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return;
  ::fsync(descriptor);
  ::close(descriptor);
}

} // namespace

Status graphrt::writeFileAtomically(const std::string &path,
                                    std::span<const std::string_view> pieces) {
  std::string target = followLinks(path);
  TemporaryFile file;
  if (Status status = file.create(target))
    return status;
  bool written = true;
  for (std::string_view piece : pieces)
    written = written && file.write(piece);
  if (!written || !file.rename(target)) {
    Failure failure = ioFailure(path, "write");
    if (::access(target.c_str(), F_OK) == 0)
      failure.message += "; the previous file is unchanged";
    return failure;
  }
  syncDirectoryOf(target);
  return {};
}

Status graphrt::checkWritable(const std::string &path) {
  TemporaryFile file;
  return file.create(followLinks(path));
}

Expected<std::string> graphrt::readWholeFile(const std::string &path) {
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return ioFailure(path, "open");
  std::string bytes;
  struct stat info;
  if (::fstat(descriptor, &info) == 0 && info.st_size > 0)
    bytes.reserve(info.st_size);
  char block[1 << 16];
  ssize_t count;
  while ((count = ::read(descriptor, block, sizeof(block))) != 0) {
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      break;
    bytes.append(block, count);
  }
  int error = errno;
  ::close(descriptor);
  errno = error;
  if (count < 0)
    return ioFailure(path, "read");
  return bytes;
}
