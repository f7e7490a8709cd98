// What a derivative recomputes is written as the forward pass writes it: after
// decomposition, cse merges the two.
// RUN: graph-opt %s --split-input-file --pass-pipeline='builtin.module(graph-autodiff,symbol-dce,func.func(graph-decompose),cse)' | FileCheck %s

func.func private @attend(%q: tensor<2x3x2xbf16>, %k: tensor<2x4x2xbf16>,
                          %v: tensor<2x4x2xbf16>) -> tensor<bf16> {
  %0, %lse = graph.attention causal %q, %k, %v scale = 0.5
      : (tensor<2x3x2xbf16>, tensor<2x4x2xbf16>, tensor<2x4x2xbf16>)
      to tensor<2x3x2xbf16>
  %1 = graph.reduce sum, %0 dims = [0, 1, 2] : tensor<2x3x2xbf16> to tensor<bf16>
  return %1 : tensor<bf16>
}
// Scores, output; then the derivatives of value, weights, query and key. The
// weights are computed twice, once from the log_sum_exp.
// CHECK-LABEL:     func @attention(
// CHECK-COUNT-2:     graph.exp
// CHECK-NOT:         graph.exp
// CHECK-LABEL:     func @count_dots(
// CHECK-COUNT-6:     graph.dot
// CHECK-NOT:         graph.dot
// CHECK:           return
func.func @attention(%q: tensor<2x3x2xbf16>, %k: tensor<2x4x2xbf16>,
                     %v: tensor<2x4x2xbf16>)
    -> (tensor<bf16>, tensor<2x3x2xbf16>, tensor<2x4x2xbf16>,
        tensor<2x4x2xbf16>) {
  %0:4 = graph.value_and_grad @attend(%q, %k, %v) wrt = [0, 1, 2]
      : (tensor<2x3x2xbf16>, tensor<2x4x2xbf16>, tensor<2x4x2xbf16>)
      -> (tensor<bf16>, tensor<2x3x2xbf16>, tensor<2x4x2xbf16>,
          tensor<2x4x2xbf16>)
  return %0#0, %0#1, %0#2, %0#3
      : tensor<bf16>, tensor<2x3x2xbf16>, tensor<2x4x2xbf16>, tensor<2x4x2xbf16>
}
func.func @count_dots(%q: tensor<2x3x2xbf16>, %k: tensor<2x4x2xbf16>,
                      %v: tensor<2x4x2xbf16>)
    -> (tensor<bf16>, tensor<2x3x2xbf16>, tensor<2x4x2xbf16>,
        tensor<2x4x2xbf16>) {
  %0:4 = graph.value_and_grad @attend(%q, %k, %v) wrt = [0, 1, 2]
      : (tensor<2x3x2xbf16>, tensor<2x4x2xbf16>, tensor<2x4x2xbf16>)
      -> (tensor<bf16>, tensor<2x3x2xbf16>, tensor<2x4x2xbf16>,
          tensor<2x4x2xbf16>)
  return %0#0, %0#1, %0#2, %0#3
      : tensor<bf16>, tensor<2x3x2xbf16>, tensor<2x4x2xbf16>, tensor<2x4x2xbf16>
}

// -----

func.func private @norm(%x: tensor<3x4xbf16>, %s: tensor<4xbf16>)
    -> tensor<bf16> {
  %0 = graph.layer_norm %x, %s, %s epsilon = 1.0e-05
      : tensor<3x4xbf16>, tensor<4xbf16>
  %1 = graph.reduce sum, %0 dims = [0, 1] : tensor<3x4xbf16> to tensor<bf16>
  return %1 : tensor<bf16>
}
// CHECK-LABEL: func @layer_norm(
// CHECK:         graph.rsqrt
// CHECK-NOT:     graph.rsqrt
// CHECK:         return
func.func @layer_norm(%x: tensor<3x4xbf16>, %s: tensor<4xbf16>)
    -> (tensor<bf16>, tensor<3x4xbf16>) {
  %0:2 = graph.value_and_grad @norm(%x, %s) wrt = [0]
      : (tensor<3x4xbf16>, tensor<4xbf16>) -> (tensor<bf16>, tensor<3x4xbf16>)
  return %0#0, %0#1 : tensor<bf16>, tensor<3x4xbf16>
}

// -----

func.func private @loss(%x: tensor<3x4xf32>, %t: tensor<3xi32>) -> tensor<f32> {
  %0 = graph.cross_entropy %x, %t
      : tensor<3x4xf32>, tensor<3xi32> to tensor<3xf32>
  %1 = graph.reduce sum, %0 dims = [0] : tensor<3xf32> to tensor<f32>
  return %1 : tensor<f32>
}
// CHECK-LABEL: func @cross_entropy(
// CHECK:         graph.log
// CHECK-NOT:     graph.log
// CHECK:         return
func.func @cross_entropy(%x: tensor<3x4xf32>, %t: tensor<3xi32>)
    -> (tensor<f32>, tensor<3x4xf32>) {
  %0:2 = graph.value_and_grad @loss(%x, %t) wrt = [0]
      : (tensor<3x4xf32>, tensor<3xi32>) -> (tensor<f32>, tensor<3x4xf32>)
  return %0#0, %0#1 : tensor<f32>, tensor<3x4xf32>
}
