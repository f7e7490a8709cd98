// Expected values from NumPy and SciPy.
//
// RUN: graph-interpret %s | FileCheck %s

func.func @main() -> (
    tensor<4xf32> {graph.name = "relu"}, tensor<5xf32> {graph.name = "silu"},
    tensor<5xf32> {graph.name = "gelu_erf"}, tensor<5xf32> {graph.name = "gelu_tanh"},
    tensor<2x3xf32> {graph.name = "softmax_rows"},
    tensor<2x3xf32> {graph.name = "softmax_columns"},
    tensor<2x3xf32> {graph.name = "log_softmax"},
    tensor<2xf32> {graph.name = "softmax_large"},
    tensor<2x3xf32> {graph.name = "layer_norm"},
    tensor<4xf32> {graph.name = "cross_entropy"}) {
  %v = graph.constant dense<[-3.0, -1.5, 0.0, 0.5, 2.0]> : tensor<5xf32>
  %x = graph.constant dense<[[1.0, 2.0, 4.0], [-1.0, 0.0, 3.0]]> : tensor<2x3xf32>
  // CHECK:      relu:
  // CHECK-NEXT: [0, 0, 2, nan]
  %n = graph.constant dense<[-1.0, 0.0, 2.0, 0x7FC00000]> : tensor<4xf32>
  %relu = graph.relu %n : tensor<4xf32>
  // CHECK:      silu:
  // CHECK-NEXT: [-0.142278, -0.273638, 0, 0.31123, 1.76159]
  %silu = graph.silu %v : tensor<5xf32>
  // CHECK:      gelu_erf:
  // CHECK-NEXT: [-0.00404969, -0.100211, 0, 0.345731, 1.9545]
  %gelu_erf = graph.gelu erf, %v : tensor<5xf32>
  // CHECK:      gelu_tanh:
  // CHECK-NEXT: [-0.00363739, -0.100428, 0, 0.345714, 1.9546]
  %gelu_tanh = graph.gelu tanh, %v : tensor<5xf32>
  // CHECK:      softmax_rows:
  // CHECK-NEXT: {{\[\[}}0.0420101, 0.114195, 0.843795],
  // CHECK-NEXT: [0.0171478, 0.0466126, 0.93624]]
  %softmax_rows = graph.softmax %x dim = 1 : tensor<2x3xf32>
  // CHECK:      softmax_columns:
  // CHECK-NEXT: {{\[\[}}0.880797, 0.880797, 0.731059],
  // CHECK-NEXT: [0.119203, 0.119203, 0.268941]]
  %softmax_columns = graph.softmax %x dim = 0 : tensor<2x3xf32>
  // CHECK:      log_softmax:
  // CHECK-NEXT: {{\[\[}}-3.16985, -2.16985, -0.169846],
  // CHECK-NEXT: [-4.06588, -3.06588, -0.0658839]]
  %log_softmax = graph.log_softmax %x dim = 1 : tensor<2x3xf32>
  // CHECK:      softmax_large:
  // CHECK-NEXT: [0.5, 0.5]
  %large = graph.constant dense<1.0e4> : tensor<2xf32>
  %softmax_large = graph.softmax %large dim = 0 : tensor<2xf32>
  // CHECK:      layer_norm:
  // CHECK-NEXT: {{\[\[}}-0.565625, -0.532813, -0.332032],
  // CHECK-NEXT: [-0.478888, -0.78311, -0.370443]]
  %scale = graph.constant dense<[1.0, 2.0, -1.0]> : tensor<3xf32>
  %bias = graph.constant dense<[0.5, 0.0, 1.0]> : tensor<3xf32>
  %layer_norm = graph.layer_norm %x, %scale, %bias epsilon = 1.0e-2 : tensor<2x3xf32>, tensor<3xf32>

  // The last two targets are outside of the classes.
  // CHECK:      cross_entropy:
  // CHECK-NEXT: [0.169846, 4.06588, 0, 0]
  %logits = graph.concat %x, %x dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %targets = graph.constant dense<[2, 0, -1, 3]> : tensor<4xi32>
  %cross_entropy = graph.cross_entropy %logits, %targets : tensor<4x3xf32>, tensor<4xi32> to tensor<4xf32>
  return %relu, %silu, %gelu_erf, %gelu_tanh, %softmax_rows, %softmax_columns,
      %log_softmax, %softmax_large, %layer_norm, %cross_entropy
      : tensor<4xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>,
        tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xf32>,
        tensor<2x3xf32>, tensor<4xf32>
}
