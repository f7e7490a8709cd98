// Dots become products for the vendor's library, with our own kernel beside
// them; epilogues that the library does not know make it a kernel of ours.
// RUN: graph-opt %s --convert-graph-to-exec=target=cuda:sm_80 | FileCheck %s

// A kernel takes whole operands, the library the part that the dot reads.
// CHECK-LABEL: exec.func @view
// CHECK: %[[X:.*]] = exec.input "arg0"
// CHECK: %[[W:.*]] = exec.input "arg1"
// CHECK: %[[A:.*]] = exec.view %[[X]][128]
// CHECK: exec.gemm f32 batch = [] m = 4 n = 8 k = 4 %[[A]] strides = [8, 1], %[[W]] strides = [8, 1]
// CHECK-SAME: kernel @kernels::@{{.*}}dot_0[1] ins(%[[X]], %[[W]] :
func.func @view(%x: tensor<8x8xf32>, %w: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.fusion(%x, %w) : (tensor<8x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<8x8xf32>, %b: tensor<4x8xf32>):
    %1 = graph.slice %a starts = [4, 0] limits = [8, 4] strides = [1, 1] : tensor<8x8xf32> to tensor<4x4xf32>
    %2 = graph.dot %1, %b batch = [] x [] contract = [1] x [0] : (tensor<4x4xf32>, tensor<4x8xf32>) to tensor<4x8xf32>
    graph.yield %2 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: exec.func @relu_bias
// CHECK: %[[BIAS:.*]] = exec.input "arg2"
// CHECK: exec.gemm f32
// CHECK-SAME: epilogue relu_bias ins(%[[BIAS]] : !exec.buffer<32>) kernel
func.func @relu_bias(%x: tensor<4x4xf32>, %w: tensor<4x8xf32>, %bias: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = graph.fusion(%x, %w, %bias) : (tensor<4x4xf32>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4x4xf32>, %b: tensor<4x8xf32>, %c: tensor<8xf32>):
    %zero = graph.constant dense<0.0> : tensor<4x8xf32>
    %1 = graph.dot %a, %b batch = [] x [] contract = [1] x [0] : (tensor<4x4xf32>, tensor<4x8xf32>) to tensor<4x8xf32>
    %2 = graph.broadcast %c dims = [1] : tensor<8xf32> to tensor<4x8xf32>
    %3 = graph.add %1, %2 : tensor<4x8xf32>
    %4 = graph.max %3, %zero : tensor<4x8xf32>
    graph.yield %4 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// The residual is no bias.
// CHECK-LABEL: exec.func @residual
// CHECK-NOT: exec.gemm
// CHECK: exec.dispatch @kernels::@dot_add_0[1]
func.func @residual(%x: tensor<4x4xf32>, %w: tensor<4x8xf32>, %r: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.fusion(%x, %w, %r) : (tensor<4x4xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4x4xf32>, %b: tensor<4x8xf32>, %c: tensor<4x8xf32>):
    %1 = graph.dot %a, %b batch = [] x [] contract = [1] x [0] : (tensor<4x4xf32>, tensor<4x8xf32>) to tensor<4x8xf32>
    %2 = graph.add %1, %c : tensor<4x8xf32>
    graph.yield %2 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// The gradient of a bias beside that of the weights.
// CHECK-LABEL: exec.func @bias_gradient
// CHECK: exec.gemm f32 batch = [] m = 4 n = 8 k = 16
// CHECK-SAME: epilogue bgrad_b outs(%{{.*}} : !exec.buffer<32>) kernel
func.func @bias_gradient(%x: tensor<16x4xf32>, %dy: tensor<16x8xf32>) -> (tensor<8xf32>, tensor<4x8xf32>) {
  %0:2 = graph.fusion(%x, %dy) : (tensor<16x4xf32>, tensor<16x8xf32>) -> (tensor<8xf32>, tensor<4x8xf32>) {
  ^bb0(%a: tensor<16x4xf32>, %b: tensor<16x8xf32>):
    %1 = graph.reduce sum, %b dims = [0] : tensor<16x8xf32> to tensor<8xf32>
    %2 = graph.dot %a, %b batch = [] x [] contract = [0] x [0] : (tensor<16x4xf32>, tensor<16x8xf32>) to tensor<4x8xf32>
    graph.yield %1, %2 : tensor<8xf32>, tensor<4x8xf32>
  }
  return %0#0, %0#1 : tensor<8xf32>, tensor<4x8xf32>
}

// gelu by erf is not the library's.
// CHECK-LABEL: exec.func @erf
// CHECK-NOT: exec.gemm
// CHECK: exec.dispatch @kernels::@dot_mul_erf_add_0
func.func @erf(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = graph.fusion(%x, %w) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32> {
  ^bb0(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>):
    %half = graph.constant dense<0.5> : tensor<8x8xf32>
    %one = graph.constant dense<1.0> : tensor<8x8xf32>
    %root = graph.constant dense<0.70710678> : tensor<8x8xf32>
    %1 = graph.dot %a, %b batch = [] x [] contract = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) to tensor<8x8xf32>
    %2 = graph.mul %1, %root : tensor<8x8xf32>
    %3 = graph.erf %2 : tensor<8x8xf32>
    %4 = graph.add %3, %one : tensor<8x8xf32>
    %5 = graph.mul %1, %half : tensor<8x8xf32>
    %6 = graph.mul %5, %4 : tensor<8x8xf32>
    graph.yield %6 : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}
