// RUN: graph-opt %s --graph-prepare-dots --split-input-file | FileCheck %s

// A dot on plain tensors stays alone, in every form of dimensions.
// CHECK-LABEL: @plain
// CHECK-NOT:     graph.fusion
// CHECK:         graph.dot
func.func @plain(%a: tensor<2x3x4xf32>, %b: tensor<2x5x4xf32>) -> tensor<2x3x5xf32> {
  %0 = graph.dot %a, %b batch = [0] x [0] contract = [2] x [2] : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) to tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}

// -----

// Neither operand of attention's products, nor its result, is moved.
// CHECK-LABEL: @attention
// CHECK-SAME:    %[[QKV:.*]]: tensor<2x16x96xf32>
func.func @attention(%qkv: tensor<2x16x96xf32>, %p: tensor<2x4x16x16xf32>)
    -> (tensor<2x4x16x16xf32>, tensor<2x16x32xf32>) {
  // CHECK:       graph.reshape %[[QKV]]
  // CHECK:       %[[S:.*]] = graph.fusion(%[[SPLIT:.*]]) : (tensor<2x16x3x4x8xf32>)
  // CHECK:         graph.slice
  // CHECK:         graph.transpose
  // CHECK:         graph.dot
  // CHECK-NEXT:    graph.yield
  // CHECK:       %[[O:.*]] = graph.fusion(%{{.*}}, %{{.*}}) : (tensor<2x4x16x16xf32>, tensor<2x16x3x4x8xf32>) -> tensor<2x16x4x8xf32>
  // CHECK:         %[[D:.*]] = graph.dot
  // CHECK-NEXT:    graph.transpose %[[D]]
  // CHECK-NEXT:    graph.yield
  // CHECK:       %[[FLAT:.*]] = graph.reshape %[[O]]
  // CHECK-NEXT:  return %[[S]], %[[FLAT]]
  %0 = graph.reshape %qkv : tensor<2x16x96xf32> to tensor<2x16x3x4x8xf32>
  %1 = graph.slice %0 starts = [0, 0, 0, 0, 0] limits = [2, 16, 1, 4, 8] strides = [1, 1, 1, 1, 1] : tensor<2x16x3x4x8xf32> to tensor<2x16x1x4x8xf32>
  %2 = graph.reshape %1 : tensor<2x16x1x4x8xf32> to tensor<2x16x4x8xf32>
  %q = graph.transpose %2 perm = [0, 2, 1, 3] : tensor<2x16x4x8xf32> to tensor<2x4x16x8xf32>
  %4 = graph.slice %0 starts = [0, 0, 1, 0, 0] limits = [2, 16, 2, 4, 8] strides = [1, 1, 1, 1, 1] : tensor<2x16x3x4x8xf32> to tensor<2x16x1x4x8xf32>
  %5 = graph.reshape %4 : tensor<2x16x1x4x8xf32> to tensor<2x16x4x8xf32>
  %k = graph.transpose %5 perm = [0, 2, 1, 3] : tensor<2x16x4x8xf32> to tensor<2x4x16x8xf32>
  %s = graph.dot %q, %k batch = [0, 1] x [0, 1] contract = [3] x [3] : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) to tensor<2x4x16x16xf32>
  %o = graph.dot %p, %k batch = [0, 1] x [0, 1] contract = [3] x [2] : (tensor<2x4x16x16xf32>, tensor<2x4x16x8xf32>) to tensor<2x4x16x8xf32>
  %6 = graph.transpose %o perm = [0, 2, 1, 3] : tensor<2x4x16x8xf32> to tensor<2x16x4x8xf32>
  %7 = graph.reshape %6 : tensor<2x16x4x8xf32> to tensor<2x16x32xf32>
  return %s, %7 : tensor<2x4x16x16xf32>, tensor<2x16x32xf32>
}

// -----

// Contracted dimensions that do not nest in one operand: it is copied.
// CHECK-LABEL: @copied_operand
// CHECK-SAME:    %[[A:.*]]: tensor<4x3x5xf32>
// CHECK:         %[[COPY:.*]] = graph.transpose %[[A]] perm = [1, 0, 2]
// CHECK:         graph.fusion(%[[COPY]], %{{.*}})
// CHECK-NEXT:    ^bb0(%[[IN:.*]]: tensor<3x4x5xf32>
// CHECK-NEXT:      graph.transpose %[[IN]] perm = [1, 0, 2]
// CHECK-NEXT:      graph.dot
func.func @copied_operand(%a: tensor<4x3x5xf32>, %b: tensor<4x5x7xf32>) -> tensor<3x7xf32> {
  %0 = graph.dot %a, %b batch = [] x [] contract = [0, 2] x [0, 1] : (tensor<4x3x5xf32>, tensor<4x5x7xf32>) to tensor<3x7xf32>
  return %0 : tensor<3x7xf32>
}

// -----

// No view with a batch dimension innermost: it has no unit stride.
// CHECK-LABEL: @result_not_a_view
// CHECK:         graph.dot
// CHECK-NEXT:    graph.transpose
func.func @result_not_a_view(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) -> tensor<3x5x2xf32> {
  %0 = graph.dot %a, %b batch = [0] x [0] contract = [2] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) to tensor<2x3x5xf32>
  %1 = graph.transpose %0 perm = [1, 2, 0] : tensor<2x3x5xf32> to tensor<3x5x2xf32>
  return %1 : tensor<3x5x2xf32>
}

// -----

// A repeated row is a matrix without a leading dimension: it is written out.
// CHECK-LABEL: @broadcast_operand
// CHECK:         %[[B:.*]] = graph.broadcast
// CHECK-NEXT:    graph.dot %[[B]]
func.func @broadcast_operand(%a: tensor<4xf32>, %b: tensor<4x5xf32>) -> tensor<3x5xf32> {
  %0 = graph.broadcast %a dims = [1] : tensor<4xf32> to tensor<3x4xf32>
  %1 = graph.dot %0, %b batch = [] x [] contract = [1] x [0] : (tensor<3x4xf32>, tensor<4x5xf32>) to tensor<3x5xf32>
  return %1 : tensor<3x5xf32>
}

// -----

// CHECK-LABEL: @vectors
// CHECK-NOT:     graph.fusion
func.func @vectors(%a: tensor<4xf32>, %b: tensor<4xf32>, %s: tensor<f32>) -> (tensor<f32>, tensor<4x4xf32>, tensor<4xf32>, tensor<f32>) {
  %0 = graph.dot %a, %b batch = [] x [] contract = [0] x [0] : (tensor<4xf32>, tensor<4xf32>) to tensor<f32>
  %1 = graph.dot %a, %b batch = [] x [] contract = [] x [] : (tensor<4xf32>, tensor<4xf32>) to tensor<4x4xf32>
  %2 = graph.dot %a, %b batch = [0] x [0] contract = [] x [] : (tensor<4xf32>, tensor<4xf32>) to tensor<4xf32>
  %3 = graph.dot %s, %s batch = [] x [] contract = [] x [] : (tensor<f32>, tensor<f32>) to tensor<f32>
  return %0, %1, %2, %3 : tensor<f32>, tensor<4x4xf32>, tensor<4xf32>, tensor<f32>
}

// -----

// CHECK-LABEL: @empty
// CHECK-NOT:     graph.dot
// CHECK:         graph.constant dense<0.000000e+00> : tensor<3x5xf32>
func.func @empty(%a: tensor<3x0xf32>, %b: tensor<0x5xf32>) -> tensor<3x5xf32> {
  %0 = graph.dot %a, %b batch = [] x [] contract = [1] x [0] : (tensor<3x0xf32>, tensor<0x5xf32>) to tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
