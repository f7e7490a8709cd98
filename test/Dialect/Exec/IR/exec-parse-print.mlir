// RUN: graph-opt %s | graph-opt | FileCheck %s

// CHECK: exec.state @w "layers.0/w" : tensor<8xf32>
exec.state @w "layers.0/w" : tensor<8xf32>
// CHECK: exec.constant @c dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
exec.constant @c dense<[1.0, 2.0]> : tensor<2xf32>

// CHECK-LABEL: exec.func @f(x: tensor<2x4xf32>, "a b": tensor<i1>) -> (y: tensor<8xf32>)
exec.func @f(x: tensor<2x4xf32>, "a b": tensor<i1>) -> (y: tensor<8xf32>) {
  // CHECK: exec.input "x" : <32>
  %x = exec.input "x" : !exec.buffer<32>
  // CHECK: exec.input "a b" : <1>
  %b = exec.input "a b" : !exec.buffer<1>
  // CHECK: %[[W:.*]] = exec.state_ref @w
  %w = exec.state_ref @w : !exec.buffer<32>
  // CHECK: exec.constant_ref @c
  %c = exec.constant_ref @c : !exec.buffer<8>
  %y = exec.output "y" : !exec.buffer<32>
  // CHECK: exec.alloc : <32>
  %0 = exec.alloc : !exec.buffer<32>
  // CHECK: exec.dispatch @kernels::@k[3] ins(%{{.*}}, %[[W]]) outs(%{{.*}}) in_place = {{\[\[}}0, 1]]
  // CHECK-SAME: : (!exec.buffer<32>, !exec.buffer<32>) -> !exec.buffer<32>
  exec.dispatch @kernels::@k[3] ins(%x, %w) outs(%0) in_place = [[0, 1]]
      : (!exec.buffer<32>, !exec.buffer<32>) -> !exec.buffer<32>
  // CHECK: exec.view %{{.*}}[16] : <32> to <16>
  %1 = exec.view %0[16] : !exec.buffer<32> to !exec.buffer<16>
  %2 = exec.alloc : !exec.buffer<8>
  %aux = exec.alloc : !exec.buffer<32>
  // CHECK: exec.gemm f32 batch = [2] m = 1 n = 1 k = 2
  // CHECK-SAME: strides = [2, 2, 1], %{{.*}} strides = [0, 1, 1] into %{{.*}} strides = [1, 1, 1]
  exec.gemm f32 batch = [2] m = 1 n = 1 k = 2
      %1 strides = [2, 2, 1], %c strides = [0, 1, 1] into %2 strides = [1, 1, 1]
      : !exec.buffer<16>, !exec.buffer<8>, !exec.buffer<8>
  // CHECK: exec.gemm f32
  // CHECK-SAME: epilogue gelu_bias ins(%{{.*}} : !exec.buffer<8>) outs(%{{.*}} : !exec.buffer<32>)
  // CHECK-SAME: kernel @kernels::@product[1] ins(%{{.*}}, %{{.*}} : !exec.buffer<32>, !exec.buffer<8>)
  exec.gemm f32 batch = [] m = 4 n = 2 k = 1
      %x strides = [1, 1], %c strides = [2, 1] into %0 strides = [2, 1]
      epilogue gelu_bias ins(%c : !exec.buffer<8>) outs(%aux : !exec.buffer<32>)
      kernel @kernels::@product[1] ins(%x, %c : !exec.buffer<32>, !exec.buffer<8>)
      : !exec.buffer<32>, !exec.buffer<8>, !exec.buffer<32>
  // CHECK: exec.copy %{{.*}} to %{{.*}} : <32>
  exec.copy %0 to %y : !exec.buffer<32>
}

// CHECK-LABEL: exec.func @planned() -> () plan <arena = 192, max_live = 128, lower_bound = 64>
exec.func @planned() -> () plan <arena = 192, max_live = 128, lower_bound = 64> {
  // CHECK: exec.arena 64 : <128>
  %0 = exec.arena 64 : !exec.buffer<128>
}

module @kernels {
  func.func private @k(memref<2x4xf32>, memref<8xf32>, memref<8xf32>, index)
  func.func private @product(memref<8xf32>, memref<2xf32>, memref<8xf32>, memref<8xf32>, index)
}
