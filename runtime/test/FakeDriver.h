//===- FakeDriver.h - A CUDA driver for tests -------------------*- C++ -*-===//
//
// A library with the driver's functions whose device is the host's memory and
// whose kernels are those of kernels.c, called once per thread with the index
// of the thread in the grid. Streams run at once, captures record. Tests set
// what it claims to be and how it fails.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPHRT_TEST_FAKEDRIVER_H
#define GRAPHRT_TEST_FAKEDRIVER_H

#include <cstdint>
#include <string>
#include <vector>

namespace graphrt::test {

struct FakeDriver {
  // What the device is.
  int devices = 2;
  int computeCapability = 90;
  bool hasPools = true;
  uint64_t memoryBytes = 64 << 20;
  int maxThreads = 1024;

  // How it fails: a code that the next call of a function returns.
  /// Loading a module writes this to the error log and fails.
  std::string compilerError;
  /// The kernel that faults when it runs, and the fault's code.
  std::string faultingKernel;
  int faultCode = 0;
  /// The kernel that cannot be launched.
  std::string refusedKernel;

  // What was asked of it.
  /// The modules that it loaded, "cubin" or "ptx" each.
  std::vector<std::string> loadedModules;
  uint64_t allocatedBytes = 0, pinnedBytes = 0;
  unsigned launches = 0, graphLaunches = 0;
  int device = -1;
  unsigned dynamicSharedBytes = 0;
};

} // namespace graphrt::test

/// The driver's settings; a test resets them by assignment.
extern "C" graphrt::test::FakeDriver *graphrtFakeDriver();

#endif // GRAPHRT_TEST_FAKEDRIVER_H
