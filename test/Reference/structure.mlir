// Calls and fusion regions.
//
// RUN: graph-interpret %s --entry main --input x=3 | FileCheck %s

func.func private @double(%x: tensor<f32>) -> tensor<f32> {
  %0 = graph.add %x, %x : tensor<f32>
  return %0 : tensor<f32>
}

// CHECK:      fused: tensor<f32>
// CHECK-NEXT: 36
// CHECK-NEXT: result1: tensor<f32>
// CHECK-NEXT: 6
func.func @main(%x: tensor<f32> {graph.name = "x"}) -> (
    tensor<f32> {graph.name = "fused"}, tensor<f32>) {
  %0 = call @double(%x) : (tensor<f32>) -> tensor<f32>
  %1:2 = graph.fusion(%0) : (tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  ^bb0(%a: tensor<f32>):
    %2 = graph.mul %a, %a : tensor<f32>
    graph.yield %2, %a : tensor<f32>, tensor<f32>
  }
  return %1#0, %1#1 : tensor<f32>, tensor<f32>
}
