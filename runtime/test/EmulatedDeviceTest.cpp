//===- EmulatedDeviceTest.cpp - Faults of kernels, caught and named -------===//

#include "TestArtifact.h"

#include "graphrt/graphrt.hpp"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstdlib>

using namespace graphrt;
using namespace graphrt::test;
using testing::AllOf;
using testing::HasSubstr;

namespace {

/// The error of calling accumulate with more threads than there are elements.
Error errorOfTooManyThreads() {
  fb::ProgramT program = cudaToyProgram();
  program.functions[1]->steps[0]->command.AsDispatch()->workgroups = 2;
  Session session(Program::fromMemory(makeArtifact(program)),
                  {.device = "cuda-emulated"});
  std::vector<float> x = {1, 2, 3, 4};
  int64_t shape[] = {4};
  session.call("init", {Tensor::scalar<int64_t>(1)});
  try {
    session.call("accumulate", {Tensor::of<float>(x, shape)});
  } catch (const Error &error) {
    return error;
  }
  return Error(GRT_OK, "no error", "");
}

TEST(EmulatedDevice, NamesTheFaultOfAKernel) {
  Error error = errorOfTooManyThreads();
  EXPECT_EQ(error.code(), GRT_INTERNAL);
  EXPECT_THAT(error.what(),
              AllOf(HasSubstr("function 'accumulate': cannot run"),
                    HasSubstr("kernel 'accumulate'"),
                    HasSubstr("block (1, 0, 0)")));
}

TEST(EmulatedDevice, RunsThePtxBesideMachineCode) {
  Session session(Program::fromMemory(makeArtifact(cudaToyProgram(), "\x7f"
                                                                     "ELF")),
                  {.device = "cuda-emulated"});
  session.call("init", {Tensor::scalar<int64_t>(1)});
  EXPECT_EQ(session.state("w").as<float>()[3], 4);
}

TEST(EmulatedDevice, NamesTheSourceOfAFault) {
  ::setenv("GRAPHRT_CUDA_SYNC", "1", 1);
  Error error = errorOfTooManyThreads();
  ::unsetenv("GRAPHRT_CUDA_SYNC");
  EXPECT_EQ(error.location(), "here");
  EXPECT_THAT(error.what(), HasSubstr("cannot run the kernel 'accumulate'"));
}

} // namespace
