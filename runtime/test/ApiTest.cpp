//===- ApiTest.cpp - Tests of programs, sessions and tensors --------------===//

#include "TestArtifact.h"

#include "api/DlpackLayout.h"

#include "graphrt/graphrt.hpp"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cmath>
#include <filesystem>
#include <thread>
#include <xmmintrin.h>

using namespace graphrt;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

Program toy() {
  static const std::string bytes = test::makeArtifact(test::toyProgram());
  return Program::fromMemory(bytes);
}

Tensor floats(std::vector<float> values, std::vector<int64_t> shape) {
  return Tensor::of<float>(values, shape);
}

/// The message of the Error that `body` throws.
template <typename Body>
std::string errorOf(const Body &body,
                    grt_status_code code = GRT_INVALID_ARGUMENT) {
  try {
    body();
  } catch (const Error &error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  return "no error";
}

TEST(Program, DescribesItself) {
  Program program = toy();
  grt_program_info info = program.info();
  EXPECT_STREQ(info.producer, "test 1.0");
  EXPECT_STREQ(info.target, "cpu");
  EXPECT_EQ(info.functions, 8u);
  EXPECT_EQ(info.sections, 4u);
  EXPECT_EQ(info.kernels, 5u);
  EXPECT_STREQ(program.kernel(1).symbol, "accumulate");
  EXPECT_EQ(program.kernel(1).buffers, 4u);
  EXPECT_EQ(program.kernel(1).threads, 1u);
  EXPECT_STREQ(program.section(3).name, "source");
  EXPECT_EQ(program.section(3).bytes, 14u);

  uint32_t accumulate = program.findFunction("accumulate");
  grt_function_info function = program.function(accumulate);
  EXPECT_STREQ(function.name, "accumulate");
  EXPECT_EQ(function.arena_bytes, 32u);
  EXPECT_EQ(function.max_live_bytes, 16u);
  EXPECT_EQ(function.states_read, 2u);
  EXPECT_EQ(function.states_written_indices[1], 1u);
  TensorInfo x = program.inputs(accumulate)[0];
  EXPECT_EQ(x.name, "x");
  EXPECT_EQ(x.type, ElementType::f32);
  EXPECT_THAT(x.shape, ElementsAre(4));
  EXPECT_EQ(program.outputs(accumulate)[0].bytes, 16u);
  EXPECT_EQ(program.states()[1].type, ElementType::i64);
  EXPECT_EQ(program.states()[1].shape.size(), 0u);

  EXPECT_THAT(errorOf([&] { program.findFunction("f"); }, GRT_NOT_FOUND),
              HasSubstr("found no function 'f', expected one of: init, "));
  EXPECT_THAT(errorOf([&] { program.function(8); }),
              HasSubstr("found function 8, expected less than 8"));
  EXPECT_THAT(errorOf([&] { program.section(4); }),
              HasSubstr("found section 4, expected less than 4"));
  EXPECT_THAT(errorOf([&] { program.kernel(5); }),
              HasSubstr("found kernel 5, expected less than 5"));
  EXPECT_THAT(errorOf([] { Program::load("/no/such"); }, GRT_NOT_FOUND),
              HasSubstr("'/no/such': cannot open: No such file"));
}

TEST(Session, KeepsStateBetweenCalls) {
  Session session(toy(), {.threads = 2});
  session.call("init", {Tensor::scalar<int64_t>(10)});
  std::vector<Tensor> outputs;
  for (int i = 0; i < 3; ++i)
    outputs = session.call("accumulate", {floats({1, 2, 3, 4}, {4})});
  EXPECT_THAT(outputs[0].as<float>(), ElementsAre(13, 17, 21, 25));
  EXPECT_THAT(session.state("w").as<float>(), ElementsAre(13, 17, 21, 25));
  EXPECT_THAT(session.state("count").as<int64_t>(), ElementsAre(3));

  session.setState("w", floats({0, 0, 0, 0}, {4}));
  std::vector<float> mine(4);
  int64_t shape[] = {4};
  Tensor given[] = {Tensor::borrow(mine.data(), ElementType::f32, shape)};
  session.call(session.program().findFunction("accumulate"),
               std::vector<Tensor>{floats({1, 2, 3, 4}, {4})}, given);
  EXPECT_THAT(mine, ElementsAre(1, 2, 3, 4));
}

TEST(Session, SharesAProgramBetweenThreads) {
  Program program = toy();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([program, t] {
      Session session(program, {.threads = 2});
      session.call("init", {Tensor::scalar<int64_t>(t)});
      for (int i = 0; i < 100; ++i)
        session.call("accumulate", {floats({1, 1, 1, 1}, {4})});
      EXPECT_THAT(session.state("w").as<float>(),
                  ElementsAre(t + 100, t + 101, t + 102, t + 103));
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Session, RunsMatrixProducts) {
  Session session(toy());
  std::vector<Tensor> outputs =
      session.call("matmul", {floats({1, 2, 3, 4, 5, 6}, {2, 3}),
                              floats({1, 0, 0, 1, 1, 1}, {3, 2})});
  EXPECT_THAT(outputs[0].as<float>(), ElementsAre(4, 5, 10, 11));
}

TEST(Session, ReportsCommandsToAnObserver) {
  Session session(toy());
  std::vector<grt_event> events;
  session.setObserver([&](const grt_event &event) { events.push_back(event); });
  session.call("init", {Tensor::scalar<int64_t>(7)});
  uint32_t init = session.program().findFunction("init");
  ASSERT_EQ(events.size(), session.program().function(init).steps);
  EXPECT_EQ(events[0].function, init);
  EXPECT_EQ(events[0].kind, GRT_KERNEL);
  EXPECT_THAT(events[0].symbol, testing::Not(testing::StrEq("")));
  EXPECT_THAT(events[0].location, testing::Not(testing::StrEq("")));
  for (size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].step, i);
    EXPECT_LE(events[i].begin_ns, events[i].end_ns);
  }

  events.clear();
  session.call("matmul", {floats({1, 2, 3, 4, 5, 6}, {2, 3}),
                          floats({1, 2, 3, 4, 5, 6}, {3, 2})});
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, GRT_GEMM);
  EXPECT_STREQ(events[0].symbol, "");
  EXPECT_EQ(events[0].flops, 2u * 2 * 2 * 3);
  EXPECT_EQ(events[0].bytes, (6u + 6 + 4) * sizeof(float));

  session.setObserver({});
  session.call("init", {Tensor::scalar<int64_t>(7)});
  EXPECT_EQ(events.size(), 1u);
}

TEST(Session, RefusesWrongArguments) {
  Session session(toy());
  Tensor good = floats({1, 2, 3, 4}, {4});
  EXPECT_THAT(errorOf([&] { session.call("matmul", {good}); }),
              HasSubstr("function 'matmul': found 1 inputs, expected 2: a, b"));
  EXPECT_THAT(
      errorOf([&] { session.call("init", {good}); }),
      HasSubstr("input 'seed': found tensor<4xf32>, expected tensor<i64>"));
  EXPECT_THAT(
      errorOf([&] { session.call("accumulate", {floats({1, 2}, {2})}); }),
      HasSubstr("found tensor<2xf32>, expected tensor<4xf32>"));
  EXPECT_THAT(errorOf([&] { session.call("accumulate", {Tensor()}); }),
              HasSubstr("input 'x': found no tensor, expected tensor<4xf32>"));
  EXPECT_THAT(errorOf([&] { session.call(9, {}); }),
              HasSubstr("found function 9, expected less than 8"));

  session.call("init", {Tensor::scalar<int64_t>(0)});
  uint32_t accumulate = session.program().findFunction("accumulate");
  auto callInto = [&](std::vector<Tensor> outputs) {
    return errorOf(
        [&] { session.call(accumulate, std::vector<Tensor>{good}, outputs); });
  };
  EXPECT_THAT(callInto({}), HasSubstr("found 0 outputs, expected 1: y"));
  EXPECT_THAT(callInto({floats({1}, {1})}),
              HasSubstr("output 'y': found tensor<1xf32>, expected "
                        "tensor<4xf32>"));
  EXPECT_THAT(callInto({good}), HasSubstr("output 'y' overlaps an input"));
  EXPECT_THAT(errorOf([&] { Session(toy(), {.threads = 5000}); }),
              HasSubstr("found 5000 threads, expected 1 to 1024"));
}

TEST(Session, RefusesToReadUninitializedState) {
  Session session(toy());
  Tensor x = floats({1, 2, 3, 4}, {4});
  EXPECT_FALSE(session.hasState(0));
  EXPECT_THAT(errorOf([&] { session.call("accumulate", {x}); },
                      GRT_UNINITIALIZED_STATE),
              HasSubstr("function 'accumulate' reads state 'w', which is not "
                        "initialized: first call 'init' or load a checkpoint"));
  EXPECT_THAT(errorOf([&] { session.state("w"); }, GRT_UNINITIALIZED_STATE),
              HasSubstr("state 'w' is not initialized"));
  session.setState("w", x);
  EXPECT_TRUE(session.hasState(0));
  EXPECT_FALSE(session.hasState(99));
  EXPECT_THAT(errorOf([&] { session.call("accumulate", {x}); },
                      GRT_UNINITIALIZED_STATE),
              HasSubstr("reads state 'count'"));
  EXPECT_THAT(errorOf([&] { session.setState("z", x); }, GRT_NOT_FOUND),
              HasSubstr("found no state 'z'"));
  EXPECT_THAT(errorOf([&] { session.setState("count", x); }),
              HasSubstr("state 'count': found tensor<4xf32>, expected "
                        "tensor<i64>"));
}

TEST(Session, FlushesDenormalsInKernelsAlone) {
  Session session(toy(), {.threads = 3});
  unsigned before = _mm_getcsr();
  std::vector<Tensor> outputs = session.call("denormals");
  for (float value : outputs[0].as<float>())
    EXPECT_EQ(value, 0.0f);
  volatile float tiny = 0x1p-100f;
  EXPECT_NE(tiny * 0x1p-40f, 0.0f);
  EXPECT_EQ(_mm_getcsr() & 0xffc0, before & 0xffc0);
}

TEST(Session, ReadsThreadsFromTheEnvironment) {
  ::setenv("GRAPHRT_NUM_THREADS", "3", 1);
  Session session(toy());
  for (const char *bad : {"", "0", "-1", "4x", "9999"}) {
    ::setenv("GRAPHRT_NUM_THREADS", bad, 1);
    EXPECT_THAT(errorOf([&] { Session session(toy()); }),
                HasSubstr("found GRAPHRT_NUM_THREADS='" + std::string(bad) +
                          "' threads, expected 1 to 1024"));
  }
  ::unsetenv("GRAPHRT_NUM_THREADS");
}

TEST(Session, RefusesCodeForOtherMachines) {
  auto errorWith = [](auto change, grt_status_code code = GRT_UNSUPPORTED) {
    fb::ProgramT program = test::toyProgram();
    change(program);
    Program loaded = Program::fromMemory(test::makeArtifact(program));
    return errorOf([&] { Session session(loaded); }, code);
  };
  EXPECT_THAT(errorWith([](auto &p) { p.target = "tpu"; }),
              HasSubstr("found an artifact for target 'tpu', expected 'cpu' or "
                        "'cuda'"));
  EXPECT_THAT(errorWith([](auto &p) { p.architecture = "riscv64"; }),
              HasSubstr("found code for architecture 'riscv64'"));
  EXPECT_THAT(
      errorWith([](auto &p) { p.cpu_features = {"avx9", "sse2", "mmx9"}; }),
      HasSubstr("does not have: avx9, mmx9"));
  EXPECT_THAT(
      errorWith([](auto &p) { p.kernels[0]->symbol = "nothing"; }, GRT_CORRUPT),
      HasSubstr("does not define the kernel 'nothing'"));
}

TEST(Session, RefusesDevicesThatTheProgramIsNotFor) {
  EXPECT_EQ(Session(toy(), {.device = "cpu"}).device(), "cpu");
  for (const char *bad : {"gpu", "cuda:", "cuda:x", "cuda:-1", "cpu:0"})
    EXPECT_THAT(errorOf([&] { Session(toy(), {.device = bad}); }),
                HasSubstr("found device '" + std::string(bad) +
                          "', expected 'cpu', 'cuda', 'cuda:' and an index, or "
                          "'cuda-emulated'"));
  for (std::string device : {"cuda", "cuda:1", "cuda-emulated"})
    EXPECT_THAT(
        errorOf([&] { Session(toy(), {.device = device}); }, GRT_UNSUPPORTED),
        HasSubstr("found an artifact for target 'cpu', expected 'cuda' for "
                  "the device '" +
                  device + "'"));
  fb::ProgramT program = test::toyProgram();
  program.target = "cuda";
  Program cuda = Program::fromMemory(test::makeArtifact(program));
  EXPECT_THAT(
      errorOf([&] { Session(cuda, {.device = "cpu"}); }, GRT_UNSUPPORTED),
      HasSubstr("found an artifact for target 'cuda', expected 'cpu' for the "
                "device 'cpu'"));
}

TEST(Session, RefusesCodeThatIsNotASharedObject) {
  std::string image = test::encode(test::toyProgram());
  auto errorWith = [&](std::string code) {
    artifact::Section sections[] = {{artifact::SectionKind::Program, image},
                                    {artifact::SectionKind::Code, code},
                                    {artifact::SectionKind::Constants,
                                     std::string_view("0123456789abcdef")}};
    Program program = Program::fromMemory(artifact::serialize(sections));
    return errorOf([&] { Session session(program); }, GRT_CORRUPT);
  };
  EXPECT_THAT(errorWith(""), HasSubstr("expected an ELF shared object"));
  EXPECT_THAT(errorWith(std::string(100, 'x')),
              HasSubstr("expected an ELF shared object"));
  std::string header("\x7f"
                     "ELF\2\1\1",
                     7);
  header.resize(64);
  header[16] = 3;
  header[18] = 62;
  EXPECT_THAT(errorWith(header), HasSubstr("cannot load the artifact's code"));
}

TEST(Tensor, ChecksShapesAndMemory) {
  int64_t negative[] = {2, -1};
  EXPECT_THAT(errorOf([&] { Tensor::zeros(ElementType::f32, negative); }),
              HasSubstr("found extent -1 in a shape"));
  int64_t huge[] = {INT64_MAX, 2};
  EXPECT_THAT(errorOf([&] { Tensor::zeros(ElementType::i8, huge); }),
              HasSubstr("size exceeds 63 bits"));
  int64_t large[] = {int64_t(1) << 60};
  EXPECT_THAT(errorOf([&] { Tensor::zeros(ElementType::i8, large); },
                      GRT_OUT_OF_MEMORY),
              HasSubstr("out of memory"));
  int64_t two[] = {2};
  EXPECT_THAT(errorOf([&] { Tensor::zeros(static_cast<ElementType>(9), two); }),
              HasSubstr("found element type 9, expected 0 to 8"));
  EXPECT_THAT(errorOf([&] { Tensor::borrow(nullptr, ElementType::f32, two); }),
              HasSubstr("found a null pointer"));
  alignas(8) char memory[16];
  EXPECT_THAT(
      errorOf([&] { Tensor::borrow(memory + 1, ElementType::f32, two); }),
      HasSubstr("not aligned to the 4 bytes"));
  EXPECT_THAT(errorOf([&] { floats({1}, {2}); }),
              HasSubstr("found 1 values, expected 2"));
  EXPECT_THAT(errorOf([&] { floats({1}, {1}).as<int64_t>(); }),
              HasSubstr("found a tensor of f32, expected i64"));
}

TEST(Tensor, CallsReleaseOnce) {
  int released = 0;
  float value = 1;
  grt_tensor *tensor = nullptr;
  ASSERT_EQ(grt_tensor_borrow(
                &value, GRT_F32, 0, nullptr,
                [](void *context) { ++*static_cast<int *>(context); },
                &released, &tensor),
            nullptr);
  DLManagedTensorVersioned *managed = nullptr;
  ASSERT_EQ(grt_tensor_to_dlpack(tensor, &managed), nullptr);
  grt_tensor_destroy(tensor);
  EXPECT_EQ(released, 0);
  managed->deleter(managed);
  EXPECT_EQ(released, 1);
}

TEST(Tensor, RoundTripsThroughDlpack) {
  for (unsigned type = 0; type < numElementTypes; ++type) {
    int64_t shape[] = {2, 3};
    Tensor tensor = Tensor::zeros(static_cast<ElementType>(type), shape);
    Tensor copy = Tensor::fromDlpack(tensor.toDlpack());
    EXPECT_EQ(copy.info().type, tensor.info().type);
    EXPECT_THAT(copy.info().shape, ElementsAre(2, 3));
    EXPECT_EQ(copy.data(), tensor.data());
  }
}

TEST(Tensor, RefusesForeignDlpack) {
  DLManagedTensorVersioned *managed = floats({1, 2, 3, 4}, {2, 2}).toDlpack();
  auto errorWith = [&](auto change,
                       grt_status_code code = GRT_INVALID_ARGUMENT) {
    DLManagedTensorVersioned changed = *managed;
    int64_t strides[] = {2, 1};
    changed.dl_tensor.strides = strides;
    change(changed);
    return errorOf([&] { Tensor::fromDlpack(&changed); }, code);
  };
  EXPECT_THAT(errorWith([](auto &m) { m.version = {2, 0}; }, GRT_UNSUPPORTED),
              HasSubstr("found DLPack version 2.0, expected 1.x"));
  EXPECT_THAT(errorWith([](auto &m) {
                m.dl_tensor.device.device_type = static_cast<DLDeviceType>(2);
              }),
              HasSubstr("found a tensor on DLPack device type 2"));
  EXPECT_THAT(errorWith([](auto &m) { m.dl_tensor.dtype.bits = 8; }),
              HasSubstr("found DLPack type code 2 with 8 bits and 1 lanes"));
  EXPECT_THAT(errorWith([](auto &m) { m.dl_tensor.ndim = -1; }),
              HasSubstr("found a tensor of rank -1"));
  EXPECT_THAT(errorWith([](auto &m) { m.dl_tensor.strides[0] = 3; }),
              HasSubstr("not row-major"));
  EXPECT_THAT(errorWith([](auto &m) { m.dl_tensor.byte_offset = 2; }),
              HasSubstr("not aligned"));
  managed->flags = dlpackReadOnly;
  Tensor readOnly = Tensor::fromDlpack(managed);

  Session session(toy());
  std::vector<Tensor> outputs = {readOnly};
  EXPECT_THAT(errorOf([&] {
                session.call(
                    session.program().findFunction("matmul"),
                    std::vector<Tensor>{floats({1, 2, 3, 4, 5, 6}, {2, 3}),
                                        floats({1, 2, 3, 4, 5, 6}, {3, 2})},
                    outputs);
              }),
              HasSubstr("output 'c': found a read-only tensor"));
}

} // namespace
