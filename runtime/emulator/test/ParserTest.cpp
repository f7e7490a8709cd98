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
  EXPECT_EQ(errorOfBody("add.s16 %h1, %h2, 0f3F800000;"),
            "line 14: found a floating-point number, expected an integer in "
            "'add.s16'");
  EXPECT_EQ(errorOfBody("bra %r1;"), "line 14: found '%r1', expected a label");
  EXPECT_EQ(errorOfBody("add.u32 %r1, %r2, =;"),
            "line 14: found '=', expected an operand");
  EXPECT_EQ(errorOfBody("add.u32 %r1, [[[[[[[[[%r2;"),
            "line 14: found '[', expected operands that nest less deeply");
  EXPECT_EQ(errorOfBody("ld.global.u32 %r1, [%rd1+%rd2];"),
            "line 14: found '%rd2', expected an offset");
  EXPECT_EQ(errorOfBody("5;"), "line 14: found '5', expected an instruction");
  EXPECT_EQ(errorOfBody("bra $a $b;"), "line 14: found '$b', expected ';'");
}

TEST(Parser, Fragments) {
  EXPECT_EQ(errorOfBody("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
                        "{%f1}, {%r1}, {%r1}, {%f1};"),
            "line 14: found a fragment of the wrong length in "
            "'mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32', expected 4, "
            "4, 2 and 4 registers");
  std::string product = "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 ";
  EXPECT_EQ(errorOfBody(product + "{%f1}, %rd1, %rd2, %q1, 1, 1, 0, 0;"),
            "line 14: found 1 accumulators, expected 4");
  EXPECT_EQ(errorOfBody(product + "{%f1, %f2, %f3, %f4}, {%r1}, %rd2, %q1, 1, "
                                  "1, 0;"),
            "line 14: found 1 registers of A, expected 4");
  EXPECT_EQ(errorOfBody(product + "{%f1, %f2, %f3, %f4}, %rd1, %rd2, %q1, 2, "
                                  "1, 0, 0;"),
            "line 14: found the scale 2, expected 1 or -1");
}

TEST(Parser, Declarations) {
  EXPECT_EQ(errorOfBody(".reg .u33 %x;"),
            "line 14: found '.u33', expected a type");
  EXPECT_EQ(errorOfBody(".reg .u32 7;"),
            "line 14: found '7', expected a register's name");
  EXPECT_EQ(errorOfBody(".reg .u32 %x<y>;"),
            "line 14: found 'y', expected a number of registers");
  EXPECT_EQ(errorOfBody(".bogus 5;"),
            "line 14: found '.bogus', expected a directive of a function's "
            "body");
  EXPECT_EQ(errorOfBody(".local .align x .b8 l[4];"),
            "line 14: found 'x', expected an alignment");
  EXPECT_EQ(errorOfBody(".local .u33 l[4];"),
            "line 14: found '.u33', expected a type");
  EXPECT_EQ(errorOfBody(".local .b8 l[x];"),
            "line 14: found 'x', expected a length");
  EXPECT_EQ(errorOfBody(".local .b8 5;"),
            "line 14: found '5', expected a name");
  EXPECT_EQ(errorOfBody(".local .b64 l[1073741824];"),
            "line 14: found a variable of 8589934592 bytes, expected less than "
            "4 GiB");
  EXPECT_EQ(errorOfBody(".local .b8 l[600000];"),
            "found 600000 bytes of local memory in kernel 'k', expected at "
            "most 524288");
  EXPECT_EQ(
      errorOfBody(".shared .b8 s[4000000000];\n.shared .b8 t[600000000];"),
      "found 4600000000 bytes of shared memory in kernel 'k', expected "
      "at most 16777216");
  EXPECT_EQ(errorOfBody("$t: .branchtargets 5;"),
            "line 14: found '5', expected a label");
  EXPECT_EQ(errorOfBody(std::string(100, '{')),
            "line 14: found '{', expected braces that nest less deeply");
}

TEST(Parser, Labels) {
  EXPECT_EQ(errorOfBody("bra $nowhere;"),
            "line 14: found the label '$nowhere', expected one of the "
            "function's labels");
  EXPECT_EQ(errorOfBody("$a:\n$a:"), "line 15: found a second label '$a'");
  EXPECT_EQ(errorOfBody("brx.idx %r1, $table;"),
            "line 14: found the branch table '$table', expected one declared "
            "before");
  EXPECT_EQ(errorOfBody("brx.idx %rd1, $table;"),
            "line 14: found 'brx.idx', expected 'brx.idx register, table'");
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

TEST(Parser, Tokens) {
  auto errorBehindHeader = [](const std::string &text) {
    return errorOf(header + text);
  };
  EXPECT_EQ(errorBehindHeader(".pragma \"open"),
            "line 4: found the end of the text, expected '\"'");
  EXPECT_EQ(errorBehindHeader(".global .f64 x = 1.0e999;"),
            "line 4: found a number that no f64 holds");
  EXPECT_EQ(errorBehindHeader(".global .u64 x = 99999999999999999999;"),
            "line 4: found the number '99999999999999999999', expected at most "
            "64 bits");
  EXPECT_EQ(errorBehindHeader(".global .u64 x = 0x;"),
            "line 4: found the number '0x', expected hexadecimal digits");
}

TEST(Parser, ModuleDirectives) {
  auto errorBehindHeader = [](const std::string &text) {
    return errorOf(header + text);
  };
  EXPECT_EQ(errorOf(".version 8.0\n.target 5"),
            "line 2: found '5', expected a target");
  EXPECT_EQ(errorOf(".version 8.0\n.target sm_80, 5"),
            "line 2: found '5', expected a target's option");
  EXPECT_EQ(errorOf(".version 8.0\n.address_size x"),
            "line 2: found 'x', expected 64");
  EXPECT_EQ(errorBehindHeader(".extern .global .u32 x;"),
            "line 4: found '.global', expected '.shared' or '.func' behind "
            "'.extern'");
  EXPECT_EQ(errorBehindHeader(".global .u64 x = unknown;"),
            "line 4: found 'unknown', expected a number or a global variable's "
            "name");
  EXPECT_EQ(errorBehindHeader(".global .u64 x = generic(5);"),
            "line 4: found '5', expected a variable");
  EXPECT_EQ(errorBehindHeader(".global .u64 y;\n.global .u64 x = y+z;"),
            "line 5: found 'z', expected an offset");
  EXPECT_EQ(errorBehindHeader(".global .u32 x[2] = {1, ;"),
            "line 4: found ';', expected a number");
  EXPECT_EQ(errorBehindHeader(".entry 5"),
            "line 4: found '5', expected a kernel's name");
  EXPECT_EQ(errorBehindHeader(".entry k(.reg .u32 x)"),
            "line 4: found '.reg', expected '.param'");
  EXPECT_EQ(errorBehindHeader(".entry k()\n.bogus\n{}"),
            "line 5: found '.bogus', expected a directive of a kernel or '{'");
  EXPECT_EQ(errorBehindHeader(".entry k(.param .b8 p[40000])\n{}"),
            "line 4: found 40000 bytes of parameters of kernel 'k', expected "
            "at most 32764");
  EXPECT_EQ(errorBehindHeader(".func 5"),
            "line 4: found '5', expected a function's name");
  EXPECT_EQ(errorBehindHeader(".func f()\n{ {"),
            "line 5: found the end of the text, expected '}'");
}

TEST(Parser, Calls) {
  EXPECT_EQ(errorOfBody("call.uni missing;"),
            "line 14: found a call of 'missing', expected a function that the "
            "module defines");
  EXPECT_EQ(errorOfBody("call %rd1;"),
            "line 14: found an indirect call, expected a function's name");
  std::string callee = ".func (.param .u32 r) f(.param .u32 a)\n{\nret;\n}\n";
  EXPECT_EQ(errorOf(kernel(0, "call.uni (%r1), f, (%r2);", callee)),
            "line 18: found the argument '%r2', expected a variable in .param "
            "space");
  EXPECT_EQ(errorOf(kernel(0, ".param .u32 x;\ncall.uni (x), f;", callee)),
            "line 19: found 0 arguments or results, expected 1");
  EXPECT_EQ(errorOf(kernel(0, ".param .u32 x;\ncall.uni f, (x);", callee)),
            "line 19: found 0 arguments or results, expected 1");
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
