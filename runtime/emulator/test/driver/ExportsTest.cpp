//===- ExportsTest.cpp - The functions that the library exports -----------===//

#include "gtest/gtest.h"

#include "cuda/CudaHeader.h"

#include <dlfcn.h>

namespace {

TEST(Exports, AreWhatTheRuntimeLooksUp) {
  void *library = ::dlopen(GRAPHRT_TEST_EMULATOR, RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(library) << ::dlerror();
#define GRAPHRT_STRINGIFY(name) #name
#define GRAPHRT_CUDA_FUNCTION(name)                                            \
  EXPECT_TRUE(::dlsym(library, GRAPHRT_STRINGIFY(name)))                       \
      << GRAPHRT_STRINGIFY(name);
#include "cuda/DriverSymbols.def"
  EXPECT_TRUE(::dlsym(library, "graphrt_emulator_last_fault"));
  EXPECT_TRUE(::dlsym(library, "graphrt_emulator_report"));
  EXPECT_TRUE(::dlsym(library, "graphrt_emulator_reset"));
}

} // namespace
