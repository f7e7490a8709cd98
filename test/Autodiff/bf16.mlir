// bf16: formulas of several steps and sums are in f32 and rounded once, matrix
// products stay bf16.
// RUN: graph-opt %s --graph-autodiff --split-input-file | FileCheck %s

func.func private @logistic(%x: tensor<4xbf16>) -> tensor<bf16> {
  %0 = graph.logistic %x : tensor<4xbf16>
  %1 = graph.reduce sum, %0 dims = [0] : tensor<4xbf16> to tensor<bf16>
  return %1 : tensor<bf16>
}
// CHECK-LABEL: func @elementwise(
// CHECK:         %[[Y:.*]] = graph.logistic
// CHECK:         graph.constant dense<1.0{{.*}}> : tensor<bf16>
// CHECK:         %[[G:.*]] = graph.cast %{{.*}} to tensor<4xf32>
// CHECK:         %[[WIDE:.*]] = graph.cast %[[Y]] : tensor<4xbf16> to tensor<4xf32>
// CHECK-NOT:     bf16
// CHECK:         %[[SLOPE:.*]] = graph.mul %{{.*}} : tensor<4xf32>
// CHECK:         %[[DX:.*]] = graph.mul %[[G]], %[[SLOPE]] : tensor<4xf32>
// CHECK:         graph.cast %[[DX]] : tensor<4xf32> to tensor<4xbf16>
func.func @elementwise(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %0:2 = graph.value_and_grad @logistic(%x) wrt = [0]
      : (tensor<4xbf16>) -> (tensor<bf16>, tensor<4xbf16>)
  return %0#1 : tensor<4xbf16>
}

// -----

func.func private @lookup(%x: tensor<4x2xbf16>, %i: tensor<9xi64>)
    -> tensor<bf16> {
  %0 = graph.gather fill %x[%i]
      : tensor<4x2xbf16>[tensor<9xi64>] to tensor<9x2xbf16>
  %1 = graph.reduce sum, %0 dims = [0, 1] : tensor<9x2xbf16> to tensor<bf16>
  return %1 : tensor<bf16>
}
// CHECK-LABEL: func @gather(
// CHECK:         %[[SUM:.*]] = graph.scatter_add fill
// CHECK-SAME:      to tensor<4x2xf32>
// CHECK-NEXT:    graph.cast %[[SUM]] : tensor<4x2xf32> to tensor<4x2xbf16>
func.func @gather(%x: tensor<4x2xbf16>, %i: tensor<9xi64>)
    -> tensor<4x2xbf16> {
  %0:2 = graph.value_and_grad @lookup(%x, %i) wrt = [0]
      : (tensor<4x2xbf16>, tensor<9xi64>) -> (tensor<bf16>, tensor<4x2xbf16>)
  return %0#1 : tensor<4x2xbf16>
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
// CHECK:         graph.constant dense<1.0{{.*}}> : tensor<bf16>
// CHECK:         graph.rsqrt %{{.*}} : tensor<3x1xf32>
// CHECK:         graph.cast %{{.*}} : tensor<3x4xf32> to tensor<3x4xbf16>
// CHECK:         graph.reduce sum, %{{.*}} dims = [0] : tensor<3x4xf32> to tensor<4xf32>
// CHECK-NEXT:    graph.cast %{{.*}} : tensor<4xf32> to tensor<4xbf16>
func.func @layer_norm(%x: tensor<3x4xbf16>, %s: tensor<4xbf16>)
    -> (tensor<3x4xbf16>, tensor<4xbf16>) {
  %0:3 = graph.value_and_grad @norm(%x, %s) wrt = [0, 1]
      : (tensor<3x4xbf16>, tensor<4xbf16>)
      -> (tensor<bf16>, tensor<3x4xbf16>, tensor<4xbf16>)
  return %0#1, %0#2 : tensor<3x4xbf16>, tensor<4xbf16>
}

// -----

func.func private @attend(%q: tensor<3x2xbf16>) -> tensor<bf16> {
  %0, %lse = graph.attention %q, %q, %q scale = 0.5
      : (tensor<3x2xbf16>, tensor<3x2xbf16>, tensor<3x2xbf16>)
      to tensor<3x2xbf16>
  %1 = graph.reduce sum, %0 dims = [0, 1] : tensor<3x2xbf16> to tensor<bf16>
  return %1 : tensor<bf16>
}
// CHECK-LABEL: func @attention(
// CHECK:         graph.constant dense<1.0{{.*}}> : tensor<bf16>
// CHECK:         graph.attention_grad {{.*}} : (tensor<3x2xbf16>
// CHECK:         graph.add
func.func @attention(%q: tensor<3x2xbf16>) -> tensor<3x2xbf16> {
  %0:2 = graph.value_and_grad @attend(%q) wrt = [0]
      : (tensor<3x2xbf16>) -> (tensor<bf16>, tensor<3x2xbf16>)
  return %0#1 : tensor<3x2xbf16>
}
