// RUN: graph-opt %s --convert-graph-to-exec | FileCheck %s

// CHECK: exec.state @f_0 "f" : tensor<4xf32>
// CHECK: exec.constant @constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<4xf32>
// CHECK-NOT: exec.constant @
// CHECK: exec.state @w "w" : tensor<4xf32>

// A function and a state of the same name; unnamed arguments and results are
// numbered; equal bodies share a kernel, equal constants their data.
// CHECK-LABEL: exec.func @f(arg0: tensor<4xf32>) -> (result1: tensor<4xf32>, y: tensor<2x2xf32>)
func.func @f(%x: tensor<4xf32>, %s: tensor<4xf32> {graph.name = "f", graph.state})
    -> (tensor<4xf32> {graph.name = "f", graph.state}, tensor<4xf32>,
        tensor<2x2xf32> {graph.name = "y"}) {
  // CHECK: %[[X:.*]] = exec.input "arg0"
  // CHECK: %[[S:.*]] = exec.state_ref @f_0
  // CHECK: %[[NEW:.*]] = exec.state_ref @f_0
  // CHECK: %[[R:.*]] = exec.output "result1"
  // CHECK: %[[Y:.*]] = exec.output "y"
  // CHECK: %[[C:.*]] = exec.constant_ref @constant
  %c = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %d = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  // CHECK: exec.dispatch @kernels::@add_0[1] ins(%[[X]], %[[C]]) outs(%[[A:[0-9]+]]) in_place = {{\[\[}}0, 1]]
  %0 = graph.add %x, %c : tensor<4xf32>
  // CHECK: exec.dispatch @kernels::@add_0[1] ins(%[[S]], %{{.*}}) outs(%[[B:[0-9]+]])
  %1 = graph.fusion(%s, %d) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %r = graph.add %a, %b : tensor<4xf32>
    graph.yield %r : tensor<4xf32>
  }
  %2 = graph.reshape %0 : tensor<4xf32> to tensor<2x2xf32>
  // CHECK: exec.copy %[[B]] to %[[NEW]]
  // CHECK: exec.copy %[[A]] to %[[R]]
  // CHECK: exec.copy %[[A]] to %[[Y]]
  return %1, %0, %2 : tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>
}

// The old value of a state that is also a result is saved before the new one
// is written; a state that keeps its value is left alone.
// CHECK-LABEL: exec.func @old_value
func.func @old_value(%w: tensor<4xf32> {graph.name = "w", graph.state},
                     %f: tensor<4xf32> {graph.name = "f", graph.state},
                     %x: tensor<4xf32> {graph.name = "x"})
    -> (tensor<4xf32> {graph.name = "w", graph.state},
        tensor<4xf32> {graph.name = "f", graph.state},
        tensor<4xf32> {graph.name = "old"}) {
  // CHECK: %[[OLD:.*]] = exec.state_ref @w
  // CHECK: exec.input "x"
  // CHECK: exec.state_ref @w
  // CHECK: %[[OUT:.*]] = exec.output "old"
  // CHECK: exec.copy %[[OLD]] to %[[SAVED:.*]] :
  // CHECK: exec.copy %{{.*}} to %{{.*}} :
  // CHECK: exec.copy %[[SAVED]] to %[[OUT]]
  // CHECK-NOT: exec.copy
  return %x, %f, %w : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: exec.func @dot
func.func @dot(%a: tensor<2x3xf32>, %b: tensor<4x3xf32>) -> tensor<2x4xf32> {
  // CHECK: exec.gemm f32 batch = [] m = 2 n = 4 k = 3
  // CHECK-SAME: strides = [3, 1], %{{.*}} strides = [1, 3] into %{{.*}} strides = [4, 1]
  %0 = graph.dot %a, %b batch = [] x [] contract = [1] x [1]
      : (tensor<2x3xf32>, tensor<4x3xf32>) to tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// A large constant of one value is computed, not stored.
// CHECK-LABEL: exec.func @zeros
func.func @zeros() -> tensor<1024xf32> {
  // CHECK-NOT: exec.constant_ref
  // CHECK: exec.dispatch @kernels::@constant_0[{{.*}}] ins() outs(
  %0 = graph.constant dense<0.0> : tensor<1024xf32>
  return %0 : tensor<1024xf32>
}

// CHECK: module @kernels
// CHECK: func.func @add_0(
// CHECK-NOT: func.func @add_1
