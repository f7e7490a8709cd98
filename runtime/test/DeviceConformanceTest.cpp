//===- DeviceConformanceTest.cpp - What all devices do alike --------------===//

#include "TestArtifact.h"

#include "graphrt/graphrt.hpp"
#include "graphrt/support/AtomicFile.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <unistd.h>

using namespace graphrt;
using namespace graphrt::test;
using testing::Each;
using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;

namespace {

struct DeviceUnderTest {
  const char *name;
  const char *device;
  /// The library to load in libcuda's place, or null.
  const char *driver = nullptr;

  bool isCuda() const { return device != std::string_view("cpu"); }
};

void PrintTo(const DeviceUnderTest &device, std::ostream *out) {
  *out << device.name;
}

std::vector<DeviceUnderTest> devicesUnderTest() {
  return {
      {"Cpu", "cpu"},
#ifdef GRAPHRT_TEST_FAKE_DRIVER
      {"FakeCuda", "cuda", GRAPHRT_TEST_FAKE_DRIVER},
#endif
#ifdef GRAPHRT_TEST_EMULATOR
      {"EmulatedCuda", "cuda-emulated"},
#endif
  };
}

class DeviceConformance : public testing::TestWithParam<DeviceUnderTest> {
protected:
  void SetUp() override {
    if (!GetParam().driver)
      return;
    ::setenv("GRAPHRT_CUDA_DRIVER", GetParam().driver, 1);
    // An installed one would look for a device of its own.
    ::setenv("GRAPHRT_CUBLASLT", "off", 1);
  }
  void TearDown() override {
    ::unsetenv("GRAPHRT_CUDA_DRIVER");
    ::unsetenv("GRAPHRT_CUBLASLT");
  }

  /// The toy program for the device.
  static fb::ProgramT toy() {
    return GetParam().isCuda() ? cudaToyProgram() : toyProgram();
  }

  /// A program without kernels for the device.
  static fb::ProgramT empty() {
    fb::ProgramT program = toy();
    program.kernels.clear();
    program.functions.clear();
    program.states.clear();
    return program;
  }

  static Session open(const fb::ProgramT &program) {
    return Session(Program::fromMemory(makeArtifact(program)),
                   {.threads = 2, .device = GetParam().device});
  }

  static std::string file() {
    std::string name = testing::UnitTest::GetInstance()
                           ->current_test_info()
                           ->test_suite_name();
    for (char &c : name)
      c = c == '/' ? '-' : c;
    return std::filesystem::path(testing::TempDir()) /
           (name + GetParam().name + std::to_string(::getpid()) + ".st");
  }
};

Tensor floats(std::vector<float> values, std::vector<int64_t> shape) {
  return Tensor::of<float>(values, shape);
}

Tensor zeros(ElementType type, std::vector<int64_t> shape) {
  return Tensor::zeros(type, shape);
}

template <typename Body>
std::string errorOf(const Body &body, grt_status_code code) {
  try {
    body();
  } catch (const Error &error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  return "no error";
}

fb::FunctionT &addFunction(fb::ProgramT &program, const std::string &name) {
  program.functions.push_back(std::make_unique<fb::FunctionT>());
  program.functions.back()->name = name;
  return *program.functions.back();
}

TEST_P(DeviceConformance, RunsKernelsInPlace) {
  Session session = open(toy());
  session.call("init", {Tensor::scalar<int64_t>(10)});
  std::vector<Tensor> outputs;
  for (int i = 0; i < 3; ++i)
    outputs = session.call("accumulate", {floats({1, 2, 3, 4}, {4})});
  EXPECT_THAT(outputs[0].as<float>(), ElementsAre(13, 17, 21, 25));
  EXPECT_THAT(session.state("w").as<float>(), ElementsAre(13, 17, 21, 25));
  EXPECT_THAT(session.state("count").as<int64_t>(), ElementsAre(3));
}

TEST_P(DeviceConformance, ReadsNewInputsInEveryCall) {
  Session session = open(toy());
  session.call("init", {Tensor::scalar<int64_t>(0)});
  float sum = 0;
  for (int i = 0; i < 20; ++i) {
    sum += i;
    float x = i;
    // A function of another size in between.
    session.call("denormals");
    std::vector<Tensor> y =
        session.call("accumulate", {floats({x, x, x, x}, {4})});
    EXPECT_THAT(y[0].as<float>(), ElementsAre(sum, sum + 1, sum + 2, sum + 3));
    session.setState("count", Tensor::scalar<int64_t>(i));
  }
  EXPECT_THAT(session.state("count").as<int64_t>(), ElementsAre(19));
}

TEST_P(DeviceConformance, MultipliesMatrices) {
  Session session = open(toy());
  for (int repeat = 0; repeat < 2; ++repeat) {
    std::vector<Tensor> outputs =
        session.call("matmul", {floats({1, 2, 3, 4, 5, 6}, {2, 3}),
                                floats({1, 0, 0, 1, 1, 1}, {3, 2})});
    EXPECT_THAT(outputs[0].as<float>(), ElementsAre(4, 5, 10, 11));
  }
}

TEST_P(DeviceConformance, MultipliesEmptySums) {
  fb::ProgramT program = empty();
  fb::FunctionT &f = addFunction(program, "f");
  f.inputs.push_back(tensor("a", fb::ElementType::f32, {2, 2, 0}));
  f.inputs.push_back(tensor("b", fb::ElementType::f32, {2, 0, 3}));
  f.outputs.push_back(tensor("c", fb::ElementType::f32, {2, 2, 3}));
  fb::GemmT gemm;
  gemm.element_type = fb::ElementType::f32;
  gemm.batch = {2};
  gemm.m = 2;
  gemm.n = 3;
  gemm.a = matrix(input(0, 0), 0, 1, {0});
  gemm.b = matrix(input(1, 0), 3, 1, {0});
  gemm.c = matrix(output(0, 48), 3, 1, {6});
  addGemm(f, std::move(gemm));
  Session session = open(program);
  std::vector<Tensor> outputs =
      session.call("f", {zeros(ElementType::f32, {2, 2, 0}),
                         zeros(ElementType::f32, {2, 0, 3})});
  EXPECT_THAT(outputs[0].as<float>(), Each(0.0f));
}

TEST_P(DeviceConformance, ReadsThroughTensorMaps) {
  if (!GetParam().isCuda())
    GTEST_SKIP() << "tensor maps are for CUDA";
  fb::ProgramT program = toy();
  addWindow(program);
  Session session = open(program);
  std::vector<float> x(48);
  std::iota(x.begin(), x.end(), 1);
  for (int call = 0; call < 2; ++call)
    EXPECT_THAT(
        session.call("window", {floats(x, {6, 8})})[0].as<float>(),
        ElementsAre(31, 32, 0, 0, 39, 40, 0, 0, 47, 48, 0, 0, 0, 0, 0, 0));
}

TEST_P(DeviceConformance, CopiesBetweenAllSpaces) {
  fb::ProgramT program = empty();
  program.states.push_back(tensor("s", fb::ElementType::f32, {4}));
  fb::FunctionT &f = addFunction(program, "f");
  f.inputs.push_back(tensor("x", fb::ElementType::f32, {4}));
  f.outputs.push_back(tensor("y", fb::ElementType::f32, {4}));
  f.outputs.push_back(tensor("z", fb::ElementType::i8, {8}));
  f.states_written = {0};
  f.arena_size = 64;
  addCopy(f, input(0, 16), arena(32, 16));
  addCopy(f, arena(32, 16), state(0, 16));
  addCopy(f, state(0, 16), output(0, 16));
  addCopy(f, constant(0, 8), output(1, 8));
  Session session = open(program);
  std::vector<Tensor> outputs = session.call("f", {floats({1, 2, 3, 4}, {4})});
  EXPECT_THAT(outputs[0].as<float>(), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(outputs[1].as<int8_t>(),
              ElementsAre('0', '1', '2', '3', '4', '5', '6', 0));
  EXPECT_THAT(session.state("s").as<float>(), ElementsAre(1, 2, 3, 4));
}

TEST_P(DeviceConformance, TakesTensorsWithoutElements) {
  fb::ProgramT program = empty();
  program.states.push_back(tensor("s", fb::ElementType::f32, {0}));
  fb::FunctionT &f = addFunction(program, "f");
  f.inputs.push_back(tensor("x", fb::ElementType::f32, {0, 3}));
  f.outputs.push_back(tensor("y", fb::ElementType::f32, {3, 0}));
  f.states_written = {0};
  addCopy(f, input(0, 0), output(0, 0));
  addFunction(program, "nothing");
  Session session = open(program);
  session.call("nothing");
  std::vector<Tensor> outputs =
      session.call("f", {zeros(ElementType::f32, {0, 3})});
  EXPECT_EQ(outputs[0].info().bytes, 0u);
  EXPECT_EQ(session.state("s").info().bytes, 0u);
  session.setState("s", zeros(ElementType::f32, {0}));
}

TEST_P(DeviceConformance, GrowsTheArenaBetweenCalls) {
  fb::ProgramT program = empty();
  for (uint64_t size : {64, 4096, 256}) {
    fb::FunctionT &f = addFunction(program, "f" + std::to_string(size));
    f.inputs.push_back(tensor("x", fb::ElementType::f32, {4}));
    f.outputs.push_back(tensor("y", fb::ElementType::f32, {4}));
    f.arena_size = size;
    addCopy(f, input(0, 16), arena(size - 16, 16));
    addCopy(f, arena(size - 16, 16), output(0, 16));
  }
  Session session = open(program);
  for (const char *name : {"f64", "f64", "f4096", "f64", "f256", "f4096"})
    EXPECT_THAT(session.call(name, {floats({5, 6, 7, 8}, {4})})[0].as<float>(),
                ElementsAre(5, 6, 7, 8))
        << name;
}

TEST_P(DeviceConformance, FlushesDenormals) {
  Session session = open(toy());
  EXPECT_THAT(session.call("denormals")[0].as<float>(), Each(0.0f));
}

TEST_P(DeviceConformance, TrainsAndEvaluates) {
  Session session = open(toy());
  session.call("init", {Tensor::scalar<int64_t>(0)});
  int64_t shape[] = {2, 4};
  std::vector<int32_t> bytes(8, 64);
  Tensor batch = Tensor::of<int32_t>(bytes, shape);
  float last = 1;
  for (int step = 0; step < 5; ++step) {
    std::vector<Tensor> outputs = session.call("train_step", {batch, batch});
    float loss = outputs[0].as<float>()[0];
    // w goes from 0 to 1/4, by a fifth of the distance in every step.
    EXPECT_THAT(loss, FloatNear(std::pow(0.25 * std::pow(0.8, step), 2), 1e-6));
    EXPECT_LT(loss, last);
    last = loss;
  }
  EXPECT_LT(session.call("eval_loss", {batch, batch})[0].as<float>()[0], last);
}

TEST_P(DeviceConformance, SavesAndLoadsCheckpoints) {
  Session session = open(toy());
  session.call("init", {Tensor::scalar<int64_t>(3)});
  session.call("accumulate", {floats({1, 2, 3, 4}, {4})});
  session.save(file());
  Session other = open(toy());
  other.load(file());
  std::filesystem::remove(file());
  EXPECT_TRUE(other.hasState(0) && other.hasState(1));
  std::vector<Tensor> outputs =
      other.call("accumulate", {floats({1, 2, 3, 4}, {4})});
  EXPECT_THAT(outputs[0].as<float>(), ElementsAre(5, 8, 11, 14));
  EXPECT_THAT(other.state("count").as<int64_t>(), ElementsAre(2));
  EXPECT_THAT(session.state("count").as<int64_t>(), ElementsAre(1));
}

TEST_P(DeviceConformance, KeepsSessionsApart) {
  Program program = Program::fromMemory(makeArtifact(toy()));
  Session first(program, {.device = GetParam().device});
  Session second(program, {.device = GetParam().device});
  first.call("init", {Tensor::scalar<int64_t>(1)});
  second.call("init", {Tensor::scalar<int64_t>(100)});
  Tensor x = floats({1, 1, 1, 1}, {4});
  first.call("accumulate", {x});
  second.call("accumulate", {x});
  first.call("accumulate", {x});
  EXPECT_THAT(first.state("w").as<float>(), ElementsAre(3, 4, 5, 6));
  EXPECT_THAT(second.state("w").as<float>(), ElementsAre(101, 102, 103, 104));
}

TEST_P(DeviceConformance, ReportsCommandsInOrder) {
  Session session = open(toy());
  session.call("init", {Tensor::scalar<int64_t>(1)});
  std::vector<grt_event> events;
  session.setObserver([&](const grt_event &event) { events.push_back(event); });
  std::vector<Tensor> y =
      session.call("accumulate", {floats({1, 2, 3, 4}, {4})});
  EXPECT_THAT(y[0].as<float>(), ElementsAre(2, 4, 6, 8));
  ASSERT_EQ(events.size(), 2u);
  EXPECT_STREQ(events[0].symbol, "accumulate");
  EXPECT_EQ(events[1].kind, GRT_COPY);
  EXPECT_LE(events[0].begin_ns, events[0].end_ns);
  EXPECT_LE(events[0].end_ns, events[1].end_ns);
  session.setObserver({});
  session.call("accumulate", {floats({1, 2, 3, 4}, {4})});
  EXPECT_EQ(events.size(), 2u);
}

TEST_P(DeviceConformance, ReportsTheKernelOfAProduct) {
  Session session = open(toy());
  std::string symbol;
  session.setObserver([&](const grt_event &event) { symbol = event.symbol; });
  session.call("matmul", {floats({1, 2, 3, 4, 5, 6}, {2, 3}),
                          floats({1, 0, 0, 1, 1, 1}, {3, 2})});
  // A GPU may have a library; the emulated one has none.
  if (session.device().starts_with("cuda-emulated"))
    EXPECT_EQ(symbol, "multiply");
  else if (session.device() == "cpu")
    EXPECT_EQ(symbol, "");
}

TEST_P(DeviceConformance, RefusesStatesWithoutValues) {
  Session session = open(toy());
  EXPECT_FALSE(session.hasState(0));
  EXPECT_THAT(
      errorOf([&] { session.call("accumulate", {floats({1, 2, 3, 4}, {4})}); },
              GRT_UNINITIALIZED_STATE),
      HasSubstr("reads state 'w', which is not initialized"));
  EXPECT_THAT(errorOf([&] { session.state("w"); }, GRT_UNINITIALIZED_STATE),
              HasSubstr("state 'w' is not initialized"));
}

TEST_P(DeviceConformance, RefusesWrongShapes) {
  Session session = open(toy());
  session.call("init", {Tensor::scalar<int64_t>(1)});
  EXPECT_THAT(
      errorOf([&] { session.call("accumulate", {floats({1, 2}, {2})}); },
              GRT_INVALID_ARGUMENT),
      HasSubstr("found tensor<2xf32>, expected tensor<4xf32>"));
  EXPECT_THAT(errorOf([&] { session.setState("w", floats({1}, {1})); },
                      GRT_INVALID_ARGUMENT),
              HasSubstr("state 'w': found tensor<1xf32>, expected"));
  EXPECT_THAT(session.state("w").as<float>(), ElementsAre(1, 2, 3, 4));
}

TEST_P(DeviceConformance, RefusesCodeWithoutAKernel) {
  fb::ProgramT program = toy();
  program.kernels[0]->symbol = "nothing";
  EXPECT_THAT(errorOf([&] { open(program); }, GRT_CORRUPT),
              HasSubstr("does not define the kernel 'nothing'"));
}

INSTANTIATE_TEST_SUITE_P(
    Devices, DeviceConformance, testing::ValuesIn(devicesUnderTest()),
    [](const testing::TestParamInfo<DeviceUnderTest> &info) {
      return std::string(info.param.name);
    });

} // namespace
