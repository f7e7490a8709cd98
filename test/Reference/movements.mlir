// RUN: graph-interpret %s | FileCheck %s

func.func @main() -> (
    tensor<2x3xi32> {graph.name = "iota0"}, tensor<2x3xf32> {graph.name = "iota1"},
    tensor<2x2x3xi32> {graph.name = "broadcast"}, tensor<2x2xi32> {graph.name = "scalar"},
    tensor<3x2xi32> {graph.name = "reshape"}, tensor<3x1x2xi32> {graph.name = "transpose"},
    tensor<1x2xi32> {graph.name = "slice"}, tensor<0xi32> {graph.name = "empty"},
    tensor<4x6xi32> {graph.name = "pad"}, tensor<2xi1> {graph.name = "pad_empty"},
    tensor<2x5xi32> {graph.name = "concat"}) {
  %x = graph.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  // CHECK:      iota0:
  // CHECK-NEXT: {{\[\[}}0, 0, 0],
  // CHECK-NEXT: [1, 1, 1]]
  %iota0 = graph.iota dim = 0 : tensor<2x3xi32>
  // CHECK:      iota1:
  // CHECK-NEXT: {{\[\[}}0, 1, 2],
  // CHECK-NEXT: [0, 1, 2]]
  %iota1 = graph.iota dim = 1 : tensor<2x3xf32>

  // CHECK:      broadcast:
  // CHECK-NEXT: {{\[\[\[}}1, 2, 3],
  // CHECK-NEXT: [1, 2, 3]],
  // CHECK-NEXT: {{\[\[}}4, 5, 6],
  // CHECK-NEXT: [4, 5, 6]]]
  %broadcast = graph.broadcast %x dims = [0, 2] : tensor<2x3xi32> to tensor<2x2x3xi32>
  // CHECK:      scalar:
  // CHECK-NEXT: {{\[\[}}7, 7],
  // CHECK-NEXT: [7, 7]]
  %seven = graph.constant dense<7> : tensor<i32>
  %scalar = graph.broadcast %seven dims = [] : tensor<i32> to tensor<2x2xi32>
  // CHECK:      reshape:
  // CHECK-NEXT: {{\[\[}}1, 2],
  // CHECK-NEXT: [3, 4],
  // CHECK-NEXT: [5, 6]]
  %reshape = graph.reshape %x : tensor<2x3xi32> to tensor<3x2xi32>
  // CHECK:      transpose:
  // CHECK-NEXT: {{\[\[\[}}1, 4]],
  // CHECK-NEXT: {{\[\[}}2, 5]],
  // CHECK-NEXT: {{\[\[}}3, 6]]]
  %box = graph.reshape %x : tensor<2x3xi32> to tensor<1x2x3xi32>
  %transpose = graph.transpose %box perm = [2, 0, 1] : tensor<1x2x3xi32> to tensor<3x1x2xi32>

  // CHECK:      slice:
  // CHECK-NEXT: {{\[\[}}4, 6]]
  %slice = graph.slice %x starts = [1, 0] limits = [2, 3] strides = [1, 2] : tensor<2x3xi32> to tensor<1x2xi32>
  // CHECK:      empty: tensor<0xi32>
  // CHECK-NEXT: []
  %row = graph.iota dim = 0 : tensor<3xi32>
  %empty = graph.slice %row starts = [2] limits = [2] strides = [1] : tensor<3xi32> to tensor<0xi32>
  // CHECK:      pad:
  // CHECK-NEXT: {{\[\[}}-1, -1, -1, -1, -1, -1],
  // CHECK-NEXT: [1, -1, 2, -1, 3, -1],
  // CHECK-NEXT: [4, -1, 5, -1, 6, -1],
  // CHECK-NEXT: [-1, -1, -1, -1, -1, -1]]
  %pad = graph.pad %x with -1 : i32 low = [1, 0] high = [1, 1] interior = [0, 1] : tensor<2x3xi32> to tensor<4x6xi32>
  // CHECK:      pad_empty:
  // CHECK-NEXT: [true, true]
  %none = graph.constant dense<> : tensor<0xi1>
  %pad_empty = graph.pad %none with true low = [1] high = [1] interior = [3] : tensor<0xi1> to tensor<2xi1>
  // CHECK:      concat:
  // CHECK-NEXT: {{\[\[}}1, 2, 3, 0, 0],
  // CHECK-NEXT: [4, 5, 6, 1, 1]]
  %y = graph.iota dim = 0 : tensor<2x2xi32>
  %concat = graph.concat %x, %y dim = 1 : (tensor<2x3xi32>, tensor<2x2xi32>) -> tensor<2x5xi32>
  return %iota0, %iota1, %broadcast, %scalar, %reshape, %transpose, %slice,
      %empty, %pad, %pad_empty, %concat
      : tensor<2x3xi32>, tensor<2x3xf32>, tensor<2x2x3xi32>, tensor<2x2xi32>,
        tensor<3x2xi32>, tensor<3x1x2xi32>, tensor<1x2xi32>, tensor<0xi32>,
        tensor<4x6xi32>, tensor<2xi1>, tensor<2x5xi32>
}
