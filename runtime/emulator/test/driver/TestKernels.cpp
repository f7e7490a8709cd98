//===- TestKernels.cpp - Small kernels for the driver's tests -------------===//

#include "DriverTest.h"

const char *const graphrt::test::testKernels = R"(
.version 7.0
.target sm_80
.address_size 64

.global .align 4 .f32 factor = 0f40000000;
.extern .shared .align 16 .b8 scratch[];

.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c)
{
  .reg .b32 %r<2>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<10>;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  ld.param.u64 %rd3, [c];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd4, %r1, 4;
  add.s64 %rd5, %rd1, %rd4;
  add.s64 %rd6, %rd2, %rd4;
  add.s64 %rd7, %rd3, %rd4;
  ld.global.f32 %f1, [%rd5];
  ld.global.f32 %f2, [%rd6];
  add.rn.f32 %f3, %f1, %f2;
  st.global.f32 [%rd7], %f3;
  ret;
}

.visible .entry twice(.param .u64 a, .param .u64 b)
{
  .reg .b32 %r<2>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<10>;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd4, %r1, 4;
  add.s64 %rd5, %rd1, %rd4;
  add.s64 %rd6, %rd2, %rd4;
  ld.global.f32 %f1, [%rd5];
  ld.global.f32 %f2, [factor];
  mul.rn.f32 %f3, %f1, %f2;
  st.global.f32 [%rd6], %f3;
  ret;
}

.visible .entry beyond(.param .u64 a, .param .u64 b)
{
  .reg .b32 %r<2>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<10>;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd4, %r1, 4;
  add.s64 %rd5, %rd1, %rd4;
  add.s64 %rd6, %rd2, %rd4;
  ld.global.f32 %f1, [%rd5];
  st.global.f32 [%rd6+4096], %f1;
  ret;
}

.visible .entry skewed(.param .u64 a)
{
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [a];
  ld.global.b64 %rd2, [%rd1+4];
  ret;
}

.visible .entry dynamic(.param .u64 a)
{
  .reg .f32 %f<2>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [a];
  mov.f32 %f1, 0f3F800000;
  st.shared.f32 [scratch], %f1;
  ld.shared.f32 %f1, [scratch];
  st.global.f32 [%rd1], %f1;
  ret;
}

.visible .entry fixed(.param .u64 a)
.reqntid 64, 1, 1
{
  ret;
}
)";
