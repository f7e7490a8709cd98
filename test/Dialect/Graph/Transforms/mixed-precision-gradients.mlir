// The derivatives of what the pass makes are those of differences: through
// casts in both directions, a bias, a shared operand, attention and a norm; and
// through a derivative inside.

// RUN: graph-opt %s --inline --graph-mixed-precision \
// RUN:   | graph-interpret --entry network --check-grad --random-inputs 1 | FileCheck %s
// RUN: graph-opt %s --inline --graph-mixed-precision --graph-autodiff --inline \
// RUN:   | graph-interpret --entry nested --check-grad --random-inputs 1 | FileCheck %s
// CHECK: largest error

func.func @network(%x: tensor<5x4xf32> {graph.name = "x"}, %w: tensor<4x4xf32> {graph.name = "w"},
                   %b: tensor<4xf32> {graph.name = "b"}) -> tensor<f32> {
  %0 = graph.dot %x, %w batch = [] x [] contract = [1] x [0] : (tensor<5x4xf32>, tensor<4x4xf32>) to tensor<5x4xf32>
  %1 = graph.broadcast %b dims = [1] : tensor<4xf32> to tensor<5x4xf32>
  %2 = graph.add %0, %1 : tensor<5x4xf32>
  %3 = graph.gelu tanh, %2 : tensor<5x4xf32>
  %4, %lse = graph.attention causal %3, %x, %3 scale = 0.5 : (tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>) to tensor<5x4xf32>
  %5 = graph.add %4, %x : tensor<5x4xf32>
  %6 = graph.layer_norm %5, %b, %b epsilon = 1.0e-3 : tensor<5x4xf32>, tensor<4xf32>
  %7 = graph.dot %6, %w batch = [] x [] contract = [1] x [1] : (tensor<5x4xf32>, tensor<4x4xf32>) to tensor<5x4xf32>
  %8 = graph.log_softmax %7 dim = 1 : tensor<5x4xf32>
  %9 = graph.mul %8, %8 : tensor<5x4xf32>
  %10 = graph.reduce sum, %9 dims = [0, 1] : tensor<5x4xf32> to tensor<f32>
  return %10 : tensor<f32>
}

func.func private @inner(%x: tensor<3x3xf32>) -> tensor<f32> {
  %0 = graph.dot %x, %x batch = [] x [] contract = [1] x [0] : (tensor<3x3xf32>, tensor<3x3xf32>) to tensor<3x3xf32>
  %1 = graph.tanh %0 : tensor<3x3xf32>
  %2 = graph.reduce sum, %1 dims = [0, 1] : tensor<3x3xf32> to tensor<f32>
  return %2 : tensor<f32>
}
func.func private @penalty(%x: tensor<3x3xf32>) -> tensor<f32> {
  %0:2 = graph.value_and_grad @inner(%x) wrt = [0] : (tensor<3x3xf32>) -> (tensor<f32>, tensor<3x3xf32>)
  %1 = graph.dot %0#1, %x batch = [] x [] contract = [0, 1] x [1, 0] : (tensor<3x3xf32>, tensor<3x3xf32>) to tensor<f32>
  return %1 : tensor<f32>
}
func.func @nested(%x: tensor<3x3xf32> {graph.name = "x"}) -> tensor<f32> {
  %0:2 = graph.value_and_grad @penalty(%x) wrt = [0] : (tensor<3x3xf32>) -> (tensor<f32>, tensor<3x3xf32>)
  %1 = graph.mul %0#1, %0#1 : tensor<3x3xf32>
  %2 = graph.reduce sum, %1 dims = [0, 1] : tensor<3x3xf32> to tensor<f32>
  return %2 : tensor<f32>
}
