// RUN: graph-opt %s --graph-open-integer-dots --verify-semantics | FileCheck %s

// CHECK-LABEL: @batched
// CHECK: %[[L:.*]] = graph.broadcast {{.*}} dims = [0, 1, 3] : tensor<2x3x5xi32> to tensor<2x3x4x5xi32>
// CHECK: %[[R:.*]] = graph.broadcast {{.*}} dims = [0, 2, 3] : tensor<2x4x5xi32> to tensor<2x3x4x5xi32>
// CHECK: %[[P:.*]] = graph.mul %[[L]], %[[R]]
// CHECK: graph.reduce sum, %[[P]] dims = [3]
func.func @batched(%x: tensor<2x3x5xi32>, %y: tensor<2x5x4xi32>) -> tensor<2x3x4xi32> {
  %0 = graph.dot %x, %y batch = [0] x [0] contract = [2] x [1] : (tensor<2x3x5xi32>, tensor<2x5x4xi32>) to tensor<2x3x4xi32>
  return %0 : tensor<2x3x4xi32>
}

// CHECK-LABEL: @outer
// CHECK: graph.mul
// CHECK-NOT: graph.dot
func.func @outer(%x: tensor<3xi8>, %y: tensor<4xi8>) -> tensor<3x4xi8> {
  %0 = graph.dot %x, %y batch = [] x [] contract = [] x [] : (tensor<3xi8>, tensor<4xi8>) to tensor<3x4xi8>
  return %0 : tensor<3x4xi8>
}

// CHECK-LABEL: @floats
// CHECK: graph.dot
func.func @floats(%x: tensor<3x4xf32>, %y: tensor<4x5xf32>) -> tensor<3x5xf32> {
  %0 = graph.dot %x, %y batch = [] x [] contract = [1] x [0] : (tensor<3x4xf32>, tensor<4x5xf32>) to tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
