// Where the target has kernels for dots, what follows a dot joins it.
// RUN: graph-opt %s --graph-fuse=target=cuda:sm_80 | FileCheck %s
// RUN: graph-opt %s --graph-fuse=target=cuda:sm_80 --verify-semantics
// RUN: graph-opt %s --graph-fuse | FileCheck %s --check-prefix=CPU

// CHECK-LABEL: func.func @bias
// CHECK: %[[R:.*]] = graph.fusion(%arg0, %arg1, %arg2)
// CHECK: graph.dot
// CHECK: graph.broadcast
// CHECK: graph.add
// CHECK: graph.yield
// CHECK: return %[[R]]
// CPU-LABEL: func.func @bias
// CPU: graph.dot %arg0, %arg1
// CPU: graph.fusion
func.func @bias(%x: tensor<64x32xf32>, %w: tensor<32x16xf32>, %b: tensor<16xf32>) -> tensor<64x16xf32> {
  %0 = graph.dot %x, %w batch = [] x [] contract = [1] x [0] : (tensor<64x32xf32>, tensor<32x16xf32>) to tensor<64x16xf32>
  %1 = graph.broadcast %b dims = [1] : tensor<16xf32> to tensor<64x16xf32>
  %2 = graph.add %0, %1 : tensor<64x16xf32>
  return %2 : tensor<64x16xf32>
}

// A dot that reads through views stays one operation in the fusion.
// CHECK-LABEL: func.func @views
// CHECK: graph.fusion(%arg0, %arg1)
// CHECK: %[[D:.*]] = graph.fusion
// CHECK: graph.transpose
// CHECK: graph.dot
// CHECK: graph.exp %[[D]]
func.func @views(%x: tensor<32x64xf32>, %w: tensor<32x16xf32>) -> tensor<64x16xf32> {
  %0 = graph.fusion(%x, %w) : (tensor<32x64xf32>, tensor<32x16xf32>) -> tensor<64x16xf32> {
  ^bb0(%a: tensor<32x64xf32>, %b: tensor<32x16xf32>):
    %2 = graph.transpose %a perm = [1, 0] : tensor<32x64xf32> to tensor<64x32xf32>
    %3 = graph.dot %2, %b batch = [] x [] contract = [1] x [0] : (tensor<64x32xf32>, tensor<32x16xf32>) to tensor<64x16xf32>
    graph.yield %3 : tensor<64x16xf32>
  }
  %1 = graph.exp %0 : tensor<64x16xf32>
  return %1 : tensor<64x16xf32>
}

// The second dot needs the first one's results in memory, with relu applied.
// CHECK-LABEL: func.func @two
// CHECK: %[[H:.*]] = graph.fusion(%arg0, %arg1)
// CHECK: graph.dot
// CHECK: graph.max
// CHECK: graph.dot %[[H]], %arg2
func.func @two(%x: tensor<64x32xf32>, %v: tensor<32x16xf32>, %w: tensor<16x8xf32>) -> tensor<64x8xf32> {
  %zero = graph.constant dense<0.0> : tensor<64x16xf32>
  %0 = graph.dot %x, %v batch = [] x [] contract = [1] x [0] : (tensor<64x32xf32>, tensor<32x16xf32>) to tensor<64x16xf32>
  %1 = graph.max %0, %zero : tensor<64x16xf32>
  %2 = graph.dot %1, %w batch = [] x [] contract = [1] x [0] : (tensor<64x16xf32>, tensor<16x8xf32>) to tensor<64x8xf32>
  return %2 : tensor<64x8xf32>
}

// The gradient of a bias is summed up where the product for that of the weights
// reads the same matrix, not with the other product that reads it.
// CHECK-LABEL: func.func @bias_gradient
// CHECK: graph.dot %arg1, %arg2
// CHECK: graph.fusion(%arg1, %arg0)
// CHECK: graph.reduce
// CHECK: graph.dot
// CHECK: graph.yield
func.func @bias_gradient(%x: tensor<64x32xf32>, %dy: tensor<64x16xf32>, %w: tensor<32x16xf32>) -> (tensor<16xf32>, tensor<64x32xf32>, tensor<32x16xf32>) {
  %0 = graph.reduce sum, %dy dims = [0] : tensor<64x16xf32> to tensor<16xf32>
  %1 = graph.dot %dy, %w batch = [] x [] contract = [1] x [1] : (tensor<64x16xf32>, tensor<32x16xf32>) to tensor<64x32xf32>
  %2 = graph.dot %x, %dy batch = [] x [] contract = [0] x [0] : (tensor<64x32xf32>, tensor<64x16xf32>) to tensor<32x16xf32>
  return %0, %1, %2 : tensor<16xf32>, tensor<64x32xf32>, tensor<32x16xf32>
}

// A dot does not share its kernel with another reduction.
// CHECK-LABEL: func.func @reduce
// CHECK: %[[D:.*]] = graph.dot
// CHECK: graph.fusion(%[[D]])
// CHECK: graph.reduce
func.func @reduce(%x: tensor<64x32xf32>, %w: tensor<32x16xf32>) -> tensor<64xf32> {
  %0 = graph.dot %x, %w batch = [] x [] contract = [1] x [0] : (tensor<64x32xf32>, tensor<32x16xf32>) to tensor<64x16xf32>
  %1 = graph.reduce sum, %0 dims = [1] : tensor<64x16xf32> to tensor<64xf32>
  return %1 : tensor<64xf32>
}

// An operand that only the dot reads is computed by the dot's kernel, where a
// launch costs more than the library would save.
// CHECK-LABEL: func.func @prologue
// CHECK: %[[R:.*]] = graph.fusion(%arg0, %arg1)
// CHECK: graph.exp
// CHECK: graph.dot
// CHECK: graph.yield
// CHECK: return %[[R]]
// CPU-LABEL: func.func @prologue
// CPU: %[[E:.*]] = graph.fusion(%arg0)
// CPU: graph.dot %[[E]], %arg1
func.func @prologue(%x: tensor<64x32xf32>, %w: tensor<32x16xf32>) -> tensor<64x16xf32> {
  %0 = graph.exp %x : tensor<64x32xf32>
  %1 = graph.dot %0, %w batch = [] x [] contract = [1] x [0] : (tensor<64x32xf32>, tensor<32x16xf32>) to tensor<64x16xf32>
  return %1 : tensor<64x16xf32>
}

// What a result of the function is lies in memory, where the dot reads it.
// CHECK-LABEL: func.func @shared
// CHECK: %[[E:.*]] = graph.fusion(%arg0)
// CHECK: graph.exp
// CHECK: graph.dot %[[E]], %arg1
func.func @shared(%x: tensor<64x32xf32>, %w: tensor<32x16xf32>) -> (tensor<64x32xf32>, tensor<64x16xf32>) {
  %0 = graph.exp %x : tensor<64x32xf32>
  %1 = graph.dot %0, %w batch = [] x [] contract = [1] x [0] : (tensor<64x32xf32>, tensor<32x16xf32>) to tensor<64x16xf32>
  return %0, %1 : tensor<64x32xf32>, tensor<64x16xf32>
}

// So does what two dots read.
// CHECK-LABEL: func.func @twice
// CHECK: %[[E:.*]] = graph.fusion(%arg0)
// CHECK: graph.exp
// CHECK-NOT: graph.exp
// CHECK: return
func.func @twice(%x: tensor<64x32xf32>, %v: tensor<32x16xf32>, %w: tensor<32x24xf32>) -> (tensor<64x16xf32>, tensor<64x24xf32>) {
  %0 = graph.exp %x : tensor<64x32xf32>
  %1 = graph.dot %0, %v batch = [] x [] contract = [1] x [0] : (tensor<64x32xf32>, tensor<32x16xf32>) to tensor<64x16xf32>
  %2 = graph.dot %0, %w batch = [] x [] contract = [1] x [0] : (tensor<64x32xf32>, tensor<32x24xf32>) to tensor<64x24xf32>
  return %1, %2 : tensor<64x16xf32>, tensor<64x24xf32>
}

// A dot that is the only one of its group still computes what its kernel holds.
// CHECK-LABEL: func.func @splat
// CHECK-NEXT: graph.fusion(%arg0)
// CHECK: graph.constant dense<2.000000e+00>
// CHECK-NEXT: graph.dot
func.func @splat(%x: tensor<64x32xf32>) -> tensor<64x16xf32> {
  %0 = graph.constant dense<2.0> : tensor<32x16xf32>
  %1 = graph.dot %x, %0 batch = [] x [] contract = [1] x [0] : (tensor<64x32xf32>, tensor<32x16xf32>) to tensor<64x16xf32>
  return %1 : tensor<64x16xf32>
}
