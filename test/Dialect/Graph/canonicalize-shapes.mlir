// RUN: graph-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @broadcast_of_broadcast
// CHECK-NEXT: graph.broadcast %arg0 dims = [2] : tensor<4xf32> to tensor<2x3x4xf32>
// CHECK-NEXT: return
func.func @broadcast_of_broadcast(%x: tensor<4xf32>) -> tensor<2x3x4xf32> {
  %0 = graph.broadcast %x dims = [1] : tensor<4xf32> to tensor<3x4xf32>
  %1 = graph.broadcast %0 dims = [1, 2] : tensor<3x4xf32> to tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// CHECK-LABEL: @broadcast_to_reshape
// CHECK-NEXT: graph.reshape %arg0 : tensor<4xf32> to tensor<1x4xf32>
// CHECK-NEXT: return
func.func @broadcast_to_reshape(%x: tensor<4xf32>) -> tensor<1x4xf32> {
  %0 = graph.broadcast %x dims = [1] : tensor<4xf32> to tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}

// CHECK-LABEL: @broadcast_of_unit_reshape
// CHECK-NEXT: graph.broadcast %arg0 dims = [1, 3] : tensor<2x3xf32> to tensor<5x2x1x3xf32>
// CHECK-NEXT: return
func.func @broadcast_of_unit_reshape(%x: tensor<2x3xf32>) -> tensor<5x2x1x3xf32> {
  %0 = graph.reshape %x : tensor<2x3xf32> to tensor<2x1x3xf32>
  %1 = graph.broadcast %0 dims = [1, 2, 3] : tensor<2x1x3xf32> to tensor<5x2x1x3xf32>
  return %1 : tensor<5x2x1x3xf32>
}

// A reshape that splits a dimension stays.
// CHECK-LABEL: @broadcast_of_split
// CHECK-NEXT: graph.reshape
// CHECK-NEXT: graph.broadcast
func.func @broadcast_of_split(%x: tensor<6xf32>) -> tensor<5x2x3xf32> {
  %0 = graph.reshape %x : tensor<6xf32> to tensor<2x3xf32>
  %1 = graph.broadcast %0 dims = [1, 2] : tensor<2x3xf32> to tensor<5x2x3xf32>
  return %1 : tensor<5x2x3xf32>
}

// CHECK-LABEL: @reshape_of_reshape
// CHECK-NEXT: graph.reshape %arg0 : tensor<2x6xf32> to tensor<4x3xf32>
// CHECK-NEXT: return
func.func @reshape_of_reshape(%x: tensor<2x6xf32>) -> tensor<4x3xf32> {
  %0 = graph.reshape %x : tensor<2x6xf32> to tensor<12xf32>
  %1 = graph.reshape %0 : tensor<12xf32> to tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}

// CHECK-LABEL: @reshape_of_scalar_broadcast
// CHECK-NEXT: graph.broadcast %arg0 dims = [] : tensor<f32> to tensor<4x3xf32>
// CHECK-NEXT: return
func.func @reshape_of_scalar_broadcast(%x: tensor<f32>) -> tensor<4x3xf32> {
  %0 = graph.broadcast %x dims = [] : tensor<f32> to tensor<12xf32>
  %1 = graph.reshape %0 : tensor<12xf32> to tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}

// CHECK-LABEL: @transpose_of_transpose
// CHECK-NEXT: graph.transpose %arg0 perm = [2, 0, 1] : tensor<2x3x4xf32> to tensor<4x2x3xf32>
// CHECK-NEXT: return
func.func @transpose_of_transpose(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %0 = graph.transpose %x perm = [1, 2, 0] : tensor<2x3x4xf32> to tensor<3x4x2xf32>
  %1 = graph.transpose %0 perm = [1, 2, 0] : tensor<3x4x2xf32> to tensor<4x2x3xf32>
  return %1 : tensor<4x2x3xf32>
}

// CHECK-LABEL: @transpose_to_reshape
// CHECK-NEXT: graph.reshape %arg0 : tensor<2x1x3xf32> to tensor<1x2x3xf32>
// CHECK-NEXT: return
func.func @transpose_to_reshape(%x: tensor<2x1x3xf32>) -> tensor<1x2x3xf32> {
  %0 = graph.transpose %x perm = [1, 0, 2] : tensor<2x1x3xf32> to tensor<1x2x3xf32>
  return %0 : tensor<1x2x3xf32>
}

// CHECK-LABEL: @transpose_of_broadcast
// CHECK-NEXT: graph.broadcast %arg0 dims = [0] : tensor<3xf32> to tensor<3x2xf32>
// CHECK-NEXT: return
func.func @transpose_of_broadcast(%x: tensor<3xf32>) -> tensor<3x2xf32> {
  %0 = graph.broadcast %x dims = [1] : tensor<3xf32> to tensor<2x3xf32>
  %1 = graph.transpose %0 perm = [1, 0] : tensor<2x3xf32> to tensor<3x2xf32>
  return %1 : tensor<3x2xf32>
}

// CHECK-LABEL: @transpose_before_broadcast
// CHECK-NEXT: %[[T:.*]] = graph.transpose %arg0 perm = [1, 0] : tensor<3x4xf32> to tensor<4x3xf32>
// CHECK-NEXT: graph.broadcast %[[T]] dims = [0, 1] : tensor<4x3xf32> to tensor<4x3x2xf32>
// CHECK-NEXT: return
func.func @transpose_before_broadcast(%x: tensor<3x4xf32>) -> tensor<4x3x2xf32> {
  %0 = graph.broadcast %x dims = [1, 2] : tensor<3x4xf32> to tensor<2x3x4xf32>
  %1 = graph.transpose %0 perm = [2, 1, 0] : tensor<2x3x4xf32> to tensor<4x3x2xf32>
  return %1 : tensor<4x3x2xf32>
}

// CHECK-LABEL: @dot_of_transposes
// CHECK-NEXT: graph.dot %arg0, %arg1 batch = [1] x [2] contract = [0] x [1] : (tensor<4x2x3xf32>, tensor<5x4x2xf32>) to tensor<2x3x5xf32>
// CHECK-NEXT: return
func.func @dot_of_transposes(%x: tensor<4x2x3xf32>, %y: tensor<5x4x2xf32>) -> tensor<2x3x5xf32> {
  %0 = graph.transpose %x perm = [1, 2, 0] : tensor<4x2x3xf32> to tensor<2x3x4xf32>
  %1 = graph.transpose %y perm = [2, 1, 0] : tensor<5x4x2xf32> to tensor<2x4x5xf32>
  %2 = graph.dot %0, %1 batch = [0] x [0] contract = [2] x [1]
      : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) to tensor<2x3x5xf32>
  return %2 : tensor<2x3x5xf32>
}

// The free dimensions of the operand would change places in the result.
// CHECK-LABEL: @dot_keeps_order_of_free_dims
// CHECK-NEXT: graph.transpose
// CHECK-NEXT: graph.dot
func.func @dot_keeps_order_of_free_dims(%x: tensor<2x3x4xf32>, %y: tensor<4x5xf32>) -> tensor<3x2x5xf32> {
  %0 = graph.transpose %x perm = [1, 0, 2] : tensor<2x3x4xf32> to tensor<3x2x4xf32>
  %1 = graph.dot %0, %y batch = [] x [] contract = [2] x [0]
      : (tensor<3x2x4xf32>, tensor<4x5xf32>) to tensor<3x2x5xf32>
  return %1 : tensor<3x2x5xf32>
}

// CHECK-LABEL: @empty_concat_operands
// CHECK-NEXT: %[[C:.*]] = graph.concat %arg0, %arg0 dim = 0
// CHECK-NEXT: return %[[C]], %arg1
func.func @empty_concat_operands(%x: tensor<2x3xf32>, %e: tensor<0x3xf32>)
    -> (tensor<4x3xf32>, tensor<0x3xf32>) {
  %0 = graph.concat %e, %x, %e, %x dim = 0
      : (tensor<0x3xf32>, tensor<2x3xf32>, tensor<0x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %1 = graph.concat %e, %e dim = 0 : (tensor<0x3xf32>, tensor<0x3xf32>) -> tensor<0x3xf32>
  return %0, %1 : tensor<4x3xf32>, tensor<0x3xf32>
}
