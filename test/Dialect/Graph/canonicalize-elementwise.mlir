// RUN: graph-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @constants_on_the_right
// CHECK: %[[C:.*]] = graph.constant
// CHECK: graph.add %arg0, %[[C]]
// CHECK: graph.compare gt, %arg0, %[[C]]
func.func @constants_on_the_right(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi1>) {
  %c = graph.constant dense<2.0> : tensor<4xf32>
  %0 = graph.add %c, %x : tensor<4xf32>
  %1 = graph.compare lt, %c, %x : tensor<4xf32> to tensor<4xi1>
  return %0, %1 : tensor<4xf32>, tensor<4xi1>
}

// CHECK-LABEL: @broadcast_after
// CHECK-SAME: %[[X:.*]]: tensor<3xf32>, %[[Y:.*]]: tensor<3xf32>
// CHECK: %[[C:.*]] = graph.constant dense<2.000000e+00> : tensor<3xf32>
// CHECK: %[[S:.*]] = graph.add %[[X]], %[[Y]] : tensor<3xf32>
// CHECK: %[[M:.*]] = graph.mul %[[S]], %[[C]] : tensor<3xf32>
// CHECK: %[[R:.*]] = graph.broadcast %[[M]] dims = [1] : tensor<3xf32> to tensor<2x3xf32>
// CHECK: return %[[R]]
func.func @broadcast_after(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32> {
  %c = graph.constant dense<2.0> : tensor<2x3xf32>
  %0 = graph.broadcast %x dims = [1] : tensor<3xf32> to tensor<2x3xf32>
  %1 = graph.broadcast %y dims = [1] : tensor<3xf32> to tensor<2x3xf32>
  %2 = graph.add %0, %1 : tensor<2x3xf32>
  %3 = graph.mul %2, %c : tensor<2x3xf32>
  return %3 : tensor<2x3xf32>
}

// CHECK-LABEL: @broadcasts_of_different_dims
// CHECK: graph.broadcast
// CHECK: graph.broadcast
// CHECK: graph.add {{.*}} : tensor<3x3xf32>
func.func @broadcasts_of_different_dims(%x: tensor<3xf32>) -> tensor<3x3xf32> {
  %0 = graph.broadcast %x dims = [0] : tensor<3xf32> to tensor<3x3xf32>
  %1 = graph.broadcast %x dims = [1] : tensor<3xf32> to tensor<3x3xf32>
  %2 = graph.add %0, %1 : tensor<3x3xf32>
  return %2 : tensor<3x3xf32>
}

// CHECK-LABEL: @reshape_after
// CHECK-NOT: graph.reshape
// CHECK: %[[E:.*]] = graph.exp %arg0 : tensor<6xf32>
// CHECK: return %[[E]]
func.func @reshape_after(%x: tensor<6xf32>) -> tensor<6xf32> {
  %0 = graph.reshape %x : tensor<6xf32> to tensor<2x3xf32>
  %1 = graph.exp %0 : tensor<2x3xf32>
  %2 = graph.reshape %1 : tensor<2x3xf32> to tensor<6xf32>
  return %2 : tensor<6xf32>
}

// The predicate of a select moves with it; its type stays i1.
// CHECK-LABEL: @compare_and_select
// CHECK: %[[P:.*]] = graph.compare lt, %arg0, %arg1 : tensor<3xf32> to tensor<3xi1>
// CHECK: %[[S:.*]] = graph.select %[[P]], %arg0, %arg1 : tensor<3xf32>
// CHECK: graph.broadcast %[[S]]
func.func @compare_and_select(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = graph.broadcast %x dims = [1] : tensor<3xf32> to tensor<2x3xf32>
  %1 = graph.broadcast %y dims = [1] : tensor<3xf32> to tensor<2x3xf32>
  %2 = graph.compare lt, %0, %1 : tensor<2x3xf32> to tensor<2x3xi1>
  %3 = graph.select %2, %0, %1 : tensor<2x3xf32>
  return %3 : tensor<2x3xf32>
}

// CHECK-LABEL: @select_of_not
// CHECK: graph.select %arg0, %arg2, %arg1
// CHECK: graph.select %arg0, %arg2, %arg1
func.func @select_of_not(%p: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %false = graph.constant dense<false> : tensor<4xi1>
  %true = graph.constant dense<true> : tensor<4xi1>
  %0 = graph.compare eq, %p, %false : tensor<4xi1> to tensor<4xi1>
  %1 = graph.select %0, %x, %y : tensor<4xf32>
  %2 = graph.compare ne, %p, %true : tensor<4xi1> to tensor<4xi1>
  %3 = graph.select %2, %x, %y : tensor<4xf32>
  return %1, %3 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @casts
// CHECK: %[[A:.*]] = graph.cast %arg0 : tensor<4xbf16> to tensor<4xf16>
// CHECK: %[[B:.*]] = graph.cast %arg1 : tensor<4xf32> to tensor<4xbf16>
// CHECK: %[[C:.*]] = graph.cast %[[B]] : tensor<4xbf16> to tensor<4xf32>
// CHECK: return %[[A]], %[[C]], %arg0
func.func @casts(%x: tensor<4xbf16>, %y: tensor<4xf32>)
    -> (tensor<4xf16>, tensor<4xf32>, tensor<4xbf16>) {
  %0 = graph.cast %x : tensor<4xbf16> to tensor<4xf32>
  %1 = graph.cast %0 : tensor<4xf32> to tensor<4xf16>
  %2 = graph.cast %y : tensor<4xf32> to tensor<4xbf16>
  %3 = graph.cast %2 : tensor<4xbf16> to tensor<4xf32>
  %4 = graph.cast %0 : tensor<4xf32> to tensor<4xbf16>
  return %1, %3, %4 : tensor<4xf16>, tensor<4xf32>, tensor<4xbf16>
}
