// Attention and its derivative for a GPU: teams of 8 threads have rows of the
// scores, tiles are in shared memory, and every block is between barriers. In
// bf16 tensor cores multiply, and teams of 4 have a row in registers.
// RUN: graph-opt %s --graph-prepare-attention --graph-emit-kernels=target=cuda:sm_80 | FileCheck %s
// RUN: graph-compile %s --quiet --target=cuda:sm_80 --emit=ptx | FileCheck %s --check-prefix=PTX --implicit-check-not=__nv

// CHECK: gpu.func @kernel_0(
// CHECK-SAME: workgroup(%{{.*}} : memref<2304xf32, #gpu.address_space<workgroup>>
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK: math.fma
// CHECK: gpu.shuffle
// CHECK: math.exp
// CHECK: gpu.barrier
// CHECK: math.fma
// CHECK: gpu.func @kernel_1(
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>
// CHECK: scf.if
// CHECK: math.exp
// CHECK: } else {
// CHECK: math.exp

// CHECK: gpu.func @kernel_2(
// CHECK-SAME: exec.shared_bytes = 24576
// CHECK: nvvm.cp.async.shared.global
// CHECK: scf.for
// CHECK: nvvm.ldmatrix
// CHECK: nvvm.mma.sync
// CHECK: gpu.shuffle
// CHECK: math.exp
// CHECK: arith.truncf
// CHECK: nvvm.mma.sync

// PTX: .visible .entry attention_0(
// PTX: .maxntid 128
// PTX: shfl.sync.bfly
// PTX: .visible .entry attention_grad_0(
// PTX: .visible .entry attention_1(
// PTX: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
func.func @f(%q: tensor<4x100x64xf32>, %k: tensor<4x70x64xf32>, %g: tensor<4x100x64xf32>)
    -> (tensor<4x100x64xf32>, tensor<4x100x64xf32>, tensor<4x70x64xf32>, tensor<4x70x64xf32>) {
  %y, %lse = graph.attention causal %q, %k, %k scale = 0.125 : (tensor<4x100x64xf32>, tensor<4x70x64xf32>, tensor<4x70x64xf32>) to tensor<4x100x64xf32>
  %0:3 = graph.attention_grad causal %q, %k, %k result %y log_sum_exp %lse cotangent %g scale = 0.125 : (tensor<4x100x64xf32>, tensor<4x70x64xf32>, tensor<4x70x64xf32>) to tensor<4x100x64xf32>
  return %y, %0#0, %0#1, %0#2 : tensor<4x100x64xf32>, tensor<4x100x64xf32>, tensor<4x70x64xf32>, tensor<4x70x64xf32>
}
func.func @narrow(%q: tensor<4x100x64xbf16>, %k: tensor<4x70x64xbf16>) -> tensor<4x100x64xbf16> {
  %y, %lse = graph.attention causal %q, %k, %k scale = 0.125 : (tensor<4x100x64xbf16>, tensor<4x70x64xbf16>, tensor<4x70x64xbf16>) to tensor<4x100x64xbf16>
  return %y : tensor<4x100x64xbf16>
}
