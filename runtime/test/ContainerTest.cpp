//===- ContainerTest.cpp - Tests of the artifact's file format ------------===//

#include "graphrt/artifact/Container.h"
#include "graphrt/support/AtomicFile.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstring>
#include <filesystem>
#include <zlib.h>

using namespace graphrt;
using namespace graphrt::artifact;
using testing::HasSubstr;

namespace {

const Section sections[] = {
    {SectionKind::Program, "a program"},
    {SectionKind::Code, ""},
    {SectionKind::Constants, std::string_view("\0\1\2", 3)},
    {SectionKind::Source, "module {}\n"}};

std::string errorOf(std::string_view bytes) {
  Expected<std::vector<Section>> result = parse(bytes);
  return result ? "no error" : result.failure().message;
}

/// Overwrites an integer of a file.
template <typename T>
void put(std::string &bytes, size_t offset, T value) {
  std::memcpy(&bytes[offset], &value, sizeof(T));
}

/// Makes the checksums of the header and of a table of `count` entries right.
void reseal(std::string &bytes, size_t count) {
  auto crc = [&](size_t offset, size_t size) {
    return uint32_t(crc32_z(
        0, reinterpret_cast<const Bytef *>(bytes.data()) + offset, size));
  };
  put<uint32_t>(bytes, 24, crc(64, 32 * count));
  put<uint32_t>(bytes, 28, 0);
  put<uint32_t>(bytes, 28, crc(0, 64));
}

TEST(Container, RoundTrips) {
  std::string bytes = serialize(sections);
  Expected<std::vector<Section>> result = parse(bytes);
  ASSERT_TRUE(result) << result.failure().message;
  ASSERT_EQ(result->size(), std::size(sections));
  for (size_t i = 0; i < result->size(); ++i) {
    EXPECT_EQ((*result)[i].kind, sections[i].kind);
    EXPECT_EQ((*result)[i].bytes, sections[i].bytes);
    EXPECT_EQ(((*result)[i].bytes.data() - bytes.data()) % sectionAlignment,
              0u);
  }
  EXPECT_EQ(errorOf(serialize({})), "no error");
}

TEST(Container, FindsEveryTruncation) {
  std::string bytes = serialize(sections);
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THAT(errorOf(bytes.substr(0, size)),
                size == 0 ? HasSubstr("not an artifact")
                          : HasSubstr("truncated artifact"));
  EXPECT_THAT(errorOf(bytes + '\0'), HasSubstr("found an artifact of size"));
}

TEST(Container, FindsEveryFlippedBit) {
  std::string bytes = serialize(sections);
  for (size_t i = 0; i < bytes.size(); ++i)
    for (unsigned bit = 0; bit < 8; ++bit) {
      bytes[i] ^= 1 << bit;
      EXPECT_NE(errorOf(bytes), "no error") << i << " " << bit;
      bytes[i] ^= 1 << bit;
    }
}

TEST(Container, NamesTheFault) {
  const std::string good = serialize(sections);
  auto error = [&](auto change) {
    std::string bytes = good;
    change(bytes);
    return errorOf(bytes);
  };
  // Foreign files and other versions.
  EXPECT_THAT(error([](auto &b) { b[0] = 'P'; }), HasSubstr("not an artifact"));
  EXPECT_THAT(error([](auto &b) { put<uint16_t>(b, 8, 2); }),
              HasSubstr("newer than this runtime: found format version 2, "
                        "expected 1"));
  EXPECT_THAT(error([](auto &b) { put<uint16_t>(b, 8, 0); }),
              HasSubstr("found format version 0, expected 1"));
  // Damage.
  EXPECT_THAT(error([](auto &b) { b[40] = 1; }),
              HasSubstr("header's checksum does not match"));
  EXPECT_THAT(error([](auto &b) { b[64] ^= 8; }),
              HasSubstr("section table's checksum does not match"));
  EXPECT_THAT(error([](auto &b) { b.back() ^= 1; }),
              HasSubstr("checksum of the source section does not match"));
  EXPECT_THAT(error([](auto &b) { b[255] ^= 1; }),
              HasSubstr("padding before the code section is not zero"));
  // Files that were written wrong.
  EXPECT_THAT(error([](auto &b) {
                put<uint32_t>(b, 12, 1 << 30);
                reseal(b, 4);
              }),
              HasSubstr("section table exceeds the file"));
  EXPECT_THAT(error([](auto &b) {
                put<uint64_t>(b, 72, 1 << 20);
                reseal(b, 4);
              }),
              HasSubstr("section 'program' at offset 1048576, expected 192"));
  EXPECT_THAT(error([](auto &b) {
                put<uint64_t>(b, 80, ~uint64_t(0));
                reseal(b, 4);
              }),
              HasSubstr("section 'program' at offset 192 exceeds the file"));
  EXPECT_THAT(error([](auto &b) {
                put<uint32_t>(b, 12, 3);
                reseal(b, 3);
              }),
              HasSubstr("padding before the program section is not zero"));
  EXPECT_THAT(error([](auto &b) {
                b += '\0';
                put<uint64_t>(b, 16, b.size());
                reseal(b, 4);
              }),
              HasSubstr("found an artifact of size"));
  Section twice[] = {sections[0], sections[0]};
  EXPECT_THAT(errorOf(serialize(twice)),
              HasSubstr("found two program sections, expected one"));
}

TEST(Container, KeepsUnknownSections) {
  Section unknown[] = {{static_cast<SectionKind>(77), "later"}};
  Expected<std::vector<Section>> result = parse(serialize(unknown));
  ASSERT_TRUE(result);
  EXPECT_STREQ(name((*result)[0].kind), "unknown");
}

TEST(AtomicFile, ReplacesFilesAndFollowsLinks) {
  namespace fs = std::filesystem;
  fs::path directory = fs::path(testing::TempDir()) / "atomic-file-test";
  fs::remove_all(directory);
  fs::create_directory(directory);
  std::string file = directory / "file.gx", link = directory / "link.gx";
  fs::create_symlink("file.gx", link);
  ASSERT_FALSE(artifact::writeFile(file, sections));
  ASSERT_FALSE(artifact::writeFile(link, {}));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(*readWholeFile(file), serialize({}));
  ASSERT_FALSE(checkWritable(file));
  EXPECT_EQ(std::distance(fs::directory_iterator(directory), {}), 2);
  fs::remove_all(directory);
  EXPECT_THAT(artifact::writeFile(file, sections).failure().message,
              HasSubstr("file.gx': cannot create a file beside it: No such"));
  EXPECT_THAT(artifact::writeFile("/dev/full", sections).failure().message,
              HasSubstr("other than a regular file"));
  EXPECT_THAT(readWholeFile(file).failure().message,
              HasSubstr("cannot open: No such file"));
  EXPECT_THAT(readWholeFile("/").failure().message, HasSubstr("cannot read"));
}

} // namespace
