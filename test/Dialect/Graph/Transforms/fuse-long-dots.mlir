// A long product is the library's, whatever its operands are computed from. (Too
// long to be interpreted.)
// RUN: graph-opt %s --graph-fuse=target=cuda:sm_80 | FileCheck %s

// CHECK-LABEL: func.func @long
// CHECK: %[[E:.*]] = graph.fusion(%arg0)
// CHECK: graph.exp
// CHECK: graph.dot %[[E]], %arg1
func.func @long(%x: tensor<2048x2048xf32>, %w: tensor<2048x2048xf32>) -> tensor<2048x2048xf32> {
  %0 = graph.exp %x : tensor<2048x2048xf32>
  %1 = graph.dot %0, %w batch = [] x [] contract = [1] x [0] : (tensor<2048x2048xf32>, tensor<2048x2048xf32>) to tensor<2048x2048xf32>
  return %1 : tensor<2048x2048xf32>
}
