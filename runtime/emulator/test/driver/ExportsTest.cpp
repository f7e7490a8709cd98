//===- ExportsTest.cpp - The functions that the library exports -----------===//

#include "gtest/gtest.h"

#include "cuda/CudaHeader.h"

#include <algorithm>
#include <dlfcn.h>
#include <set>
#include <string>

namespace {

/// The names of what a library defines for others.
std::set<std::string> exportsOf(const std::string &library) {
  std::set<std::string> names;
  FILE *list = ::popen(
      (GRAPHRT_TEST_NM " -D --defined-only -P " + library).c_str(), "r");
  char line[4096];
  while (list && std::fgets(line, sizeof(line), list))
    names.insert(std::string(line, std::find(line, line + sizeof(line), ' ')));
  EXPECT_EQ(list ? ::pclose(list) : -1, 0);
  return names;
}

/// What the runtime looks up in a driver.
std::set<std::string> driverFunctions() {
#define GRAPHRT_STRINGIFY(name) #name
#define GRAPHRT_CUDA_FUNCTION(name) GRAPHRT_STRINGIFY(name),
  return {
#include "cuda/DriverSymbols.def"
  };
}

TEST(Exports, OfTheEmulatorAreWhatTheRuntimeLooksUp) {
  void *library = ::dlopen(GRAPHRT_TEST_EMULATOR, RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(library) << ::dlerror();
  std::set<std::string> expected = driverFunctions();
  expected.insert({"graphrt_emulator_last_fault", "graphrt_emulator_report",
                   "graphrt_emulator_reset"});
  EXPECT_EQ(exportsOf(GRAPHRT_TEST_EMULATOR), expected);
}

TEST(Exports, OfTheFakeDriverAreWhatTheRuntimeLooksUp) {
  std::set<std::string> found = exportsOf(GRAPHRT_TEST_FAKE_DRIVER);
  std::erase_if(
      found, [](const std::string &name) { return !name.starts_with("cu"); });
  EXPECT_EQ(found, driverFunctions());
}

} // namespace
