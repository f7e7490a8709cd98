// Attentions with heads of at most 256 elements have a kernel and stay.
// RUN: graph-opt %s --graph-decompose=keep-kernels | FileCheck %s

// CHECK-LABEL: @forward
// CHECK: graph.attention
func.func @forward(%q: tensor<2x8x256xf32>) -> tensor<2x8x256xf32> {
  %y, %lse = graph.attention %q, %q, %q scale = 1.0 : (tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>) to tensor<2x8x256xf32>
  return %y : tensor<2x8x256xf32>
}

// CHECK-LABEL: @grad
// CHECK: graph.attention_grad
func.func @grad(%q: tensor<2x8x256xf32>, %lse: tensor<2x8xf32>) -> tensor<2x8x256xf32> {
  %0:3 = graph.attention_grad %q, %q, %q result %q log_sum_exp %lse cotangent %q scale = 1.0 : (tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>) to tensor<2x8x256xf32>
  return %0#0 : tensor<2x8x256xf32>
}

// CHECK-LABEL: @too_wide
// CHECK-NOT: graph.attention
func.func @too_wide(%q: tensor<2x8x257xf32>) -> tensor<2x8x257xf32> {
  %y, %lse = graph.attention %q, %q, %q scale = 1.0 : (tensor<2x8x257xf32>, tensor<2x8x257xf32>, tensor<2x8x257xf32>) to tensor<2x8x257xf32>
  return %y : tensor<2x8x257xf32>
}
