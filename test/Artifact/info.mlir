// The artifact says what the module was: signatures, states, where commands
// come from, the source.
//
// RUN: graph-compile %s -o %t.gx
// RUN: graph-run info %t.gx | FileCheck %s
// RUN: grep -a "info.mlir:[0-9]*: add" %t.gx
// RUN: grep -a "info.mlir:[0-9]*: dot" %t.gx
// RUN: grep -a "The artifact says what the module was" %t.gx

// CHECK: for cpu
// CHECK: constants {{ *}}64 B
// CHECK: source
// CHECK: states: 1, 64 B
// CHECK: w {{ *}}tensor<4x4xf32>
// CHECK: step(x: tensor<2x4xf32>) -> (y: tensor<2x4xf32>)
// CHECK: 2 steps
// CHECK: reads {{ *}}1 of 1 states: w
// CHECK: writes {{ *}}1 of 1 states: w
func.func @step(%w: tensor<4x4xf32> {graph.name = "w", graph.state},
                %x: tensor<2x4xf32> {graph.name = "x"})
    -> (tensor<4x4xf32> {graph.name = "w", graph.state}, tensor<2x4xf32> {graph.name = "y"}) {
  %c = graph.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [1.5, 2.5, 3.5, 4.5], [0.0, 1.0, 0.0, 1.0]]> : tensor<4x4xf32>
  %0 = graph.dot %x, %w batch = [] x [] contract = [1] x [0]
      : (tensor<2x4xf32>, tensor<4x4xf32>) to tensor<2x4xf32>
  %1 = graph.add %w, %c : tensor<4x4xf32>
  return %1, %0 : tensor<4x4xf32>, tensor<2x4xf32>
}
