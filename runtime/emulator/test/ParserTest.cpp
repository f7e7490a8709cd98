//===- ParserTest.cpp - What is decoded, and what is refused --------------===//

#include "Machine.h"

#include <fstream>
#include <sstream>

using namespace graphrt;
using namespace graphrt::test;

namespace {

std::string errorOf(const std::string &text) {
  auto module = ptx::Module::parse(text);
  return module ? "success" : module.failure().message;
}

/// The error of a kernel with that body, which begins in line 14.
std::string errorOfBody(const std::string &body) {
  return errorOf(kernel(0, body));
}

TEST(Parser, UnknownInstructionsAreNamed) {
  EXPECT_EQ(errorOfBody("frobnicate.u32 %r1, %r2;"),
            "line 14: found 'frobnicate.u32', expected an instruction that the "
            "emulator supports");
  EXPECT_EQ(errorOfBody("add.u8x4 %r1, %r2, %r3;"),
            "line 14: found 'add.u8x4' without a type the emulator knows");
  EXPECT_EQ(errorOfBody("add.rz.s32 %r1, %r2, %r3;"),
            "line 14: found the modifier '.rz' of 'add.rz.s32', which the "
            "emulator does not support");
  EXPECT_EQ(errorOfBody("shfl.sync.left.b32 %r1, %r2, 1, 31, -1;"),
            "line 14: found 'shfl.sync.left.b32', expected an instruction that "
            "the emulator supports");
}

TEST(Parser, Operands) {
  EXPECT_EQ(errorOfBody("add.u32 %r1, %r2, %rd3;"),
            "line 14: found the 64-bit register '%rd3', expected one of 32 "
            "bits in 'add.u32'");
  EXPECT_EQ(errorOfBody("add.u32 %r1, %r2;"),
            "line 14: found 2 operands of 'add.u32', expected more");
  EXPECT_EQ(errorOfBody("neg.s32 %r1, %r2, %r3;"),
            "line 14: found 3 operands of 'neg.s32', expected 2");
  EXPECT_EQ(errorOfBody("add.u32 %r1, %r2, unknown;"),
            "line 14: found 'unknown', expected a register or a constant in "
            "'add.u32'");
  EXPECT_EQ(errorOfBody("add.u32 5, %r2, %r3;"),
            "line 14: found '5', expected a register");
  EXPECT_EQ(errorOfBody("add.f32 %f1, %f2, 1;"),
            "line 14: found the integer 1, expected a floating-point number in "
            "'add.f32'");
  EXPECT_EQ(errorOfBody("ld.global.u32 %r1, %rd1;"),
            "line 14: found '%rd1', expected an address in 'ld.global.u32'");
  EXPECT_EQ(errorOfBody("ld.global.v2.u32 {%r1}, [%rd1];"),
            "line 14: found 1 elements, expected 2 in 'ld.global.v2.u32'");
  EXPECT_EQ(errorOfBody("cp.async.ca.shared.global [%r1], [%rd1], 12;"),
            "line 14: found a copy of 12 bytes, expected 4, 8 or 16");
  EXPECT_EQ(errorOfBody("lop3.b32 %r1, %r2, %r3, %r4, %r5;"),
            "line 14: found '%r5', expected an immediate integer in "
            "'lop3.b32'");
  EXPECT_EQ(errorOfBody("@%r1 ret;"),
            "line 14: found '%r1', expected a predicate");
}

TEST(Parser, Labels) {
  EXPECT_EQ(errorOfBody("bra $nowhere;"),
            "line 14: found the label '$nowhere', expected one of the "
            "function's labels");
  EXPECT_EQ(errorOfBody("$a:\n$a:"), "line 15: found a second label '$a'");
  EXPECT_EQ(errorOfBody("brx.idx %r1, $table;"),
            "line 14: found the branch table '$table', expected one declared "
            "before");
}

TEST(Parser, Module) {
  EXPECT_EQ(errorOf(""), "line 1: found the end of the text, expected "
                         "'.version'");
  EXPECT_EQ(errorOf(".version 8.0\n.address_size 32"),
            "line 2: found '32', expected 64-bit addresses");
  EXPECT_EQ(errorOf(".version 8.0\n.bogus"),
            "line 2: found '.bogus', expected a directive");
  EXPECT_EQ(errorOf(std::string(header) + "\x01"),
            std::string("line 4: found the character '\x01', expected a "
                        "token"));
  EXPECT_EQ(errorOf(std::string(header) + ".visible .entry k()\n{\nret;\n"),
            "line 7: found the end of the text, expected '}'");
  EXPECT_EQ(errorOf(std::string(header) + "/* open"),
            "line 4: found the end of the text, expected '*/'");
  EXPECT_EQ(errorOf(std::string(header) + ".global .align 3 .u32 x;"),
            "line 4: found the alignment 3, expected a power of two");
  EXPECT_EQ(errorOf(std::string(header) + ".global .u32 x = {1, 2};"),
            "line 4: found 8 initial bytes of 'x', expected at most 4");
  EXPECT_EQ(errorOf(std::string(header) + ".global .u32 x;\n.global .u32 x;"),
            "line 5: found a second variable 'x'");
  EXPECT_EQ(errorOf(kernel(0, "") + kernel(0, "").substr(strlen(header))),
            "line 17: found a second kernel 'k'");
  EXPECT_EQ(errorOf(std::string(header) + ".global .f32 x = 0f123;"),
            "line 4: found the number '0f123', expected 8 hexadecimal digits");
}

TEST(Parser, Calls) {
  EXPECT_EQ(errorOfBody("call.uni missing;"),
            "line 14: found a call of 'missing', expected a function that the "
            "module defines");
  EXPECT_EQ(errorOfBody("call %rd1;"),
            "line 14: found an indirect call, expected a function's name");
  std::string recursive = ".func f()\n{\ncall.uni f;\nret;\n}\n";
  EXPECT_EQ(errorOf(kernel(0, "call.uni f;", recursive)),
            "line 6: found a recursive call of 'f', expected none");
}

TEST(Parser, KernelProperties) {
  std::string text = std::string(header) +
                     ".extern .shared .align 128 .b8 dynamic[];\n"
                     ".visible .entry k(.param .u32 a, .param .align 64 .b8 "
                     "map[128], .param .u64 .ptr .global .align 16 p)\n"
                     ".maxntid 128, 2\n{\n.reg .b32 %r<3>;\n"
                     ".shared .align 4 .b8 s[100];\n.loc 1 2 3\n"
                     "mov.u32 %r1, dynamic;\nmov.u32 %r2, s;\nret;\n}\n";
  auto module = ptx::Module::parse(text);
  ASSERT_TRUE(module) << module.failure().message;
  const ptx::Kernel *kernel = (*module)->findKernel("k");
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->parameterBytes, 200u);
  EXPECT_EQ(kernel->parameters[1].offset, 64u);
  EXPECT_EQ(kernel->parameters[2].offset, 192u);
  EXPECT_EQ(kernel->sharedBytes, 128u);
  EXPECT_EQ(kernel->maxThreads, 256u);
  EXPECT_EQ((*module)->target, "sm_90a");
  EXPECT_EQ((*module)->line(4), ".extern .shared .align 128 .b8 dynamic[];");
  EXPECT_EQ((*module)->findKernel("other"), nullptr);
}

} // namespace
