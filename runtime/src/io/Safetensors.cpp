//===- Safetensors.cpp - Checkpoint files ---------------------------------===//

#include "Safetensors.h"

#include "graphrt/support/AtomicFile.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <zlib.h>

using namespace graphrt;
using namespace graphrt::safetensors;
using nlohmann::json;

namespace {

constexpr const char *metadataKey = "__metadata__";
constexpr const char *versionKey = "graphrt.version";
constexpr const char *checksumKey = "graphrt.crc32";
constexpr const char *noChecksum = "00000000";
constexpr size_t checksumDigits = 8;

/// In the order of ElementType.
constexpr const char *typeNames[numElementTypes] = {
    "F64", "F32", "BF16", "F16", "BOOL", "I8", "I16", "I32", "I64"};

Failure corrupt(std::string message) {
  return {ErrorCode::Corrupt, std::move(message)};
}

/// How the writer spells the checksum, up to its digits. Inside a JSON string
/// the quotes would be escaped, so this occurs once.
std::string checksumMarker() {
  return '"' + std::string(checksumKey) + "\":\"";
}

std::string hexadecimal(uint32_t value) {
  char text[checksumDigits + 1];
  std::snprintf(text, sizeof(text), "%08x", value);
  return text;
}

/// The CRC-32 of a file's parts, continued from `crc`.
uint32_t checksum(uint32_t crc, std::string_view bytes) {
  return crc32_z(crc, reinterpret_cast<const Bytef *>(bytes.data()),
                 bytes.size());
}

/// Checks the marks that the runtime's own writer leaves.
Status checkMarks(std::string_view bytes, std::string_view header,
                  const std::map<std::string, std::string> &metadata) {
  bool hasVersion = metadata.count(versionKey);
  auto recorded = metadata.find(checksumKey);
  if (!hasVersion && recorded == metadata.end())
    return {};
  size_t marker = header.find(checksumMarker());
  if (!hasVersion || recorded == metadata.end() ||
      marker == std::string_view::npos ||
      recorded->second.size() != checksumDigits)
    return corrupt("damaged checkpoint: the header has lost its version or "
                   "its checksum");
  size_t digits =
      header.data() - bytes.data() + marker + checksumMarker().size();
  uint32_t crc = checksum(0, bytes.substr(0, digits));
  crc = checksum(crc, noChecksum);
  crc = checksum(crc, bytes.substr(digits + checksumDigits));
  if (recorded->second != hexadecimal(crc))
    return corrupt("damaged checkpoint: found checksum " + hexadecimal(crc) +
                   ", expected " + recorded->second);
  return {};
}

std::optional<int64_t> asSize(const json &value) {
  if (!value.is_number_unsigned() || value.get<uint64_t>() > INT64_MAX)
    return std::nullopt;
  return value.get<int64_t>();
}

std::optional<std::vector<int64_t>> asSizes(const json &object,
                                            const char *key) {
  auto list = object.find(key);
  if (list == object.end() || !list->is_array())
    return std::nullopt;
  std::vector<int64_t> sizes;
  for (const json &element : *list) {
    std::optional<int64_t> size = asSize(element);
    if (!size)
      return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}

Expected<ElementType> asType(const std::string &name, const json &object) {
  auto dtype = object.find("dtype");
  if (dtype == object.end() || !dtype->is_string())
    return corrupt("tensor '" + name + "': found no dtype");
  for (unsigned i = 0; i < numElementTypes; ++i)
    if (*dtype == typeNames[i])
      return static_cast<ElementType>(i);
  return Failure{ErrorCode::Unsupported,
                 "tensor '" + name + "': found dtype " + dtype->dump() +
                     ", expected one of F64, F32, BF16, F16, BOOL, I8, I16, "
                     "I32, I64"};
}

Expected<Entry> parseEntry(const std::string &name, const json &object,
                           std::string_view data) {
  if (!object.is_object())
    return corrupt("tensor '" + name + "': found no JSON object");
  Expected<ElementType> type = asType(name, object);
  if (!type)
    return type.failure();
  auto shape = asSizes(object, "shape");
  auto range = asSizes(object, "data_offsets");
  if (!shape || !range || range->size() != 2)
    return corrupt("tensor '" + name +
                   "': found no valid shape or data_offsets");
  int64_t size = byteSize(*type);
  bool isEmpty = false;
  for (int64_t extent : *shape) {
    isEmpty |= extent == 0;
    if (__builtin_mul_overflow(size, std::max<int64_t>(extent, 1), &size))
      return corrupt("tensor '" + name + "': found a size beyond 63 bits");
  }
  size = isEmpty ? 0 : size;
  int64_t begin = (*range)[0], end = (*range)[1];
  if (begin > end || uint64_t(end) > data.size())
    return corrupt("tensor '" + name + "': found data at " +
                   std::to_string(begin) + " to " + std::to_string(end) +
                   ", expected a range inside the " +
                   std::to_string(data.size()) + " bytes of data");
  if (end - begin != size)
    return corrupt("tensor '" + name + "': found " +
                   std::to_string(end - begin) + " bytes of data, expected " +
                   std::to_string(size));
  return Entry{name, *type, std::move(*shape), data.substr(begin, size)};
}

/// The format allows neither gaps nor overlaps nor bytes that belong to no
/// tensor.
Status checkLayout(std::vector<Entry> entries, std::string_view data) {
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) {
    return std::pair(a.data.data(), a.data.size()) <
           std::pair(b.data.data(), b.data.size());
  });
  const char *end = data.data();
  for (const Entry &entry : entries) {
    if (entry.data.data() != end)
      return corrupt("tensor '" + entry.name +
                     "': found a gap or an overlap before its data");
    end += entry.data.size();
  }
  if (end != data.data() + data.size())
    return corrupt("found " + std::to_string(data.data() + data.size() - end) +
                   " bytes after the last tensor, expected none");
  return {};
}

Status parseMetadata(const json &header,
                     std::map<std::string, std::string> &metadata) {
  auto object = header.find(metadataKey);
  if (object == header.end())
    return {};
  if (!object->is_object())
    return corrupt("found metadata that is not a JSON object");
  for (const auto &[key, value] : object->items()) {
    if (!value.is_string())
      return corrupt("found metadata '" + key + "' that is not a string");
    metadata[key] = value.get<std::string>();
  }
  return {};
}

} // namespace

Status graphrt::safetensors::write(const std::string &path, const File &file) {
  std::string metadata =
      checksumMarker() + noChecksum + "\",\"" + versionKey + "\":\"1\"";
  for (const auto &[key, value] : file.metadata)
    metadata += "," + json(key).dump() + ":" + json(value).dump();
  std::string header =
      "{\"" + std::string(metadataKey) + "\":{" + metadata + "}";
  uint64_t offset = 0;
  for (const Entry &entry : file.entries) {
    header += "," + json(entry.name).dump() + ":{\"dtype\":\"" +
              typeNames[static_cast<unsigned>(entry.type)] +
              "\",\"shape\":" + json(entry.shape).dump() +
              ",\"data_offsets\":[" + std::to_string(offset) + "," +
              std::to_string(offset + entry.data.size()) + "]}";
    offset += entry.data.size();
  }
  header += "}";
  header.append((8 - header.size() % 8) % 8, ' ');

  uint64_t size = header.size();
  std::string_view sizeBytes(reinterpret_cast<const char *>(&size),
                             sizeof(size));
  uint32_t crc = checksum(checksum(0, sizeBytes), header);
  for (const Entry &entry : file.entries)
    crc = checksum(crc, entry.data);
  size_t digits = header.find(checksumMarker()) + checksumMarker().size();
  header.replace(digits, checksumDigits, hexadecimal(crc));

  std::vector<std::string_view> pieces = {sizeBytes, header};
  for (const Entry &entry : file.entries)
    pieces.push_back(entry.data);
  return writeFileAtomically(path, pieces);
}

Expected<File> graphrt::safetensors::parse(std::string_view bytes) {
  uint64_t headerSize;
  constexpr uint64_t maxHeaderSize = 100'000'000;
  if (bytes.size() < sizeof(headerSize))
    return corrupt("truncated checkpoint: found " +
                   std::to_string(bytes.size()) +
                   " bytes, expected the size of a header");
  std::memcpy(&headerSize, bytes.data(), sizeof(headerSize));
  if (headerSize > maxHeaderSize)
    return corrupt("not a safetensors file: found a header of " +
                   std::to_string(headerSize) + " bytes, expected at most " +
                   std::to_string(maxHeaderSize));
  if (headerSize > bytes.size() - sizeof(headerSize))
    return corrupt("truncated checkpoint: found " +
                   std::to_string(bytes.size() - sizeof(headerSize)) +
                   " bytes after the size, expected a header of " +
                   std::to_string(headerSize));
  std::string_view header = bytes.substr(sizeof(headerSize), headerSize);
  std::string_view data = bytes.substr(sizeof(headerSize) + headerSize);

  json object = json::parse(header, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object())
    return corrupt("found a header that is not a JSON object");
  File file;
  if (Status status = parseMetadata(object, file.metadata))
    return status.failure();
  if (Status status = checkMarks(bytes, header, file.metadata))
    return status.failure();
  for (const auto &[name, value] : object.items()) {
    if (name == metadataKey)
      continue;
    Expected<Entry> entry = parseEntry(name, value, data);
    if (!entry)
      return entry.failure();
    file.entries.push_back(std::move(*entry));
  }
  if (Status status = checkLayout(file.entries, data))
    return status.failure();
  std::erase_if(file.metadata, [](const auto &item) {
    return std::string_view(item.first).substr(0, reservedPrefix.size()) ==
           reservedPrefix;
  });
  return file;
}
