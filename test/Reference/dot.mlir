// Expected values from numpy.einsum.
//
// RUN: graph-interpret %s | FileCheck %s

func.func @main() -> (
    tensor<2x2x2xf32> {graph.name = "batched"}, tensor<2x2x2xf32> {graph.name = "free_dims"},
    tensor<3x4xf32> {graph.name = "transposed"}, tensor<2x2x3xf32> {graph.name = "batch_last"},
    tensor<2x3xf32> {graph.name = "two_contracted"}, tensor<f32> {graph.name = "inner"},
    tensor<6x2xf32> {graph.name = "outer"}, tensor<2x3xf32> {graph.name = "empty"},
    tensor<i8> {graph.name = "wraps"}) {
  %a = graph.iota dim = 0 : tensor<12xf32>
  %b = graph.iota dim = 0 : tensor<8xf32>
  %c = graph.iota dim = 0 : tensor<6xf32>
  %five = graph.constant dense<5.0> : tensor<2x3x2xf32>
  %a223 = graph.reshape %a : tensor<12xf32> to tensor<2x2x3xf32>
  %a232 = graph.reshape %a : tensor<12xf32> to tensor<2x3x2xf32>
  %a322 = graph.reshape %a : tensor<12xf32> to tensor<3x2x2xf32>
  %b222 = graph.reshape %b : tensor<8xf32> to tensor<2x2x2xf32>
  %b42 = graph.reshape %b : tensor<8xf32> to tensor<4x2xf32>
  %c23 = graph.reshape %c : tensor<6xf32> to tensor<2x3xf32>

  // bik,bkj->bij
  // CHECK:      batched:
  // CHECK-NEXT: {{\[\[\[}}-5, -2],
  // CHECK-NEXT: [-32, -20]],
  // CHECK-NEXT: {{\[\[}}67, 88],
  // CHECK-NEXT: [94, 124]]]
  %shifted = graph.sub %a232, %five : tensor<2x3x2xf32>
  %batched = graph.dot %a223, %shifted batch = [0] x [0] contract = [2] x [1]
      : (tensor<2x2x3xf32>, tensor<2x3x2xf32>) to tensor<2x2x2xf32>
  // ik,kjl->ijl
  // CHECK:      free_dims:
  // CHECK-NEXT: {{\[\[\[}}20, 23],
  // CHECK-NEXT: [26, 29]],
  // CHECK-NEXT: {{\[\[}}56, 68],
  // CHECK-NEXT: [80, 92]]]
  %free_dims = graph.dot %c23, %a322 batch = [] x [] contract = [1] x [0]
      : (tensor<2x3xf32>, tensor<3x2x2xf32>) to tensor<2x2x2xf32>
  // ki,jk->ij
  // CHECK:      transposed:
  // CHECK-NEXT: {{\[\[}}3, 9, 15, 21],
  // CHECK-NEXT: [4, 14, 24, 34],
  // CHECK-NEXT: [5, 19, 33, 47]]
  %transposed = graph.dot %c23, %b42 batch = [] x [] contract = [0] x [1]
      : (tensor<2x3xf32>, tensor<4x2xf32>) to tensor<3x4xf32>
  // bik,kjb->bij
  // CHECK:      batch_last:
  // CHECK-NEXT: {{\[\[\[}}6, 8, 10],
  // CHECK-NEXT: [18, 28, 38]],
  // CHECK-NEXT: {{\[\[}}39, 57, 75],
  // CHECK-NEXT: [55, 81, 107]]]
  %batch_last = graph.dot %b222, %a232 batch = [0] x [2] contract = [2] x [0]
      : (tensor<2x2x2xf32>, tensor<2x3x2xf32>) to tensor<2x2x3xf32>
  // ikl,lkj->ij
  // CHECK:      two_contracted:
  // CHECK-NEXT: {{\[\[}}39, 45, 51],
  // CHECK-NEXT: [111, 133, 155]]
  %two_contracted = graph.dot %b222, %a223 batch = [] x [] contract = [1, 2] x [1, 0]
      : (tensor<2x2x2xf32>, tensor<2x2x3xf32>) to tensor<2x3xf32>
  // CHECK:      inner: tensor<f32>
  // CHECK-NEXT: 55
  %inner = graph.dot %c, %c batch = [] x [] contract = [0] x [0]
      : (tensor<6xf32>, tensor<6xf32>) to tensor<f32>
  // CHECK:      outer:
  // CHECK-NEXT: {{\[\[}}0, 0],
  // CHECK-NEXT: [2, 3],
  // CHECK-NEXT: [4, 6],
  %pair = graph.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %outer = graph.dot %c, %pair batch = [] x [] contract = [] x []
      : (tensor<6xf32>, tensor<2xf32>) to tensor<6x2xf32>
  // CHECK:      empty:
  // CHECK-NEXT: {{\[\[}}0, 0, 0],
  // CHECK-NEXT: [0, 0, 0]]
  %l = graph.constant dense<> : tensor<2x0xf32>
  %r = graph.constant dense<> : tensor<0x3xf32>
  %empty = graph.dot %l, %r batch = [] x [] contract = [1] x [0]
      : (tensor<2x0xf32>, tensor<0x3xf32>) to tensor<2x3xf32>
  // CHECK:      wraps: tensor<i8>
  // CHECK-NEXT: 32
  %i = graph.constant dense<100> : tensor<2xi8>
  %wraps = graph.dot %i, %i batch = [] x [] contract = [0] x [0]
      : (tensor<2xi8>, tensor<2xi8>) to tensor<i8>
  return %batched, %free_dims, %transposed, %batch_last, %two_contracted,
      %inner, %outer, %empty, %wraps
      : tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<3x4xf32>,
        tensor<2x2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<6x2xf32>,
        tensor<2x3xf32>, tensor<i8>
}
