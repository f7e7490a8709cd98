//===- KernelCompilerTest.cpp - Kernels compiled, loaded and called -------===//

#include "graph/Codegen/CPU/KernelCompiler.h"
#include "graph/InitAll.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>

using namespace mlir;

namespace {

using Entry = void (*)(void *const *buffers, int64_t workgroup);

class KernelCompilerTest : public testing::Test {
protected:
  KernelCompilerTest() {
    DialectRegistry registry;
    graph::registerAllDialects(registry);
    context.appendDialectRegistry(registry);
  }

  FailureOr<std::string> compile(llvm::StringRef text) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    llvm::Expected<graph::TargetCPU> cpu = graph::getTargetCPU("native");
    EXPECT_TRUE(static_cast<bool>(cpu));
    TimingScope timing;
    return graph::compileKernels(*module, *cpu, timing);
  }

  /// The function `name` of a compiled module, loaded into this process.
  Entry load(llvm::StringRef text, const char *name) {
    FailureOr<std::string> bytes = compile(text);
    if (failed(bytes)) {
      ADD_FAILURE() << "the kernels do not compile";
      return nullptr;
    }
    int descriptor;
    SmallString<128> path;
    EXPECT_FALSE(
        llvm::sys::fs::createTemporaryFile("kernels", "so", descriptor, path));
    EXPECT_EQ(write(descriptor, bytes->data(), bytes->size()),
              static_cast<ssize_t>(bytes->size()));
    close(descriptor);
    void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library, nullptr) << dlerror();
    llvm::sys::fs::remove(path);
    auto entry = reinterpret_cast<Entry>(dlsym(library, name));
    EXPECT_NE(entry, nullptr);
    return entry;
  }

  MLIRContext context;
};

TEST_F(KernelCompilerTest, WorkgroupSelectsARow) {
  Entry entry = load(R"(
    func.func @scale(%x: memref<3x4xf32>, %y: memref<3x4xf32>, %row: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %two = arith.constant 2.0 : f32
      scf.for %i = %c0 to %c4 step %c1 {
        %a = memref.load %x[%row, %i] : memref<3x4xf32>
        %b = arith.mulf %a, %two : f32
        memref.store %b, %y[%row, %i] : memref<3x4xf32>
      }
      return
    })",
                     "scale");
  float x[12], y[12] = {};
  for (int i = 0; i < 12; ++i)
    x[i] = i;
  void *buffers[] = {x, y};
  entry(buffers, 2);
  for (int i = 0; i < 12; ++i)
    EXPECT_EQ(y[i], i < 8 ? 0 : 2 * i);
}

TEST_F(KernelCompilerTest, VectorsAndMasks) {
  Entry entry = load(R"(
    func.func @add(%x: memref<5xf32>, %y: memref<5xf32>, %z: memref<5xf32>,
                   %group: index) {
      %c0 = arith.constant 0 : index
      %c5 = arith.constant 5 : index
      %zero = arith.constant 0.0 : f32
      %mask = vector.create_mask %c5 : vector<8xi1>
      %pass = arith.constant dense<0.0> : vector<8xf32>
      %a = vector.maskedload %x[%c0], %mask, %pass
          : memref<5xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
      %b = vector.maskedload %y[%c0], %mask, %pass
          : memref<5xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
      %c = arith.addf %a, %b : vector<8xf32>
      vector.maskedstore %z[%c0], %mask, %c
          : memref<5xf32>, vector<8xi1>, vector<8xf32>
      return
    })",
                     "add");
  float x[] = {1, 2, 3, 4, 5}, y[] = {10, 20, 30, 40, 50};
  float z[6] = {0, 0, 0, 0, 0, -1};
  void *buffers[] = {x, y, z};
  entry(buffers, 0);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(z[i], 11 * (i + 1));
  EXPECT_EQ(z[5], -1);
}

TEST_F(KernelCompilerTest, MultiplyAndAddAreRoundedSeparately) {
  Entry entry = load(R"(
    func.func @f(%x: memref<f32>, %y: memref<f32>, %group: index) {
      %a = memref.load %x[] : memref<f32>
      %m = arith.mulf %a, %a : f32
      %one = arith.constant -1.0 : f32
      %s = arith.addf %m, %one : f32
      memref.store %s, %y[] : memref<f32>
      return
    })",
                     "f");
  float x = 1.0f + std::ldexp(1.0f, -12), y;
  void *buffers[] = {&x, &y};
  entry(buffers, 0);
  volatile float square = x * x;
  EXPECT_EQ(y, square - 1.0f);
  EXPECT_NE(y, std::fma(x, x, -1.0f));
}

TEST_F(KernelCompilerTest, FunctionsOfLibmAreFound) {
  Entry entry = load(R"(
    func.func private @cbrt(f64) -> f64
    func.func @f(%x: memref<f64>, %y: memref<f64>, %group: index) {
      %a = memref.load %x[] : memref<f64>
      %b = func.call @cbrt(%a) : (f64) -> f64
      memref.store %b, %y[] : memref<f64>
      return
    })",
                     "f");
  double x = 27, y = 0;
  void *buffers[] = {&x, &y};
  entry(buffers, 0);
  EXPECT_DOUBLE_EQ(y, 3);
}

TEST_F(KernelCompilerTest, OtherFunctionsAreRefused) {
  std::string message;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
  EXPECT_TRUE(failed(compile(R"(
    func.func private @abort()
    func.func @f(%x: memref<f64>, %group: index) {
      func.call @abort() : () -> ()
      return
    })")));
  EXPECT_EQ(message, "found a kernel that calls 'abort', expected functions "
                     "of libm only");
}

TEST_F(KernelCompilerTest, TheBytesAreReproducible) {
  std::string text;
  for (int i = 0; i < 20; ++i)
    text += "func.func @k" + std::to_string(i) +
            "(%x: memref<f32>, %y: memref<f32>, %group: index) {\n"
            "  %a = memref.load %x[] : memref<f32>\n"
            "  memref.store %a, %y[] : memref<f32>\n"
            "  return\n"
            "}\n";
  FailureOr<std::string> first = compile(text);
  context.disableMultithreading();
  FailureOr<std::string> second = compile(text);
  ASSERT_TRUE(succeeded(first) && succeeded(second));
  EXPECT_EQ(*first, *second);
}

TEST(TargetCPU, UnknownNamesAreErrors) {
  llvm::Expected<graph::TargetCPU> cpu = graph::getTargetCPU("pentium-one");
  ASSERT_FALSE(static_cast<bool>(cpu));
  EXPECT_EQ(llvm::toString(cpu.takeError()).rfind("unknown cpu 'pentium-one'"),
            0u);
}

#ifdef __x86_64__
TEST(TargetCPU, FeaturesHaveTheNamesOfCpuinfo) {
  llvm::Expected<graph::TargetCPU> cpu = graph::getTargetCPU("x86-64-v3");
  ASSERT_TRUE(static_cast<bool>(cpu));
  EXPECT_EQ(cpu->architecture, "x86-64");
  EXPECT_EQ(cpu->vectorBits, 256u);
  std::vector<std::string> expected = {
      "abm",   "avx", "avx2",   "bmi1",   "bmi2",   "f16c", "fma",
      "movbe", "pni", "popcnt", "sse4_1", "sse4_2", "ssse3"};
  EXPECT_EQ(cpu->requiredFeatures, expected);
}
#endif

} // namespace
