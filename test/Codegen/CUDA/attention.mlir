// Attention and its derivative for a GPU: teams of 8 threads have rows of the
// scores, tiles are in shared memory, and every block is between barriers.
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

// PTX: .visible .entry attention_0(
// PTX: .maxntid 128
// PTX: shfl.sync.bfly
// PTX: .visible .entry attention_grad_0(
func.func @f(%q: tensor<4x100x64xbf16>, %k: tensor<4x70x64xbf16>, %g: tensor<4x100x64xbf16>)
    -> (tensor<4x100x64xbf16>, tensor<4x100x64xbf16>, tensor<4x70x64xbf16>, tensor<4x70x64xbf16>) {
  %y, %lse = graph.attention causal %q, %k, %k scale = 0.125 : (tensor<4x100x64xbf16>, tensor<4x70x64xbf16>, tensor<4x70x64xbf16>) to tensor<4x100x64xbf16>
  %0:3 = graph.attention_grad causal %q, %k, %k result %y log_sum_exp %lse cotangent %g scale = 0.125 : (tensor<4x100x64xbf16>, tensor<4x70x64xbf16>, tensor<4x70x64xbf16>) to tensor<4x100x64xbf16>
  return %y, %0#0, %0#1, %0#2 : tensor<4x100x64xbf16>, tensor<4x100x64xbf16>, tensor<4x70x64xbf16>, tensor<4x70x64xbf16>
}
