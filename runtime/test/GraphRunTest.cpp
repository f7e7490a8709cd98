//===- GraphRunTest.cpp - Tests of graph-run ------------------------------===//

#include "graphrt/io/Npy.h"
#include "graphrt/support/AtomicFile.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

using namespace graphrt;
using testing::HasSubstr;

namespace {

struct Result {
  int status;
  /// Standard output and error together.
  std::string text;
};

class GraphRun : public testing::Test {
protected:
  void SetUp() override {
    std::filesystem::remove_all(directory);
    std::filesystem::create_directories(directory);
    write("data.txt", std::string(100, 'a') + std::string(100, 'b'));
  }
  void TearDown() override { std::filesystem::remove_all(directory); }

  std::string file(const std::string &name) const { return directory / name; }

  void write(const std::string &name, const std::string &bytes) const {
    std::ofstream(file(name), std::ios::binary) << bytes;
  }

  /// A checkpoint as another program would write it.
  void writeForeign(const std::string &name, const std::string &entries,
                    const std::string &data) const {
    std::string header = "{" + entries + "}";
    uint64_t size = header.size();
    write(name, std::string(reinterpret_cast<char *>(&size), sizeof(size)) +
                    header + data);
  }

  /// Runs graph-run inside the directory; "TOY" stands for the test artifact,
  /// "GPU" for the one of the target "cuda".
  Result run(std::string arguments) const {
    for (auto [word, path] : {std::pair("TOY", GRAPHRT_TEST_TOY),
                              std::pair("GPU", GRAPHRT_TEST_CUDA_TOY)})
      if (size_t at = arguments.find(word); at != std::string::npos)
        arguments.replace(at, 3, path);
    std::string command = "cd " + directory.string() + " && " +
                          GRAPHRT_TEST_GRAPH_RUN + " " + arguments + " 2>&1";
    FILE *pipe = ::popen(command.c_str(), "r");
    std::string text;
    char block[4096];
    while (size_t count = std::fread(block, 1, sizeof(block), pipe))
      text.append(block, count);
    int status = ::pclose(pipe);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text};
  }

  /// The output of a command that must succeed.
  std::string succeed(const std::string &arguments) const {
    Result result = run(arguments);
    EXPECT_EQ(result.status, 0) << result.text;
    return result.text;
  }

  /// The output of a command that must fail with one line.
  std::string fail(const std::string &arguments) const {
    Result result = run(arguments);
    EXPECT_EQ(result.status, 1) << result.text;
    EXPECT_EQ(std::count(result.text.begin(), result.text.end(), '\n'), 1)
        << result.text;
    EXPECT_THAT(result.text, testing::StartsWith("graph-run: error: "));
    return result.text;
  }

  std::filesystem::path directory =
      std::filesystem::path(testing::TempDir()) /
      ("graph-run-" +
       std::string(
           testing::UnitTest::GetInstance()->current_test_info()->name()));
};

TEST_F(GraphRun, RefusesUnknownOptions) {
  for (const char *arguments :
       {"", "fly", "info TOY --fly", "train TOY", "info", "--fly",
        "train TOY --data data.txt --steps x",
        "train TOY --data data.txt --steps 1 --eval-every 5"}) {
    Result result = run(arguments);
    EXPECT_GT(result.status, 1) << arguments;
    EXPECT_THAT(result.text, HasSubstr("Run with --help")) << arguments;
  }
  EXPECT_THAT(succeed("--help"), HasSubstr("train"));
}

TEST_F(GraphRun, DescribesAnArtifact) {
  std::string text = succeed("info TOY");
  EXPECT_THAT(text, HasSubstr("made by test 1.0 for cpu"));
  EXPECT_THAT(text,
              HasSubstr("accumulate(x: tensor<4xf32>) -> (y: tensor<4xf32>)"));
  EXPECT_THAT(text, HasSubstr("planned peak memory 32 B; live at once in this "
                              "order 16 B, in any order at least 16 B"));
  auto json = nlohmann::json::parse(succeed("info TOY --json"));
  EXPECT_EQ(json["functions"][1]["name"], "accumulate");
  EXPECT_EQ(json["functions"][1]["arena_bytes"], 32);
  EXPECT_EQ(json["states"][0]["shape"], nlohmann::json({4}));
  EXPECT_EQ(json["sections"][3]["name"], "source");
}

TEST_F(GraphRun, RefusesBadArtifacts) {
  EXPECT_THAT(fail("info no.gx"), HasSubstr("'no.gx': cannot open"));
  write("bad.gx", "hello");
  EXPECT_THAT(fail("info bad.gx"), HasSubstr("'bad.gx': not an artifact"));
}

TEST_F(GraphRun, CallsAFunction) {
  succeed("call TOY init --input seed=5 --save-state s.st");
  npy::Array x{ElementType::f32, {4}, std::vector<uint8_t>(16)};
  ASSERT_FALSE(npy::writeFile(file("x.npy"), x));
  EXPECT_EQ(succeed("call TOY accumulate --input x=x.npy --state s.st"),
            "y: tensor<4xf32> = [5, 6, 7, 8]\n");
  EXPECT_EQ(succeed("call TOY accumulate --input x=x.npy --state s.st "
                    "--output y=y.npy"),
            "");
  EXPECT_EQ(npy::readFile(file("y.npy"))->shape, x.shape);
  EXPECT_THAT(succeed("call TOY denormals"), HasSubstr("min 0, max 0, mean 0"));
  std::string random = succeed("call TOY matmul --random-inputs 1");
  EXPECT_EQ(random, succeed("call TOY matmul --random-inputs 1"));
  EXPECT_NE(random, succeed("call TOY matmul --random-inputs 2"));
}

TEST_F(GraphRun, DescribesKernelsOfCudaArtifacts) {
  std::string text = succeed("info GPU");
  EXPECT_THAT(text, HasSubstr("made by test 1.0 for cuda, sm_90"));
  EXPECT_THAT(text, testing::ContainsRegex("denormal +128 threads  0 B of "
                                           "shared memory"));
  auto json = nlohmann::json::parse(succeed("info GPU --json"));
  EXPECT_EQ(json["architecture"], "sm_90");
  EXPECT_EQ(json["kernels"][4]["threads"], 128);
  EXPECT_EQ(json["kernels"][4]["shared_bytes"], 0);
}

TEST_F(GraphRun, ChoosesTheDevice) {
  std::string expected = succeed("call TOY denormals");
  EXPECT_EQ(succeed("call TOY denormals --device=cpu"), expected);
  EXPECT_THAT(fail("call TOY denormals --device=cuda"),
              HasSubstr("found an artifact for target 'cpu', expected 'cuda' "
                        "for the device 'cuda'"));
  EXPECT_THAT(fail("call GPU denormals --device=cpu"),
              HasSubstr("found an artifact for target 'cuda', expected 'cpu'"));
  EXPECT_THAT(fail("call GPU denormals --device=tpu"),
              HasSubstr("found device 'tpu', expected 'cpu', 'cuda'"));
#ifdef GRAPHRT_TEST_FAKE_DRIVER
  ::setenv("GRAPHRT_CUDA_DRIVER", GRAPHRT_TEST_FAKE_DRIVER, 1);
  ::setenv("GRAPHRT_CUBLASLT", "off", 1);
  EXPECT_EQ(succeed("call GPU denormals --device=cuda:1"), expected);
  EXPECT_THAT(fail("call GPU denormals --device=cuda:2"),
              HasSubstr("found device 'cuda:2', expected an index less than "
                        "2"));
  std::string options = " --data data.txt --steps 10 --seed 3 --checkpoint ";
  succeed("train TOY" + options + "cpu.st");
  succeed("train GPU --device=cuda" + options + "cuda.st");
  EXPECT_EQ(*readWholeFile(file("cpu.st")), *readWholeFile(file("cuda.st")));
  ::unsetenv("GRAPHRT_CUDA_DRIVER");
  ::unsetenv("GRAPHRT_CUBLASLT");
#else
  EXPECT_THAT(fail("call GPU denormals"),
              HasSubstr("found a runtime that was built without cuda.h"));
#endif
}

#ifdef GRAPHRT_TEST_EMULATOR
TEST_F(GraphRun, RunsOnTheEmulatedDevice) {
  std::string call = "call GPU denormals --device=cuda-emulated";
  EXPECT_EQ(succeed(call), succeed("call TOY denormals"));
  EXPECT_THAT(succeed("train GPU --device=cuda-emulated --data data.txt "
                      "--steps 10 --log l.jsonl"),
              HasSubstr("step 10/10  loss "));
  ::setenv("GRAPHRT_EMULATOR_MEMORY", "4K", 1);
  EXPECT_THAT(fail(call), HasSubstr("is out of memory: found "));
  ::unsetenv("GRAPHRT_EMULATOR_MEMORY");
}
#endif

TEST_F(GraphRun, RefusesBadCalls) {
  EXPECT_THAT(fail("call TOY f"), HasSubstr("found no function 'f', expected "
                                            "one of: init, accumulate"));
  EXPECT_THAT(fail("call TOY matmul --input a=a.npy"),
              HasSubstr("'a.npy': cannot open"));
  EXPECT_THAT(fail("call TOY matmul"),
              HasSubstr("function 'matmul': missing input a, b; expected: a: "
                        "tensor<2x3xf32>, b: tensor<3x2xf32>"));
  EXPECT_THAT(fail("call TOY matmul --input z=1"),
              HasSubstr("function 'matmul' has no input 'z'; expected: a: "));
  EXPECT_THAT(fail("call TOY init --input seed=1 --input seed=2"),
              HasSubstr("found --input 'seed' twice, expected it once"));
  EXPECT_THAT(fail("call TOY init --input seed"),
              HasSubstr("found --input 'seed', expected NAME=VALUE"));
  EXPECT_THAT(fail("call TOY init --input seed=1.5"),
              HasSubstr("input 'seed': found '1.5', expected a value of "
                        "tensor<i64> or a .npy file"));
  EXPECT_THAT(fail("call TOY accumulate --input x=3"),
              HasSubstr("input 'x': found the value '3', expected a .npy file "
                        "of tensor<4xf32>"));
  EXPECT_THAT(fail("call TOY denormals --output z=z.npy"),
              HasSubstr("function 'denormals' has no output 'z'"));
  EXPECT_THAT(fail("call TOY denormals --output y=/dev/full"),
              HasSubstr("'/dev/full': cannot write: No space left"));
  EXPECT_THAT(fail("call TOY accumulate --random-inputs 1"),
              HasSubstr("reads state 'w', which is not initialized: first call "
                        "'init' or load a checkpoint"));
  EXPECT_THAT(fail("call TOY denormals --state no.st"),
              HasSubstr("'no.st': cannot open"));
  npy::Array wrong{ElementType::f64, {4}, std::vector<uint8_t>(32)};
  ASSERT_FALSE(npy::writeFile(file("w.npy"), wrong));
  EXPECT_THAT(fail("call TOY accumulate --input x=w.npy"),
              HasSubstr("input 'x': found tensor<4xf64>, expected "
                        "tensor<4xf32>"));
}

TEST_F(GraphRun, TrainsAndResumesWithTheSameBits) {
  std::string text = succeed("train TOY --data data.txt --steps 20 --seed 3 "
                             "--checkpoint a.st --log a.jsonl --threads 1 "
                             "--eval eval_loss --eval-every 10");
  EXPECT_THAT(text, HasSubstr("step 1/20  loss "));
  EXPECT_THAT(text, HasSubstr("step 20/20  loss "));
  EXPECT_THAT(text, HasSubstr("step 10  evaluation loss "));
  succeed("train TOY --data data.txt --steps 10 --seed 3 --checkpoint b.st "
          "--log b.jsonl --threads 2");
  succeed("train TOY --data data.txt --steps 10 --resume b.st --checkpoint "
          "b.st --log b.jsonl");
  EXPECT_EQ(*readWholeFile(file("a.st")), *readWholeFile(file("b.st")));

  auto losses = [&](const std::string &name) {
    std::vector<std::pair<int, double>> result;
    std::ifstream log(file(name));
    for (std::string line; std::getline(log, line);) {
      auto object = nlohmann::json::parse(line);
      if (!object.contains("loss"))
        continue;
      EXPECT_TRUE(object.contains("norm") && object.contains("tokens_per_s") &&
                  object.contains("elapsed_s"));
      result.emplace_back(object["step"], object["loss"]);
    }
    return result;
  };
  EXPECT_EQ(losses("a.jsonl").size(), 20u);
  EXPECT_EQ(losses("a.jsonl"), losses("b.jsonl"));
  EXPECT_LT(losses("a.jsonl").back().second, losses("a.jsonl")[0].second / 10);

  EXPECT_THAT(
      fail("train TOY --data data.txt --steps 1 --resume b.st --seed 4"),
      HasSubstr("found --seed 4, expected 3, the seed of the "
                "checkpoint"));
}

TEST_F(GraphRun, RefusesBadTrainingRuns) {
  auto train = [&](const std::string &rest) {
    return fail("train TOY --steps 5 " + rest);
  };
  write("empty.txt", "");
  write("short.txt", "abcd");
  EXPECT_THAT(train("--data no.txt"), HasSubstr("'no.txt': cannot open"));
  EXPECT_THAT(train("--data empty.txt"),
              HasSubstr("'empty.txt': found an empty file"));
  EXPECT_THAT(train("--data short.txt"),
              HasSubstr("found 4 bytes of training data, expected at least a "
                        "window of 5"));
  EXPECT_THAT(train("--data data.txt --eval eval_loss --eval-fraction 0.01"),
              HasSubstr("found 2 bytes of evaluation data"));
  EXPECT_THAT(train("--data data.txt --step f"), HasSubstr("no function 'f'"));
  EXPECT_THAT(train("--data data.txt --step matmul"),
              HasSubstr("function 'matmul': found inputs (a: "));
  EXPECT_THAT(train("--data data.txt --step narrow_step"),
              HasSubstr("function 'narrow_step': found tokens of i8, expected "
                        "a type that holds 255: i16, i32 or i64"));
  EXPECT_THAT(train("--data data.txt --step silent_step"),
              HasSubstr("function 'silent_step': found no output 'loss'"));
  EXPECT_THAT(train("--data data.txt --init accumulate"),
              HasSubstr("function 'accumulate': found input x: tensor<4xf32>, "
                        "expected none but seed: tensor<i64>"));
  EXPECT_THAT(train("--data data.txt --checkpoint no/c.st"),
              HasSubstr("'no/c.st': cannot create a file beside it"));
  EXPECT_THAT(train("--data data.txt --log no/l.jsonl"),
              HasSubstr("'no/l.jsonl': cannot open the log"));
  EXPECT_THAT(train("--data data.txt --resume data.txt"),
              HasSubstr("'data.txt': not a safetensors file"));
}

TEST_F(GraphRun, StopsWhenTheLogIsFull) {
  Result result = run("train TOY --data data.txt --steps 5 --log /dev/full");
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.text,
              HasSubstr("'/dev/full': cannot write the log: No space left"));
}

TEST_F(GraphRun, StopsAtALossThatIsNotFinite) {
  writeForeign("nan.st",
               R"("w":{"dtype":"F32","shape":[4],)"
               R"("data_offsets":[0,16]})",
               std::string(16, '\xff'));
  Result result = run("train TOY --data data.txt --steps 5 --resume nan.st "
                      "--checkpoint c.st");
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.text, HasSubstr("step 1: found loss"));
  EXPECT_THAT(result.text, HasSubstr("expected a finite number"));
  EXPECT_FALSE(std::filesystem::exists(file("c.st")));
}

TEST_F(GraphRun, RefusesACheckpointWithABadStep) {
  writeForeign("bad.st", R"("__metadata__":{"train.step":"ten"})", "");
  EXPECT_THAT(fail("train TOY --data data.txt --steps 5 --resume bad.st"),
              HasSubstr("found 'ten' for 'train.step' in the checkpoint, "
                        "expected a number"));
}

TEST_F(GraphRun, WritesACheckpointWhenInterrupted) {
  pid_t child = ::fork();
  if (child == 0) {
    std::string checkpoint = file("c.st"), data = file("data.txt"),
                log = file("l.jsonl");
    std::freopen("/dev/null", "w", stdout);
    ::execl(GRAPHRT_TEST_GRAPH_RUN, "graph-run", "train", GRAPHRT_TEST_TOY,
            "--data", data.c_str(), "--steps", "1000000000", "--checkpoint",
            checkpoint.c_str(), "--log", log.c_str(), nullptr);
    ::_exit(99);
  }
  // The first line of the log says that the loop runs.
  while (!std::filesystem::exists(file("l.jsonl")) ||
         std::filesystem::file_size(file("l.jsonl")) == 0)
    ::usleep(1000);
  ::kill(child, SIGINT);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  succeed("train TOY --data data.txt --steps 1 --resume c.st");
}

} // namespace
