//===- Container.cpp - The file format of artifacts -----------------------===//

#include "graphrt/artifact/Container.h"
#include "graphrt/support/AtomicFile.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <zlib.h>

using namespace graphrt;
using namespace graphrt::artifact;

static_assert(std::endian::native == std::endian::little,
              "artifacts are read in place");

namespace {

constexpr char magic[8] = {'\x89', 'G', 'R', 'X', '\r', '\n', '\x1a', '\n'};

struct Header {
  char magic[8];
  uint16_t major;
  uint16_t minor;
  uint32_t sectionCount;
  uint64_t fileSize;
  uint32_t tableChecksum;
  uint32_t headerChecksum;
  uint8_t zero[32];
};
static_assert(sizeof(Header) == 64);

struct Entry {
  uint32_t kind;
  uint32_t checksum;
  uint64_t offset;
  uint64_t size;
  uint64_t zero;
};
static_assert(sizeof(Entry) == 32);

uint32_t checksum(const void *data, size_t size) {
  return crc32_z(0, static_cast<const Bytef *>(data), size);
}

uint32_t checksum(Header header) {
  header.headerChecksum = 0;
  return checksum(&header, sizeof(header));
}

uint64_t align(uint64_t offset) {
  return (offset + sectionAlignment - 1) / sectionAlignment * sectionAlignment;
}

Failure corrupt(std::string message) {
  return {ErrorCode::Corrupt, std::move(message)};
}

Failure mismatch(const std::string &what, uint64_t found, uint64_t expected) {
  return corrupt("found " + what + " " + std::to_string(found) + ", expected " +
                 std::to_string(expected));
}

/// Reads and checks the header; its sections are not looked at.
Expected<Header> parseHeader(std::string_view bytes) {
  Header header;
  size_t common = std::min(bytes.size(), sizeof(magic));
  if (std::memcmp(bytes.data(), magic, common) != 0 || bytes.empty())
    return corrupt("not an artifact: found other magic bytes, expected "
                   "\\x89GRX");
  if (bytes.size() < sizeof(header))
    return corrupt("truncated artifact: found " + std::to_string(bytes.size()) +
                   " bytes, expected a header of " +
                   std::to_string(sizeof(header)));
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (header.major > formatMajor)
    return Failure{ErrorCode::Unsupported,
                   "the artifact is newer than this runtime: found format "
                   "version " +
                       std::to_string(header.major) + ", expected " +
                       std::to_string(formatMajor)};
  if (header.major != formatMajor)
    return mismatch("format version", header.major, formatMajor);
  if (header.headerChecksum != checksum(header))
    return corrupt("damaged artifact: the header's checksum does not match");
  if (bytes.size() < header.fileSize)
    return corrupt("truncated artifact: found " + std::to_string(bytes.size()) +
                   " bytes, expected " + std::to_string(header.fileSize));
  if (bytes.size() > header.fileSize)
    return mismatch("an artifact of size", bytes.size(), header.fileSize);
  return header;
}

} // namespace

const char *graphrt::artifact::name(SectionKind kind) {
  switch (kind) {
  case SectionKind::Program:
    return "program";
  case SectionKind::Code:
    return "code";
  case SectionKind::Constants:
    return "constants";
  case SectionKind::Source:
    return "source";
  case SectionKind::Cubin:
    return "cubin";
  }
  return "unknown";
}

std::string graphrt::artifact::serialize(std::span<const Section> sections) {
  std::vector<Entry> table;
  uint64_t end = sizeof(Header) + sections.size() * sizeof(Entry);
  for (const Section &section : sections) {
    table.push_back({static_cast<uint32_t>(section.kind),
                     checksum(section.bytes.data(), section.bytes.size()),
                     align(end), section.bytes.size(), 0});
    end = align(end) + section.bytes.size();
  }

  Header header = {};
  std::memcpy(header.magic, magic, sizeof(magic));
  header.major = formatMajor;
  header.minor = formatMinor;
  header.sectionCount = sections.size();
  header.fileSize = end;
  header.tableChecksum = checksum(table.data(), table.size() * sizeof(Entry));
  header.headerChecksum = checksum(header);

  std::string bytes(end, '\0');
  std::memcpy(bytes.data(), &header, sizeof(header));
  std::memcpy(bytes.data() + sizeof(header), table.data(),
              table.size() * sizeof(Entry));
  for (size_t i = 0; i < sections.size(); ++i)
    sections[i].bytes.copy(bytes.data() + table[i].offset, table[i].size);
  return bytes;
}

Expected<std::vector<Section>>
graphrt::artifact::parse(std::string_view bytes) {
  Expected<Header> header = parseHeader(bytes);
  if (!header)
    return header.failure();
  uint64_t count = header->sectionCount;
  uint64_t end = sizeof(Header) + count * sizeof(Entry);
  if (end > bytes.size())
    return corrupt("damaged artifact: the section table exceeds the file");
  std::vector<Entry> table(count);
  std::memcpy(table.data(), bytes.data() + sizeof(Header),
              count * sizeof(Entry));
  if (header->tableChecksum !=
      checksum(table.data(), table.size() * sizeof(Entry)))
    return corrupt(
        "damaged artifact: the section table's checksum does not match");

  std::vector<Section> sections;
  for (const Entry &entry : table) {
    auto kind = static_cast<SectionKind>(entry.kind);
    std::string what = "section '" + std::string(name(kind)) + "' at offset";
    if (entry.offset != align(end))
      return mismatch(what, entry.offset, align(end));
    if (entry.offset > bytes.size() || entry.size > bytes.size() - entry.offset)
      return corrupt(what + " " + std::to_string(entry.offset) +
                     " exceeds the file");
    std::string_view gap = bytes.substr(end, entry.offset - end);
    if (gap.find_first_not_of('\0') != std::string_view::npos)
      return corrupt("damaged artifact: the padding before the " +
                     std::string(name(kind)) + " section is not zero");
    std::string_view content = bytes.substr(entry.offset, entry.size);
    if (entry.checksum != checksum(content.data(), content.size()))
      return corrupt("damaged artifact: the checksum of the " +
                     std::string(name(kind)) + " section does not match");
    for (const Section &other : sections)
      if (other.kind == kind)
        return corrupt("found two " + std::string(name(kind)) +
                       " sections, expected one");
    sections.push_back({kind, content});
    end = entry.offset + entry.size;
  }
  if (end != bytes.size())
    return mismatch("an artifact of size", bytes.size(), end);
  return sections;
}

Status graphrt::artifact::writeFile(const std::string &path,
                                    std::span<const Section> sections) {
  std::string bytes = serialize(sections);
  std::string_view pieces[] = {bytes};
  return writeFileAtomically(path, pieces);
}
