//===- CudaDeviceTest.cpp - What the CUDA device alone does ---------------===//

#include "FakeDriver.h"
#include "TestArtifact.h"

#include "graphrt/graphrt.hpp"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <dlfcn.h>
#include <map>

using namespace graphrt;
using namespace graphrt::test;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

namespace {

// Codes of cuda.h, which tests of the interface do without.
constexpr int illegalAddress = 700;

/// Sets variables of the environment until the end of a test.
class Environment {
public:
  ~Environment() {
    for (const auto &[name, value] : saved)
      value ? ::setenv(name.c_str(), value->c_str(), 1)
            : ::unsetenv(name.c_str());
  }
  void set(const std::string &name, const std::string &value) {
    const char *old = std::getenv(name.c_str());
    saved.try_emplace(name,
                      old ? std::optional<std::string>(old) : std::nullopt);
    ::setenv(name.c_str(), value.c_str(), 1);
  }

private:
  std::map<std::string, std::optional<std::string>> saved;
};

class CudaDevice : public testing::Test {
protected:
  CudaDevice() {
    void *library = ::dlopen(GRAPHRT_TEST_FAKE_DRIVER, RTLD_NOW);
    driver = reinterpret_cast<FakeDriver *(*)()>(
        ::dlsym(library, "graphrtFakeDriver"))();
    *driver = {};
    environment.set("GRAPHRT_CUDA_DRIVER", GRAPHRT_TEST_FAKE_DRIVER);
    // An installed one would look for a device of its own.
    environment.set("GRAPHRT_CUBLASLT", "off");
  }

  static Session open(const fb::ProgramT &program = cudaToyProgram(),
                      const std::string &device = "cuda") {
    return Session(Program::fromMemory(makeArtifact(program)),
                   {.device = device});
  }

  template <typename Change>
  static Session openWith(const Change &change) {
    fb::ProgramT program = cudaToyProgram();
    change(program);
    return open(program);
  }

  FakeDriver *driver;
  Environment environment;
};

Tensor floats(std::vector<float> values) {
  int64_t shape[] = {int64_t(values.size())};
  return Tensor::of<float>(values, shape);
}

/// The error that `body` throws.
template <typename Body>
Error errorOf(const Body &body, grt_status_code code = GRT_UNSUPPORTED) {
  try {
    body();
  } catch (const Error &error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error;
  }
  return Error(GRT_OK, "no error", "");
}

TEST_F(CudaDevice, NeedsADriver) {
  environment.set("GRAPHRT_CUDA_DRIVER", "/no/such/libcuda.so.1");
  EXPECT_THAT(errorOf([] { open(); }).what(),
              AllOf(HasSubstr("found no CUDA driver: "),
                    HasSubstr("/no/such/libcuda.so.1")));
  environment.set("GRAPHRT_CUDA_EMULATOR", "/no/such/emulator.so");
  EXPECT_THAT(errorOf([] { open(cudaToyProgram(), "cuda-emulated"); }).what(),
              AllOf(HasSubstr("found no CUDA driver: "),
                    HasSubstr("/no/such/emulator.so")));
  environment.set("GRAPHRT_CUDA_DRIVER", "libm.so.6");
  EXPECT_STREQ(errorOf([] { open(); }).what(),
               "found no version in 'libm.so.6', expected a CUDA driver");
}

TEST_F(CudaDevice, NeedsARecentDriver) {
  environment.set("GRAPHRT_CUDA_DRIVER", GRAPHRT_TEST_OLD_DRIVER);
  EXPECT_STREQ(errorOf([] { open(); }).what(),
               "found a CUDA driver of version 11.8, expected 12.0 or newer");
  environment.set("GRAPHRT_CUDA_DRIVER", GRAPHRT_TEST_PARTIAL_DRIVER);
  EXPECT_STREQ(errorOf([] { open(); }).what(),
               "found a CUDA driver of version 12.2 without the function "
               "'cuInit'");
}

TEST_F(CudaDevice, IsChosenByIndexOrRank) {
  EXPECT_EQ(open().device(), "cuda:0 (Fake)");
  EXPECT_EQ(open(cudaToyProgram(), "").device(), "cuda:0 (Fake)");
  EXPECT_EQ(open(cudaToyProgram(), "cuda:1").device(), "cuda:1 (Fake)");
  EXPECT_STREQ(
      errorOf([] { open(cudaToyProgram(), "cuda:2"); }, GRT_INVALID_ARGUMENT)
          .what(),
      "found device 'cuda:2', expected an index less than 2");
  environment.set("SLURM_LOCALID", "1");
  EXPECT_EQ(open().device(), "cuda:1 (Fake)");
  environment.set("OMPI_COMM_WORLD_LOCAL_RANK", "4");
  EXPECT_EQ(open().device(), "cuda:0 (Fake)");
  environment.set("LOCAL_RANK", "3");
  EXPECT_EQ(open().device(), "cuda:1 (Fake)");
  EXPECT_EQ(open(cudaToyProgram(), "cuda:0").device(), "cuda:0 (Fake)");
  driver->devices = 0;
  EXPECT_STREQ(errorOf([] { open(); }).what(),
               "found no CUDA device, expected at least one");
}

TEST_F(CudaDevice, RunsCodeForItsArchitecture) {
  auto error = [](const char *architecture) {
    return std::string(
        errorOf([&] {
          openWith([&](fb::ProgramT &p) { p.architecture = architecture; });
        }).what());
  };
  for (const char *good : {"sm_80", "sm_90", "sm_90a", "sm_90f"})
    EXPECT_EQ(
        openWith([&](fb::ProgramT &p) { p.architecture = good; }).device(),
        "cuda:0 (Fake)");
  EXPECT_EQ(error("sm_100"), "found code for architecture 'sm_100', expected "
                             "code for 'sm_90' of cuda:0 (Fake) or older");
  EXPECT_EQ(error("sm_80a"), "found code for architecture 'sm_80a', expected "
                             "code for 'sm_90' of cuda:0 (Fake)");
  for (const char *bad : {"x86-64", "sm_", "sm_90ab"})
    EXPECT_EQ(error(bad), "found code for architecture '" + std::string(bad) +
                              "', expected 'sm_' and a number");
}

TEST_F(CudaDevice, ReportsWhatTheCompilerSays) {
  driver->compilerError = "ptxas error: line 7; wrong register\n";
  EXPECT_THAT(errorOf([] { open(); }).what(),
              AllOf(HasSubstr("cannot load the artifact's code on cuda:0"),
                    EndsWith(": ptxas error: line 7; wrong register")));
}

TEST_F(CudaDevice, RefusesCodeThatIsMissing) {
  std::string image = encode(cudaToyProgram());
  artifact::Section sections[] = {
      {artifact::SectionKind::Program, image},
      {artifact::SectionKind::Constants, std::string_view("0123456789abcdef")}};
  Program program = Program::fromMemory(artifact::serialize(sections));
  EXPECT_STREQ(errorOf([&] { Session session(program); }, GRT_CORRUPT).what(),
               "found no code section, expected the kernels' PTX");
}

TEST_F(CudaDevice, PrefersMachineCodeWhereItFits) {
  std::string cubin = "\x7f"
                      "ELF90";
  auto expectModule = [&](const char *expected) {
    driver->loadedModules.clear();
    Session session(
        Program::fromMemory(makeArtifact(cudaToyProgram(), cubin + '\0')),
        {.device = "cuda"});
    EXPECT_THAT(driver->loadedModules, ElementsAre(expected));
    session.call("init", {Tensor::scalar<int64_t>(1)});
    EXPECT_EQ(session.state("w").as<float>()[3], 4);
  };
  expectModule("cubin");
  // For another generation, which PTX serves.
  driver->computeCapability = 100;
  expectModule("ptx");
  driver->computeCapability = 90;
  driver->loadedModules.clear();
  open();
  EXPECT_THAT(driver->loadedModules, ElementsAre("ptx"));
}

TEST_F(CudaDevice, ChecksTheNeedsOfKernels) {
  driver->maxThreads = 64;
  EXPECT_STREQ(errorOf([] { open(); }).what(),
               "kernel 'denormal': found 128 threads, expected at most 64 on "
               "cuda:0 (Fake)");
  driver->maxThreads = 1024;
  EXPECT_STREQ(errorOf([] {
                 openWith([](auto &p) { p.kernels[1]->shared_bytes = 300000; });
               }).what(),
               "kernel 'accumulate': found 300000 bytes of shared memory, "
               "expected at most 232448 on cuda:0 (Fake)");
  openWith([](auto &p) { p.kernels[1]->shared_bytes = 48 << 10; });
  EXPECT_EQ(driver->dynamicSharedBytes, 0u);
  openWith([](auto &p) { p.kernels[1]->shared_bytes = 100000; });
  EXPECT_EQ(driver->dynamicSharedBytes, 100000u);
}

TEST_F(CudaDevice, ReportsTensorMapsThatItCannotHave) {
  Session session = openWith([](auto &p) {
    addWindow(p);
    p.architecture = "sm_80";
  });
  driver->computeCapability = 80;
  int64_t shape[] = {6, 8};
  std::vector<float> x(48);
  Error error =
      errorOf([&] { session.call("window", {Tensor::of<float>(x, shape)}); },
              GRT_INTERNAL);
  EXPECT_THAT(error.what(),
              HasSubstr("cannot describe a tensor to the device"));
  EXPECT_EQ(error.location(), "here");
}

TEST_F(CudaDevice, FreesItsMemory) {
  for (bool hasPools : {true, false}) {
    driver->hasPools = hasPools;
    {
      Session session = open();
      session.call("init", {Tensor::scalar<int64_t>(1)});
      session.call("accumulate", {floats({1, 2, 3, 4})});
      EXPECT_GT(driver->allocatedBytes, 0u);
    }
    EXPECT_EQ(driver->allocatedBytes, 0u);
    EXPECT_EQ(driver->pinnedBytes, 0u);
  }
}

TEST_F(CudaDevice, SaysHowMuchMemoryIsMissing) {
  driver->memoryBytes = 1000;
  auto addState = [](fb::ProgramT &p) {
    p.states.push_back(tensor("big", fb::ElementType::f32, {300}));
  };
  EXPECT_STREQ(errorOf([&] { openWith(addState); }, GRT_OUT_OF_MEMORY).what(),
               "cuda:0 (Fake) is out of memory: found 960 bytes free of 1000, "
               "expected 1200 for state 'big'");
  EXPECT_EQ(driver->allocatedBytes, 0u);

  Session session = open();
  session.call("init", {Tensor::scalar<int64_t>(1)});
  EXPECT_THAT(
      errorOf([&] { session.call("denormals"); }, GRT_OUT_OF_MEMORY).what(),
      HasSubstr("for the outputs of 'denormals'"));
  // The session goes on.
  driver->memoryBytes = 1 << 20;
  EXPECT_EQ(session.state("w").as<float>()[3], 4);
  EXPECT_EQ(session.call("denormals").size(), 1u);
}

TEST_F(CudaDevice, ReplaysGraphs) {
  {
    Session session = open();
    session.call("init", {Tensor::scalar<int64_t>(1)});
    for (int i = 0; i < 3; ++i)
      session.call("accumulate", {floats({1, 2, 3, 4})});
    EXPECT_EQ(driver->graphLaunches, 4u);
    EXPECT_EQ(driver->launches, 4u);
  }
  for (auto [variable, value] :
       {std::pair("GRAPHRT_CUDA_GRAPHS", "off"), {"GRAPHRT_CUDA_SYNC", "1"}}) {
    Environment changed;
    changed.set(variable, value);
    driver->graphLaunches = 0;
    Session session = open();
    session.call("init", {Tensor::scalar<int64_t>(1)});
    EXPECT_THAT(
        session.call("accumulate", {floats({1, 2, 3, 4})})[0].as<float>(),
        ElementsAre(2, 4, 6, 8));
    EXPECT_EQ(driver->graphLaunches, 0u) << variable;
  }
}

TEST_F(CudaDevice, NamesTheKernelThatCannotBeLaunched) {
  Session session = open();
  driver->refusedKernel = "init_w";
  Error error =
      errorOf([&] { session.call("init", {Tensor::scalar<int64_t>(1)}); },
              GRT_INTERNAL);
  EXPECT_STREQ(error.what(),
               "function 'init': cannot launch the kernel 'init_w' with 1 "
               "workgroups of 1 threads: CUDA_ERROR_OTHER (a fake error)");
  EXPECT_EQ(error.location(), "here");
  EXPECT_FALSE(session.hasState(0));
  driver->refusedKernel.clear();
  session.call("init", {Tensor::scalar<int64_t>(1)});
  EXPECT_TRUE(session.hasState(0));
}

TEST_F(CudaDevice, IsLostAfterAFault) {
  Session session = open();
  session.call("init", {Tensor::scalar<int64_t>(1)});
  session.call("denormals");
  driver->faultingKernel = "accumulate";
  driver->faultCode = illegalAddress;
  auto accumulate = [&] { session.call("accumulate", {floats({1, 2, 3, 4})}); };
  Error error = errorOf(accumulate, GRT_INTERNAL);
  EXPECT_THAT(error.what(),
              AllOf(HasSubstr("function 'accumulate': cannot "),
                    HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS (a fake error)"),
                    EndsWith("; GRAPHRT_CUDA_SYNC=1 finds the operation")));
  EXPECT_EQ(error.location(), "");
  EXPECT_THAT(errorOf([&] { session.call("denormals"); }, GRT_INTERNAL).what(),
              HasSubstr("cuda:0 (Fake) is lost after an earlier failure: "
                        "function 'accumulate'"));
  EXPECT_THAT(errorOf([&] { session.setState("w", floats({1, 2, 3, 4})); },
                      GRT_INTERNAL)
                  .what(),
              HasSubstr("is lost after an earlier failure"));
}

TEST_F(CudaDevice, NamesTheCallThatItDidNotWaitFor) {
  Session session = open();
  driver->faultingKernel = "init_w";
  driver->faultCode = illegalAddress;
  session.call("init", {Tensor::scalar<int64_t>(1)});
  EXPECT_THAT(errorOf([&] { session.state("w"); }, GRT_INTERNAL).what(),
              AllOf(HasSubstr("cannot read state 'w': "
                              "CUDA_ERROR_ILLEGAL_ADDRESS"),
                    EndsWith("; function 'init' was still running and may be "
                             "the cause")));
}

TEST_F(CudaDevice, FindsTheStepThatFaults) {
  environment.set("GRAPHRT_CUDA_SYNC", "1");
  Session session = open();
  session.call("init", {Tensor::scalar<int64_t>(1)});
  driver->faultingKernel = "accumulate";
  driver->faultCode = illegalAddress;
  Error error =
      errorOf([&] { session.call("accumulate", {floats({1, 2, 3, 4})}); },
              GRT_INTERNAL);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("function 'accumulate': cannot run "
                                            "the kernel 'accumulate': "
                                            "CUDA_ERROR_ILLEGAL_ADDRESS"),
                                  Not(HasSubstr("GRAPHRT_CUDA_SYNC"))));
  EXPECT_EQ(error.location(), "here");
}

TEST_F(CudaDevice, NeedsAKernelForProductsThatNoLibraryComputes) {
  Session session = openWith([](fb::ProgramT &p) {
    p.functions[2]->steps[0]->command.AsGemm()->kernel = nullptr;
  });
  int64_t a[] = {2, 3}, b[] = {3, 2};
  Error error = errorOf([&] {
    session.call("matmul", {Tensor::zeros(ElementType::f32, a),
                            Tensor::zeros(ElementType::f32, b)});
  });
  EXPECT_THAT(error.what(),
              HasSubstr("found a matrix product of f32 without a kernel of its "
                        "own, expected one because cuBLASLt is not used on "
                        "cuda:0 (Fake)"));
  EXPECT_EQ(error.location(), "here");
}

} // namespace
