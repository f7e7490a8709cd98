// The compiled function and the interpreter agree; a state is updated in place.
//
// RUN: graph-interpret %s --entry inputs --output x=%t.x.npy --output w=%t.w.npy
// RUN: graph-compile %s -o %t.gx
// RUN: graph-run call %t.gx f --input x=%t.x.npy --input w=%t.w.npy | FileCheck %s
// RUN: graph-interpret %s --entry f --input x=%t.x.npy --input w=%t.w.npy | FileCheck %s
// RUN: graph-run call %t.gx init --save-state %t.1.safetensors
// RUN: graph-run call %t.gx count --state %t.1.safetensors --save-state %t.2.safetensors | FileCheck %s --check-prefix=FIRST
// RUN: graph-run call %t.gx count --state %t.2.safetensors | FileCheck %s --check-prefix=SECOND
// RUN: not graph-run call %t.gx count 2>&1 | FileCheck %s --check-prefix=UNINITIALIZED

func.func @inputs() -> (tensor<4x6xf32> {graph.name = "x"}, tensor<6x3xf32> {graph.name = "w"}) {
  %0 = graph.iota dim = 1 : tensor<4x6xf32>
  %1 = graph.sin %0 : tensor<4x6xf32>
  %2 = graph.iota dim = 0 : tensor<6x3xf32>
  %3 = graph.iota dim = 1 : tensor<6x3xf32>
  %4 = graph.mul %2, %3 : tensor<6x3xf32>
  %5 = graph.cos %4 : tensor<6x3xf32>
  return %1, %5 : tensor<4x6xf32>, tensor<6x3xf32>
}

// CHECK: y: tensor<4x3xf32>
// CHECK: [0.34303{{[0-9]*}}, 0.3372{{[0-9]*}}, 0.3196{{[0-9]*}}]
func.func @f(%x: tensor<4x6xf32> {graph.name = "x"}, %w: tensor<6x3xf32> {graph.name = "w"})
    -> (tensor<4x3xf32> {graph.name = "y"}) {
  %0 = graph.dot %x, %w batch = [] x [] contract = [1] x [0]
      : (tensor<4x6xf32>, tensor<6x3xf32>) to tensor<4x3xf32>
  %1 = graph.softmax %0 dim = 1 : tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}

func.func @init() -> (tensor<2xf32> {graph.name = "n", graph.state}) {
  %0 = graph.constant dense<[1.0, 10.0]> : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// The result is the old value, the state the new one.
// FIRST: old: tensor<2xf32> = [1, 10]
// SECOND: old: tensor<2xf32> = [2, 11]
// UNINITIALIZED: error: function 'count' reads state 'n', which is not initialized
func.func @count(%n: tensor<2xf32> {graph.name = "n", graph.state})
    -> (tensor<2xf32> {graph.name = "n", graph.state}, tensor<2xf32> {graph.name = "old"}) {
  %one = graph.constant dense<1.0> : tensor<2xf32>
  %0 = graph.add %n, %one : tensor<2xf32>
  return %0, %n : tensor<2xf32>, tensor<2xf32>
}
