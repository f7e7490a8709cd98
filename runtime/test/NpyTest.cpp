//===- NpyTest.cpp - Tests of .npy files ----------------------------------===//

#include "graphrt/io/Npy.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstring>
#include <filesystem>

using namespace graphrt;
using testing::HasSubstr;

namespace {

/// A version `major` file of `header` (a dictionary literal) and `data`.
std::string makeFile(const std::string &header, const std::string &data,
                     char major = 1) {
  std::string bytes("\x93NUMPY");
  bytes += major;
  bytes += '\0';
  bytes += static_cast<char>(header.size());
  bytes.append(major == 1 ? 1 : 3, '\0');
  return bytes + header + data;
}

std::string errorOf(const std::string &bytes) {
  Expected<npy::Array> array = npy::parse(bytes);
  return array ? "no error" : array.failure().message;
}

npy::Array ramp(ElementType type, std::vector<int64_t> shape) {
  npy::Array array{type, std::move(shape), {}};
  size_t size = byteSize(type);
  for (int64_t extent : array.shape)
    size *= extent;
  for (size_t i = 0; i < size; ++i)
    array.data.push_back(type == ElementType::i1 ? i & 1 : i * 37);
  return array;
}

TEST(Npy, RoundTripsEveryTypeAndRank) {
  for (unsigned type = 0; type < numElementTypes; ++type)
    for (std::vector<int64_t> shape :
         {std::vector<int64_t>{}, {1}, {7}, {0}, {3, 0}, {2, 3}, {2, 1, 5}}) {
      npy::Array array = ramp(static_cast<ElementType>(type), shape);
      std::string bytes = npy::serialize(array);
      EXPECT_EQ((bytes.size() - array.data.size()) % 64, 0u);
      Expected<npy::Array> read = npy::parse(bytes);
      ASSERT_TRUE(read) << read.failure().message;
      EXPECT_EQ(read->type, array.type);
      EXPECT_EQ(read->shape, array.shape);
      EXPECT_EQ(read->data, array.data);
    }
}

TEST(Npy, ReadsFortranOrder) {
  Expected<npy::Array> array = npy::parse(makeFile(
      "{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3)}", "adbecf"));
  ASSERT_TRUE(array) << array.failure().message;
  EXPECT_EQ(std::string(array->data.begin(), array->data.end()), "abcdef");
}

TEST(Npy, ReadsVersions2And3) {
  for (char major : {2, 3})
    EXPECT_EQ(errorOf(makeFile("{\"shape\": (2,), 'descr': '|i1', "
                               "'fortran_order': False, }   \n",
                               "ab", major)),
              "no error");
}

TEST(Npy, RefusesBadFiles) {
  const std::string good = makeFile(
      "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }", "abcd");
  ASSERT_EQ(errorOf(good), "no error");
  for (size_t size = 0; size < good.size(); ++size)
    EXPECT_NE(errorOf(good.substr(0, size)), "no error") << size;
  EXPECT_THAT(errorOf("PK\3\4"), HasSubstr("not a .npy file"));
  EXPECT_THAT(errorOf(good.substr(0, 12)), HasSubstr("truncated"));
  EXPECT_THAT(errorOf(good + "x"),
              HasSubstr("found 5 bytes of data, expected 4"));
  std::string newer = good;
  newer[6] = 4;
  EXPECT_THAT(errorOf(newer), HasSubstr("found format version 4"));

  auto header = [](const std::string &text) {
    return errorOf(makeFile(text, ""));
  };
  EXPECT_THAT(header("[]"), HasSubstr("expected '{' at column 0"));
  EXPECT_THAT(header("{descr"), HasSubstr("expected a key in quotes"));
  EXPECT_THAT(header("{'descr' 1"), HasSubstr("expected ':'"));
  EXPECT_THAT(header("{'a': 1}"), HasSubstr("found key 'a'"));
  EXPECT_THAT(header("{'descr': [('x', '<f4')]}"),
              HasSubstr("expected a type in quotes"));
  EXPECT_THAT(header("{'descr': '<f4' 'shape'"), HasSubstr("',' or '}'"));
  EXPECT_THAT(header("{'descr': '<f4', 'descr': '<f4'}"), HasSubstr("twice"));
  EXPECT_THAT(header("{'descr': '<f4'}"), HasSubstr("without all of the keys"));
  EXPECT_THAT(header("{'fortran_order': 1}"), HasSubstr("True or False"));
  EXPECT_THAT(header("{'shape': 3}"), HasSubstr("expected '('"));
  EXPECT_THAT(header("{'shape': (-1,)}"), HasSubstr("non-negative extent"));
  EXPECT_THAT(header("{'shape': (1 2)}"), HasSubstr("',' or ')'"));
  EXPECT_THAT(header("{'shape': (99999999999999999999,)}"),
              HasSubstr("exceeds 64 bits"));
  EXPECT_THAT(header("{'descr': '<f4', 'fortran_order': False, 'shape': ()} x"),
              HasSubstr("the end of the header"));
  EXPECT_THAT(header("{'descr': '<f4', 'fortran_order': False, 'shape': "
                     "(9999999999, 9999999999)}"),
              HasSubstr("size exceeds 64 bits"));
  for (const char *type : {">f4", "<u4", "<c8", "O"})
    EXPECT_THAT(header("{'descr': '" + std::string(type) +
                       "', 'fortran_order': False, 'shape': ()}"),
                HasSubstr("found type '" + std::string(type)));
}

TEST(Npy, ReadsAndWritesFiles) {
  std::string path = testing::TempDir() + "npy-test.npy";
  npy::Array array = ramp(ElementType::f32, {100, 300});
  ASSERT_FALSE(npy::writeFile(path, array));
  Expected<npy::Array> read = npy::readFile(path);
  ASSERT_TRUE(read) << read.failure().message;
  EXPECT_EQ(read->data, array.data);
  std::filesystem::remove(path);
  EXPECT_THAT(npy::readFile(path).failure().message,
              HasSubstr("npy-test.npy': cannot open: No such file"));
  Status full = npy::writeFile("/dev/full", array);
  ASSERT_TRUE(full);
  EXPECT_THAT(full.failure().message,
              HasSubstr("'/dev/full': cannot write: No space left"));
}

} // namespace
