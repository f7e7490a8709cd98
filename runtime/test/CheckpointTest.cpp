//===- CheckpointTest.cpp - Tests of checkpoints --------------------------===//

#include "TestArtifact.h"

#include "io/Safetensors.h"

#include "graphrt/graphrt.hpp"
#include "graphrt/support/AtomicFile.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sys/resource.h>

using namespace graphrt;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class Checkpoint : public testing::Test {
protected:
  void SetUp() override {
    std::filesystem::remove_all(directory);
    std::filesystem::create_directories(directory);
  }
  void TearDown() override { std::filesystem::remove_all(directory); }

  void write(const std::string &bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  }

  /// The error of loading the given bytes as a file.
  std::string errorOf(const std::string &bytes,
                      grt_status_code code = GRT_CORRUPT) {
    write(bytes);
    try {
      Session session(program, {.threads = 1});
      session.load(path);
    } catch (const Error &error) {
      EXPECT_EQ(error.code(), code) << error.what();
      EXPECT_THAT(error.what(), HasSubstr(path + "': "));
      return error.what();
    }
    return "no error";
  }

  /// A file of another program with one header and data.
  static std::string foreign(const std::string &header,
                             const std::string &data) {
    uint64_t size = header.size();
    return std::string(reinterpret_cast<const char *>(&size), 8) + header +
           data;
  }

  /// A session after init and one step, saved.
  void save() {
    session.call("init", {Tensor::scalar<int64_t>(5)});
    session.setMetadata("note", "said \"graphrt.crc32\":\"00000000\"");
    session.save(path);
  }

  /// One per test, which CTest may run at the same time.
  std::filesystem::path directory =
      std::filesystem::path(testing::TempDir()) /
      ("checkpoint-" +
       std::string(
           testing::UnitTest::GetInstance()->current_test_info()->name()));
  std::string path = directory / "c.safetensors";
  Program program = Program::fromMemory(test::makeArtifact(test::toyProgram()));
  Session session{program, {.threads = 1}};
};

TEST_F(Checkpoint, RoundTrips) {
  save();
  Session other(program);
  other.load(path);
  EXPECT_THAT(other.state("w").as<float>(), ElementsAre(5, 6, 7, 8));
  EXPECT_THAT(other.state("count").as<int64_t>(), ElementsAre(0));
  EXPECT_EQ(other.metadata("note"), "said \"graphrt.crc32\":\"00000000\"");
  EXPECT_EQ(other.metadata("graphrt.version"), std::nullopt);
  other.save(path + "2");
  EXPECT_EQ(*readWholeFile(path), *readWholeFile(path + "2"));
}

TEST_F(Checkpoint, SavesInitializedStatesOnly) {
  int64_t four[] = {4};
  session.setState("w", Tensor::zeros(ElementType::f32, four));
  session.save(path);
  Session other(program);
  other.setState("count", Tensor::scalar<int64_t>(3));
  other.load(path);
  EXPECT_THAT(other.state("w").as<float>(), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(other.state("count").as<int64_t>(), ElementsAre(3));
}

TEST_F(Checkpoint, FindsEveryTruncation) {
  save();
  std::string good = *readWholeFile(path);
  ASSERT_TRUE(safetensors::parse(good));
  for (size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(safetensors::parse(good.substr(0, size))) << size;
  EXPECT_FALSE(safetensors::parse(good + "x"));
}

TEST_F(Checkpoint, FindsEveryFlippedBit) {
  save();
  std::string bytes = *readWholeFile(path);
  for (size_t i = 0; i < bytes.size(); ++i)
    for (unsigned bit = 0; bit < 8; ++bit) {
      bytes[i] ^= 1 << bit;
      EXPECT_FALSE(safetensors::parse(bytes)) << i << " " << bit;
      bytes[i] ^= 1 << bit;
    }
}

TEST_F(Checkpoint, ChangesNothingOnFailure) {
  save();
  std::string bytes = *readWholeFile(path);
  bytes.back() ^= 1;
  EXPECT_THAT(errorOf(bytes), HasSubstr("damaged checkpoint"));
  EXPECT_THROW(session.load(path), Error);
  EXPECT_THAT(session.state("w").as<float>(), ElementsAre(5, 6, 7, 8));
  EXPECT_TRUE(session.metadata("note"));
}

TEST_F(Checkpoint, LoadsFilesOfOtherPrograms) {
  std::string header = R"({"count":{"dtype":"I64","shape":[],)"
                       R"("data_offsets":[0,8]}})";
  EXPECT_EQ(errorOf(foreign(header, std::string(8, '\1'))), "no error");
}

TEST_F(Checkpoint, NamesTheFault) {
  auto error = [&](const std::string &header,
                   grt_status_code code = GRT_CORRUPT) {
    return errorOf(foreign(header, "12345678"), code);
  };
  auto tensor = [](const std::string &type, const std::string &shape,
                   const std::string &range) {
    return R"({"count":{"dtype":")" + type + R"(","shape":)" + shape +
           R"(,"data_offsets":)" + range + "}}";
  };
  EXPECT_THAT(errorOf(""), HasSubstr("truncated checkpoint: found 0 bytes"));
  EXPECT_THAT(errorOf(std::string(8, '\x7f')),
              HasSubstr("not a safetensors file"));
  EXPECT_THAT(errorOf(foreign("{}", "").substr(0, 9)),
              HasSubstr("truncated checkpoint"));
  EXPECT_THAT(error("[1]"), HasSubstr("header that is not a JSON object"));
  EXPECT_THAT(error(R"({"__metadata__":1})"),
              HasSubstr("metadata that is not a JSON object"));
  EXPECT_THAT(error(R"({"__metadata__":{"a":1}})"),
              HasSubstr("metadata 'a' that is not a string"));
  EXPECT_THAT(error(R"({"__metadata__":{"graphrt.version":"1"}})"),
              HasSubstr("lost its version or its checksum"));
  EXPECT_THAT(error(R"({"__metadata__":{"graphrt.version":"1",)"
                    R"("graphrt.crc32":"00000000"}})"),
              HasSubstr("damaged checkpoint: found checksum"));
  EXPECT_THAT(error(R"({"count":1})"), HasSubstr("found no JSON object"));
  EXPECT_THAT(error(R"({"count":{}})"), HasSubstr("found no dtype"));
  EXPECT_THAT(error(R"({"count":{"dtype":"C64"}})", GRT_UNSUPPORTED),
              HasSubstr("found dtype \"C64\""));
  EXPECT_THAT(error(tensor("I64", "[-1]", "[0,8]")),
              HasSubstr("no valid shape or data_offsets"));
  EXPECT_THAT(error(tensor("I64", "[]", "[0]")),
              HasSubstr("no valid shape or data_offsets"));
  EXPECT_THAT(error(tensor("I64", "[4000000000,4000000000]", "[0,8]")),
              HasSubstr("found a size beyond 63 bits"));
  EXPECT_THAT(error(tensor("I64", "[]", "[0,9]")),
              HasSubstr("found data at 0 to 9, expected a range inside the 8"));
  EXPECT_THAT(error(tensor("I64", "[]", "[0,4]")),
              HasSubstr("found 4 bytes of data, expected 8"));
  EXPECT_THAT(error(tensor("I32", "[]", "[4,8]")),
              HasSubstr("found a gap or an overlap before its data"));
  EXPECT_THAT(error(tensor("I32", "[]", "[0,4]")),
              HasSubstr("found 4 bytes after the last tensor"));
  EXPECT_THAT(error(tensor("F64", "[]", "[0,8]"), GRT_INVALID_ARGUMENT),
              HasSubstr("state 'count': found tensor<f64>, expected "
                        "tensor<i64>"));
  EXPECT_THAT(error(R"({"z":{"dtype":"I64","shape":[],)"
                    R"("data_offsets":[0,8]}})",
                    GRT_NOT_FOUND),
              HasSubstr("found no state 'z' in the program"));
}

TEST_F(Checkpoint, RefusesBadMetadata) {
  EXPECT_THROW(session.setMetadata("", "x"), Error);
  EXPECT_THROW(session.setMetadata("graphrt.version", "2"), Error);
  EXPECT_THROW(session.setMetadata("a", "\xff"), Error);
}

TEST_F(Checkpoint, KeepsTheOldFileWhenTheDiskIsFull) {
  save();
  std::string good = *readWholeFile(path);
  session.call("init", {Tensor::scalar<int64_t>(6)});
  // A limit on the size of files fails a write as a full disk does.
  rlimit old, limit;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  limit = {good.size() / 2, old.rlim_max};
  auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  std::string message;
  try {
    session.save(path);
  } catch (const Error &error) {
    message = error.what();
    EXPECT_EQ(error.code(), GRT_IO);
  }
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(message, HasSubstr("cannot write: File too large; the previous "
                                 "file is unchanged"));
  EXPECT_EQ(*readWholeFile(path), good);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory), {}),
            1);
}

} // namespace
