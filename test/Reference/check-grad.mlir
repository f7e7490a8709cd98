// RUN: graph-interpret %s --entry loss --check-grad --random-inputs 1 | FileCheck %s
// RUN: graph-interpret %s --entry loss --check-grad --random-inputs 1 --wrt b | FileCheck %s --check-prefix=WRT
// RUN: graph-interpret %s --entry step --input w=3 | FileCheck %s --check-prefix=STEP
// RUN: not graph-interpret %s --entry loss --check-grad --random-inputs 1 --tolerance 1e-30 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not graph-interpret %s --entry loss --check-grad --random-inputs 1 --wrt t 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not graph-interpret %s --entry iota --check-grad 2>&1 | FileCheck %s --check-prefix=NOARG
// RUN: not graph-interpret %s --entry vector --check-grad --random-inputs 1 2>&1 | FileCheck %s --check-prefix=SCALAR

// CHECK: W: tensor<3x70xf32>: checked 64 of 210 elements, largest error {{.*}} at [{{[0-9]+, [0-9]+}}]: derivative {{.*}}, difference
// CHECK: b: tensor<70xf32>: checked 64 of 70 elements
// CHECK-NOT: t:
// WRT-NOT: W:
// WRT: b:
// WRONG: error: the gradient of @loss is wrong: an error is above 1e-30
// NAME: error: --wrt: 't' is not a floating-point argument, expected one of: W, b
func.func @loss(%W: tensor<3x70xf32> {graph.name = "W"},
                %b: tensor<70xf32> {graph.name = "b"},
                %t: tensor<3xi32> {graph.name = "t"}) -> tensor<f32> {
  %0 = graph.broadcast %b dims = [1] : tensor<70xf32> to tensor<3x70xf32>
  %1 = graph.mul %W, %0 : tensor<3x70xf32>
  %2 = graph.cross_entropy %1, %t : tensor<3x70xf32>, tensor<3xi32> to tensor<3xf32>
  %3 = graph.reduce sum, %2 dims = [0] : tensor<3xf32> to tensor<f32>
  return %3 : tensor<f32>
}

// value_and_grad is expanded before the function is interpreted.
func.func private @square(%w: tensor<f32>) -> tensor<f32> {
  %0 = graph.mul %w, %w : tensor<f32>
  return %0 : tensor<f32>
}
// STEP: result0: tensor<f32>
// STEP-NEXT: 6
func.func @step(%w: tensor<f32> {graph.name = "w"}) -> tensor<f32> {
  %0:2 = graph.value_and_grad @square(%w) wrt = [0] : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#1 : tensor<f32>
}

// NOARG: error: --check-grad: @iota has no floating-point argument
func.func @iota() -> tensor<3xf32> {
  %0 = graph.iota dim = 0 : tensor<3xf32>
  return %0 : tensor<3xf32>
}
// SCALAR: error: 'graph.value_and_grad' op found results ('tensor<3xf32>') of @vector, expected a floating-point scalar first
func.func @vector(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
