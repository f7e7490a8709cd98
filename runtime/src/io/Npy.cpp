//===- Npy.cpp - NumPy array files ----------------------------------------===//

#include "graphrt/io/Npy.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

using namespace graphrt;
using namespace graphrt::npy;

namespace {

constexpr std::string_view magic = "\x93NUMPY";

struct Descriptor {
  std::string_view text;
  ElementType type;
};

/// What each type is written as comes first; later entries are accepted too.
constexpr Descriptor descriptors[] = {
    {"<f8", ElementType::f64},  {"<f4", ElementType::f32},
    {"<V2", ElementType::bf16}, {"<f2", ElementType::f16},
    {"|b1", ElementType::i1},   {"|i1", ElementType::i8},
    {"<i2", ElementType::i16},  {"<i4", ElementType::i32},
    {"<i8", ElementType::i64},  {"|V2", ElementType::bf16},
    {"<i1", ElementType::i8},   {"<b1", ElementType::i1},
};

Failure corrupt(std::string message) {
  return {ErrorCode::Corrupt, std::move(message)};
}

/// The header: a Python dictionary literal with exactly the keys 'descr',
/// 'fortran_order' and 'shape'.
struct Header {
  std::string descr;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
};

/// Reads the subset of Python's literal syntax that headers use.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : text(text) {}

  Expected<Header> parse() {
    Header header;
    bool seen[3] = {};
    if (!consume('{'))
      return expected("'{'");
    while (!consume('}')) {
      std::optional<std::string> key = string();
      if (!key)
        return expected("a key in quotes");
      if (!consume(':'))
        return expected("':'");
      unsigned slot = *key == "descr"           ? 0
                      : *key == "fortran_order" ? 1
                      : *key == "shape"         ? 2
                                                : 3;
      if (slot == 3)
        return corrupt("found key '" + *key +
                       "' in the header, expected 'descr', 'fortran_order' "
                       "and 'shape'");
      if (seen[slot])
        return corrupt("found key '" + *key +
                       "' twice in the header, expected it once");
      seen[slot] = true;
      if (Status status = value(slot, header))
        return status.failure();
      if (!consume(',') && peek() != '}')
        return expected("',' or '}'");
    }
    if (!seen[0] || !seen[1] || !seen[2])
      return corrupt("found a header without all of the keys 'descr', "
                     "'fortran_order' and 'shape'");
    skipSpace();
    if (position != text.size())
      return expected("the end of the header");
    return header;
  }

private:
  Status value(unsigned slot, Header &header) {
    if (slot == 0) {
      std::optional<std::string> descr = string();
      if (!descr)
        return expected("a type in quotes (structured types are not "
                        "supported)");
      header.descr = *descr;
      return {};
    }
    if (slot == 1) {
      header.fortranOrder = word("True");
      if (!header.fortranOrder && !word("False"))
        return expected("True or False");
      return {};
    }
    return shape(header.shape);
  }

  Status shape(std::vector<int64_t> &shape) {
    if (!consume('('))
      return expected("'('");
    while (!consume(')')) {
      skipSpace();
      size_t begin = position;
      int64_t extent = 0;
      for (; position < text.size() && text[position] >= '0' &&
             text[position] <= '9';
           ++position)
        if (__builtin_mul_overflow(extent, 10, &extent) ||
            __builtin_add_overflow(extent, text[position] - '0', &extent))
          return corrupt("found an extent that exceeds 64 bits in the shape");
      if (position == begin)
        return expected("a non-negative extent");
      shape.push_back(extent);
      if (!consume(',') && peek() != ')')
        return expected("',' or ')'");
    }
    return {};
  }

  std::optional<std::string> string() {
    char quote = peek();
    if (quote != '\'' && quote != '"')
      return std::nullopt;
    size_t end = text.find(quote, position + 1);
    if (end == std::string_view::npos)
      return std::nullopt;
    std::string result(text.substr(position + 1, end - position - 1));
    position = end + 1;
    return result;
  }

  bool word(std::string_view expectedWord) {
    skipSpace();
    if (text.substr(position, expectedWord.size()) != expectedWord)
      return false;
    position += expectedWord.size();
    return true;
  }

  bool consume(char c) {
    if (peek() != c)
      return false;
    ++position;
    return true;
  }

  char peek() {
    skipSpace();
    return position < text.size() ? text[position] : '\0';
  }

  void skipSpace() {
    while (position < text.size() &&
           (text[position] == ' ' || text[position] == '\n' ||
            text[position] == '\t'))
      ++position;
  }

  Failure expected(const std::string &what) {
    return corrupt("malformed header: expected " + what + " at column " +
                   std::to_string(position));
  }

  std::string_view text;
  size_t position = 0;
};

/// Turns column-major elements into row-major ones.
std::vector<uint8_t> toRowMajor(const uint8_t *source, size_t size,
                                const std::vector<int64_t> &shape,
                                size_t elementSize) {
  std::vector<uint8_t> result(size);
  std::vector<int64_t> index(shape.size(), 0);
  for (size_t out = 0; out < size; out += elementSize) {
    size_t in = 0;
    for (size_t d = shape.size(); d-- > 0;)
      in = in * shape[d] + index[d];
    std::memcpy(&result[out], source + in * elementSize, elementSize);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d])
        break;
      index[d] = 0;
    }
  }
  return result;
}

struct FileCloser {
  void operator()(FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<FILE, FileCloser>;

Failure ioFailure(const std::string &path, const char *what) {
  ErrorCode code = errno == ENOENT ? ErrorCode::NotFound : ErrorCode::IO;
  return {code, "'" + path + "': cannot " + what + ": " + std::strerror(errno)};
}

} // namespace

Expected<Array> graphrt::npy::parse(std::string_view bytes) {
  if (bytes.substr(0, magic.size()) != magic)
    return corrupt("not a .npy file: found other magic bytes, expected "
                   "\\x93NUMPY");
  if (bytes.size() < 8)
    return corrupt("truncated before the end of the header");
  unsigned major = static_cast<uint8_t>(bytes[6]);
  if (major < 1 || major > 3)
    return corrupt("found format version " + std::to_string(major) +
                   ", expected 1, 2 or 3");
  size_t lengthBytes = major == 1 ? 2 : 4;
  size_t headerBegin = 8 + lengthBytes;
  if (bytes.size() < headerBegin)
    return corrupt("truncated before the end of the header");
  size_t headerSize = 0;
  for (size_t i = 0; i < lengthBytes; ++i)
    headerSize |= size_t(static_cast<uint8_t>(bytes[8 + i])) << (8 * i);
  if (bytes.size() - headerBegin < headerSize)
    return corrupt("truncated before the end of the header");

  Expected<Header> header =
      HeaderParser(bytes.substr(headerBegin, headerSize)).parse();
  if (!header)
    return header.failure();

  const Descriptor *descriptor = nullptr;
  for (const Descriptor &candidate : descriptors)
    if (candidate.text == header->descr)
      descriptor = &candidate;
  if (!descriptor)
    return Failure{ErrorCode::Unsupported,
                   "found type '" + header->descr +
                       "', expected one of <f8, <f4, <V2 (bf16), <f2, |b1, "
                       "|i1, <i2, <i4, <i8"};

  size_t elementSize = byteSize(descriptor->type);
  size_t size = elementSize;
  bool isEmpty = false, overflow = false;
  for (int64_t extent : header->shape) {
    isEmpty |= extent == 0;
    overflow |= extent != 0 && __builtin_mul_overflow(size, extent, &size);
  }
  if (isEmpty)
    size = 0;
  else if (overflow)
    return corrupt("found a shape whose size exceeds 64 bits");
  std::string_view payload = bytes.substr(headerBegin + headerSize);
  if (payload.size() != size)
    return corrupt("found " + std::to_string(payload.size()) +
                   " bytes of data, expected " + std::to_string(size));

  const auto *data = reinterpret_cast<const uint8_t *>(payload.data());
  Array array{descriptor->type, std::move(header->shape), {}};
  if (header->fortranOrder && array.shape.size() > 1)
    array.data = toRowMajor(data, size, array.shape, elementSize);
  else
    array.data.assign(data, data + size);
  return array;
}

std::string graphrt::npy::serialize(const Array &array) {
  const Descriptor &descriptor = descriptors[static_cast<unsigned>(array.type)];
  std::string header = "{'descr': '" + std::string(descriptor.text) +
                       "', 'fortran_order': False, 'shape': (";
  for (size_t d = 0; d < array.shape.size(); ++d)
    header += (d ? " " : "") + std::to_string(array.shape[d]) + ",";
  header += "), }";
  // The data begins at a multiple of 64 bytes, as NumPy's own writer has it.
  constexpr size_t preamble = 10;
  header.append(63 - (preamble + header.size()) % 64, ' ');
  header += '\n';

  std::string bytes(magic);
  bytes += '\x01';
  bytes += '\x00';
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  bytes.append(reinterpret_cast<const char *>(array.data.data()),
               array.data.size());
  return bytes;
}

Expected<Array> graphrt::npy::readFile(const std::string &path) {
  File file(std::fopen(path.c_str(), "rb"));
  if (!file)
    return ioFailure(path, "open");
  std::string bytes;
  char block[1 << 16];
  while (size_t count = std::fread(block, 1, sizeof(block), file.get()))
    bytes.append(block, count);
  if (std::ferror(file.get()))
    return ioFailure(path, "read");
  Expected<Array> array = parse(bytes);
  if (!array)
    return Failure{array.failure().code,
                   "'" + path + "': " + array.failure().message};
  return array;
}

Status graphrt::npy::writeFile(const std::string &path, const Array &array) {
  File file(std::fopen(path.c_str(), "wb"));
  if (!file)
    return ioFailure(path, "create");
  std::string bytes = serialize(array);
  if (std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size() ||
      std::fclose(file.release()))
    return ioFailure(path, "write");
  return {};
}
