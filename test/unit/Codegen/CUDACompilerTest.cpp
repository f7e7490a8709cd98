//===- CUDACompilerTest.cpp - Kernels to PTX and to machine code ----------===//

#include "graph/Codegen/CUDA/Assemble.h"
#include "graph/Codegen/CUDA/KernelCompiler.h"
#include "graph/InitAll.h"
#include "graph/Planning/KernelTarget.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/Error.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace graph;

static std::string textOf(llvm::Error error) {
  return llvm::toString(std::move(error));
}

TEST(KernelTarget, NamesAreReadBack) {
  for (const char *text : {"cpu:256", "cpu:512", "cuda:sm_80", "cuda:sm_90a"}) {
    llvm::Expected<KernelTarget> target = KernelTarget::parse(text);
    ASSERT_TRUE(bool(target)) << textOf(target.takeError());
    EXPECT_EQ(target->getText(), text);
  }
}

TEST(KernelTarget, UnknownNamesAreErrors) {
  for (const char *text : {"", "cuda", "cuda:", "cuda:sm_75", "cpu:100",
                           "cpu:x", "cpu:8", "rocm:gfx90a"}) {
    llvm::Expected<KernelTarget> target = KernelTarget::parse(text);
    ASSERT_FALSE(bool(target)) << text;
    EXPECT_EQ(textOf(target.takeError()),
              "found target '" + std::string(text) +
                  "', expected cpu, cpu:<vector bits>, or cuda: and one of "
                  "sm_80, sm_90, sm_90a, sm_100");
  }
}

namespace {
class CUDACompiler : public testing::Test {
protected:
  CUDACompiler() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  FailureOr<std::string> compile(StringRef body, StringRef chip = "sm_80") {
    module = parseSourceString<ModuleOp>(
        ("gpu.module @kernels {\n" + body + "\n}").str(), &context);
    EXPECT_TRUE(module);
    TimingScope timing;
    return compileKernelsToPTX(*module->getOps<gpu::GPUModuleOp>().begin(),
                               chip, timing);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};
} // namespace

static constexpr const char *kNarrowAndWide = R"mlir(
  gpu.func @narrow(%x: memref<8xf32>) kernel
      attributes {exec.index_bits = 32, known_block_size = array<i32: 8, 1, 1>} {
    %i = gpu.thread_id x
    %c = arith.constant 3 : index
    %j = arith.remui %i, %c : index
    %v = memref.load %x[%j] : memref<8xf32>
    memref.store %v, %x[%i] : memref<8xf32>
    gpu.return
  }
  gpu.func @wide(%x: memref<8xf32>) kernel
      attributes {known_block_size = array<i32: 8, 1, 1>} {
    %i = gpu.thread_id x
    %n = gpu.block_id x
    %c = arith.constant 5000000000 : index
    %k = arith.muli %n, %c : index
    %j = arith.addi %i, %k : index
    %v = memref.load %x[%j] : memref<8xf32>
    memref.store %v, %x[%i] : memref<8xf32>
    gpu.return
  }
)mlir";

TEST_F(CUDACompiler, NarrowAndWideIndicesShareAModule) {
  FailureOr<std::string> ptx = compile(kNarrowAndWide);
  ASSERT_TRUE(succeeded(ptx));
  StringRef text = *ptx;
  StringRef wide = text.split(".visible .entry wide(").second.split('}').first;
  StringRef narrow =
      text.split(".visible .entry narrow(").second.split('}').first;
  EXPECT_TRUE(wide.contains("mul.lo.s64") || wide.contains("mul.wide")) << *ptx;
  EXPECT_TRUE(narrow.contains("mul.hi.u32") || narrow.contains("rem.u32") ||
              narrow.contains("rem.u16") || narrow.contains(".wide.u32"))
      << *ptx;
  EXPECT_FALSE(narrow.contains("rem.u64")) << *ptx;
  EXPECT_EQ(text.count(".version"), 1u);
}

TEST_F(CUDACompiler, FunctionsWithoutAFormulaAreErrors) {
  std::string message;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
  EXPECT_TRUE(failed(compile(R"mlir(
    gpu.func @f(%x: memref<1xf64>) kernel
        attributes {known_block_size = array<i32: 1, 1, 1>} {
      %c = arith.constant 0 : index
      %v = memref.load %x[%c] : memref<1xf64>
      %r = math.acos %v : f64
      memref.store %r, %x[%c] : memref<1xf64>
      gpu.return
    }
  )mlir")));
  EXPECT_EQ(message, "found math.acos, which is no instruction of a GPU; "
                     "expected --codegen-lower-math to have a formula for it");
}

TEST_F(CUDACompiler, MachineCode) {
  if (!canAssemblePTX())
    GTEST_SKIP() << "no nvJitLink";
  for (StringRef chip : getCUDAChips()) {
    FailureOr<std::string> ptx = compile(kNarrowAndWide, chip);
    ASSERT_TRUE(succeeded(ptx));
    llvm::Expected<std::string> cubin = assemblePTX(*ptx, chip);
    ASSERT_TRUE(bool(cubin)) << textOf(cubin.takeError());
    EXPECT_EQ(cubin->substr(1, 3), "ELF");
  }
}

TEST_F(CUDACompiler, WhatNvJitLinkRefusesIsAnError) {
  if (!canAssemblePTX())
    GTEST_SKIP() << "no nvJitLink";
  llvm::Expected<std::string> broken = assemblePTX("no PTX", "sm_80");
  ASSERT_FALSE(bool(broken));
  EXPECT_TRUE(StringRef(textOf(broken.takeError()))
                  .starts_with("nvJitLink did not accept the kernels: "));
  llvm::Expected<std::string> unknown = assemblePTX("", "sm_12345");
  ASSERT_FALSE(bool(unknown));
  EXPECT_EQ(textOf(unknown.takeError()),
            "nvJitLink does not know the target 'sm_12345'");
}
