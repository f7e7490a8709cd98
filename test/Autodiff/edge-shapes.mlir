// Empty dimensions, dimensions of size 1, rank 0.
// RUN: graph-opt %s --graph-autodiff | graph-interpret --entry=values | FileCheck %s

func.func private @prod_of_none(%x: tensor<2x0xf64>) -> tensor<f64> {
  %0 = graph.reduce prod, %x dims = [1] : tensor<2x0xf64> to tensor<2xf64>
  %1 = graph.reduce sum, %0 dims = [0] : tensor<2xf64> to tensor<f64>
  return %1 : tensor<f64>
}
func.func private @no_products(%x: tensor<0x3xf64>) -> tensor<f64> {
  %0 = graph.reduce prod, %x dims = [1] : tensor<0x3xf64> to tensor<0xf64>
  %1 = graph.reduce sum, %0 dims = [0] : tensor<0xf64> to tensor<f64>
  return %1 : tensor<f64>
}
func.func private @max_of_one(%x: tensor<2x1xf64>) -> tensor<f64> {
  %0 = graph.reduce max, %x dims = [1] : tensor<2x1xf64> to tensor<2xf64>
  %1 = graph.reduce prod, %0 dims = [0] : tensor<2xf64> to tensor<f64>
  return %1 : tensor<f64>
}
func.func private @prod_of_nothing_reduced(%x: tensor<f64>) -> tensor<f64> {
  %0 = graph.reduce prod, %x dims = [] : tensor<f64> to tensor<f64>
  return %0 : tensor<f64>
}
func.func private @broadcast_scalar(%x: tensor<f64>) -> tensor<f64> {
  %0 = graph.broadcast %x dims = [] : tensor<f64> to tensor<2x3xf64>
  %1 = graph.reduce sum, %0 dims = [0, 1] : tensor<2x3xf64> to tensor<f64>
  return %1 : tensor<f64>
}
func.func private @contract_nothing(%x: tensor<2x0xf64>, %y: tensor<0x2xf64>)
    -> tensor<f64> {
  %0 = graph.dot %x, %y batch = [] x [] contract = [1] x [0]
      : (tensor<2x0xf64>, tensor<0x2xf64>) to tensor<2x2xf64>
  %1 = graph.reduce sum, %0 dims = [0, 1] : tensor<2x2xf64> to tensor<f64>
  return %1 : tensor<f64>
}
func.func private @outer(%x: tensor<2xf64>, %y: tensor<3xf64>) -> tensor<f64> {
  %0 = graph.dot %x, %y batch = [] x [] contract = [] x []
      : (tensor<2xf64>, tensor<3xf64>) to tensor<2x3xf64>
  %1 = graph.reduce sum, %0 dims = [0, 1] : tensor<2x3xf64> to tensor<f64>
  return %1 : tensor<f64>
}
func.func private @empty_slice(%x: tensor<3xf64>) -> tensor<f64> {
  %0 = graph.slice %x starts = [2] limits = [2] strides = [2]
      : tensor<3xf64> to tensor<0xf64>
  %1 = graph.reduce sum, %0 dims = [0] : tensor<0xf64> to tensor<f64>
  return %1 : tensor<f64>
}
func.func private @pad_empty(%x: tensor<0xf64>) -> tensor<f64> {
  %0 = graph.pad %x with 1.0 : f64 low = [1] high = [2] interior = [3]
      : tensor<0xf64> to tensor<3xf64>
  %1 = graph.reduce sum, %0 dims = [0] : tensor<3xf64> to tensor<f64>
  return %1 : tensor<f64>
}
func.func private @gather_none(%x: tensor<2x2xf64>, %i: tensor<0xi64>)
    -> tensor<f64> {
  %0 = graph.gather fill %x[%i]
      : tensor<2x2xf64>[tensor<0xi64>] to tensor<0x2xf64>
  %1 = graph.reduce sum, %0 dims = [0, 1] : tensor<0x2xf64> to tensor<f64>
  return %1 : tensor<f64>
}
func.func private @gather_empty_table(%x: tensor<0x2xf64>, %i: tensor<1xi64>)
    -> tensor<f64> {
  %0 = graph.gather fill %x[%i]
      : tensor<0x2xf64>[tensor<1xi64>] to tensor<1x2xf64>
  %1 = graph.reduce sum, %0 dims = [0, 1] : tensor<1x2xf64> to tensor<f64>
  return %1 : tensor<f64>
}
func.func private @one_class(%x: tensor<2x1xf64>, %t: tensor<2xi32>)
    -> tensor<f64> {
  %0 = graph.cross_entropy %x, %t
      : tensor<2x1xf64>, tensor<2xi32> to tensor<2xf64>
  %1 = graph.reduce sum, %0 dims = [0] : tensor<2xf64> to tensor<f64>
  return %1 : tensor<f64>
}
func.func private @normalise_vector(%x: tensor<2xf64>, %s: tensor<2xf64>)
    -> tensor<f64> {
  %0 = graph.layer_norm %x, %s, %s epsilon = 1.0 : tensor<2xf64>, tensor<2xf64>
  %1 = graph.mul %0, %s : tensor<2xf64>
  %2 = graph.reduce sum, %1 dims = [0] : tensor<2xf64> to tensor<f64>
  return %2 : tensor<f64>
}

func.func @values()
    -> (tensor<2x0xf64>, tensor<0x3xf64>, tensor<2x1xf64>, tensor<f64>,
        tensor<f64>, tensor<2x0xf64>, tensor<0x2xf64>, tensor<2xf64>,
        tensor<3xf64>, tensor<3xf64>, tensor<0xf64>, tensor<2x2xf64>,
        tensor<0x2xf64>, tensor<2x1xf64>, tensor<2xf64>) {
  %rows = graph.constant dense<> : tensor<2x0xf64>
  %columns = graph.constant dense<> : tensor<0x2xf64>
  %no_rows = graph.constant dense<> : tensor<0x3xf64>
  %none = graph.constant dense<> : tensor<0xf64>
  %column = graph.constant dense<[[2.0], [5.0]]> : tensor<2x1xf64>
  %square = graph.constant dense<1.0> : tensor<2x2xf64>
  %scalar = graph.constant dense<7.0> : tensor<f64>
  %pair = graph.constant dense<[2.0, 4.0]> : tensor<2xf64>
  %triple = graph.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf64>
  %no_index = graph.constant dense<> : tensor<0xi64>
  %index = graph.constant dense<[0]> : tensor<1xi64>
  %classes = graph.constant dense<[0, 1]> : tensor<2xi32>

  // CHECK:      result0:
  // CHECK-NEXT: {{^}}{{[[][[]}}],
  // CHECK-NEXT: {{^}} []]
  %0:2 = graph.value_and_grad @prod_of_none(%rows) wrt = [0]
      : (tensor<2x0xf64>) -> (tensor<f64>, tensor<2x0xf64>)
  // CHECK-NEXT: result1:
  // CHECK-NEXT: {{^}}[]
  %1:2 = graph.value_and_grad @no_products(%no_rows) wrt = [0]
      : (tensor<0x3xf64>) -> (tensor<f64>, tensor<0x3xf64>)
  // CHECK-NEXT: result2:
  // CHECK-NEXT: {{[[][[]}}5],
  // CHECK-NEXT: [2]]
  %2:2 = graph.value_and_grad @max_of_one(%column) wrt = [0]
      : (tensor<2x1xf64>) -> (tensor<f64>, tensor<2x1xf64>)
  // CHECK-NEXT: result3:
  // CHECK-NEXT: {{^}}1{{$}}
  %3:2 = graph.value_and_grad @prod_of_nothing_reduced(%scalar) wrt = [0]
      : (tensor<f64>) -> (tensor<f64>, tensor<f64>)
  // CHECK-NEXT: result4:
  // CHECK-NEXT: {{^}}6{{$}}
  %4:2 = graph.value_and_grad @broadcast_scalar(%scalar) wrt = [0]
      : (tensor<f64>) -> (tensor<f64>, tensor<f64>)
  // CHECK-NEXT: result5:
  // CHECK-NEXT: {{^}}{{[[][[]}}],
  // CHECK-NEXT: {{^}} []]
  // CHECK-NEXT: result6:
  // CHECK-NEXT: {{^}}[]
  %5:3 = graph.value_and_grad @contract_nothing(%rows, %columns) wrt = [0, 1]
      : (tensor<2x0xf64>, tensor<0x2xf64>)
      -> (tensor<f64>, tensor<2x0xf64>, tensor<0x2xf64>)
  // CHECK-NEXT: result7:
  // CHECK-NEXT: [7, 7]
  // CHECK-NEXT: result8:
  // CHECK-NEXT: [6, 6, 6]
  %6:3 = graph.value_and_grad @outer(%pair, %triple) wrt = [0, 1]
      : (tensor<2xf64>, tensor<3xf64>)
      -> (tensor<f64>, tensor<2xf64>, tensor<3xf64>)
  // CHECK-NEXT: result9:
  // CHECK-NEXT: [0, 0, 0]
  %7:2 = graph.value_and_grad @empty_slice(%triple) wrt = [0]
      : (tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>)
  // CHECK-NEXT: result10:
  // CHECK-NEXT: {{^}}[]
  %8:2 = graph.value_and_grad @pad_empty(%none) wrt = [0]
      : (tensor<0xf64>) -> (tensor<f64>, tensor<0xf64>)
  // CHECK-NEXT: result11:
  // CHECK-NEXT: {{[[][[]}}0, 0],
  // CHECK-NEXT: [0, 0]]
  %9:2 = graph.value_and_grad @gather_none(%square, %no_index) wrt = [0]
      : (tensor<2x2xf64>, tensor<0xi64>) -> (tensor<f64>, tensor<2x2xf64>)
  // CHECK-NEXT: result12:
  // CHECK-NEXT: {{^}}[]
  %10:2 = graph.value_and_grad @gather_empty_table(%columns, %index) wrt = [0]
      : (tensor<0x2xf64>, tensor<1xi64>) -> (tensor<f64>, tensor<0x2xf64>)
  // The only class has probability 1; the second target is no class.
  // CHECK-NEXT: result13:
  // CHECK-NEXT: {{[[][[]}}0],
  // CHECK-NEXT: [0]]
  %11:2 = graph.value_and_grad @one_class(%column, %classes) wrt = [0]
      : (tensor<2x1xf64>, tensor<2xi32>) -> (tensor<f64>, tensor<2x1xf64>)
  // Variance 1, epsilon 1: half of the slope that a constant variance has.
  // CHECK-NEXT: result14:
  // CHECK-NEXT: [-2.12132, 2.12132]
  %12:2 = graph.value_and_grad @normalise_vector(%pair, %pair) wrt = [0]
      : (tensor<2xf64>, tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>)

  return %0#1, %1#1, %2#1, %3#1, %4#1, %5#1, %5#2, %6#1, %6#2, %7#1, %8#1,
         %9#1, %10#1, %11#1, %12#1
      : tensor<2x0xf64>, tensor<0x3xf64>, tensor<2x1xf64>, tensor<f64>,
        tensor<f64>, tensor<2x0xf64>, tensor<0x2xf64>, tensor<2xf64>,
        tensor<3xf64>, tensor<3xf64>, tensor<0xf64>, tensor<2x2xf64>,
        tensor<0x2xf64>, tensor<2x1xf64>, tensor<2xf64>
}
