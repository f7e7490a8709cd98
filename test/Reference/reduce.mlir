// RUN: graph-interpret %s | FileCheck %s

func.func @main() -> (
    tensor<2xf32> {graph.name = "sum"}, tensor<3xf32> {graph.name = "prod"},
    tensor<f32> {graph.name = "max"}, tensor<2xf32> {graph.name = "min"},
    tensor<2x3xf32> {graph.name = "identity"}, tensor<2xf32> {graph.name = "nan"},
    tensor<2xf32> {graph.name = "empty_sum"}, tensor<2xf32> {graph.name = "empty_prod"},
    tensor<2xf32> {graph.name = "empty_max"}, tensor<2xf32> {graph.name = "empty_min"},
    tensor<i16> {graph.name = "empty_max_i16"}, tensor<i8> {graph.name = "wraps"},
    tensor<2xi1> {graph.name = "any"}, tensor<2xi1> {graph.name = "all"},
    tensor<2x4xf32> {graph.name = "outer"}) {
  %x = graph.constant dense<[[1.0, -2.0, 4.0], [3.0, 5.0, -6.0]]> : tensor<2x3xf32>
  // CHECK:      sum:
  // CHECK-NEXT: [3, 2]
  %sum = graph.reduce sum, %x dims = [1] : tensor<2x3xf32> to tensor<2xf32>
  // CHECK:      prod:
  // CHECK-NEXT: [3, -10, -24]
  %prod = graph.reduce prod, %x dims = [0] : tensor<2x3xf32> to tensor<3xf32>
  // CHECK:      max: tensor<f32>
  // CHECK-NEXT: 5
  %max = graph.reduce max, %x dims = [1, 0] : tensor<2x3xf32> to tensor<f32>
  // CHECK:      min:
  // CHECK-NEXT: [-2, -6]
  %min = graph.reduce min, %x dims = [1] : tensor<2x3xf32> to tensor<2xf32>
  // CHECK:      identity:
  // CHECK-NEXT: {{\[\[}}1, -2, 4],
  // CHECK-NEXT: [3, 5, -6]]
  %identity = graph.reduce sum, %x dims = [] : tensor<2x3xf32> to tensor<2x3xf32>

  // NaN first, and NaN last.
  // CHECK:      nan:
  // CHECK-NEXT: [nan, nan]
  %n = graph.constant dense<[[0x7FC00000, 1.0], [2.0, 0x7FC00000]]> : tensor<2x2xf32>
  %nan = graph.reduce max, %n dims = [1] : tensor<2x2xf32> to tensor<2xf32>

  // CHECK:      empty_sum:
  // CHECK-NEXT: [0, 0]
  %e = graph.constant dense<> : tensor<2x0xf32>
  %empty_sum = graph.reduce sum, %e dims = [1] : tensor<2x0xf32> to tensor<2xf32>
  // CHECK:      empty_prod:
  // CHECK-NEXT: [1, 1]
  %empty_prod = graph.reduce prod, %e dims = [1] : tensor<2x0xf32> to tensor<2xf32>
  // CHECK:      empty_max:
  // CHECK-NEXT: [-inf, -inf]
  %empty_max = graph.reduce max, %e dims = [1] : tensor<2x0xf32> to tensor<2xf32>
  // CHECK:      empty_min:
  // CHECK-NEXT: [inf, inf]
  %empty_min = graph.reduce min, %e dims = [1] : tensor<2x0xf32> to tensor<2xf32>
  // CHECK:      empty_max_i16:
  // CHECK-NEXT: -32768
  %ei = graph.constant dense<> : tensor<0xi16>
  %empty_max_i16 = graph.reduce max, %ei dims = [0] : tensor<0xi16> to tensor<i16>

  // CHECK:      wraps:
  // CHECK-NEXT: 44
  %i = graph.constant dense<100> : tensor<3xi8>
  %wraps = graph.reduce sum, %i dims = [0] : tensor<3xi8> to tensor<i8>
  // CHECK:      any:
  // CHECK-NEXT: [true, false]
  %b = graph.constant dense<[[true, false], [false, false]]> : tensor<2x2xi1>
  %any = graph.reduce max, %b dims = [1] : tensor<2x2xi1> to tensor<2xi1>
  // CHECK:      all:
  // CHECK-NEXT: [false, false]
  %all = graph.reduce min, %b dims = [0] : tensor<2x2xi1> to tensor<2xi1>

  // The middle dimension of three.
  // CHECK:      outer:
  // CHECK-NEXT: {{\[\[}}3, 3, 3, 3],
  // CHECK-NEXT: [3, 3, 3, 3]]
  %m = graph.iota dim = 1 : tensor<2x3x4xf32>
  %outer = graph.reduce sum, %m dims = [1] : tensor<2x3x4xf32> to tensor<2x4xf32>
  return %sum, %prod, %max, %min, %identity, %nan, %empty_sum, %empty_prod,
      %empty_max, %empty_min, %empty_max_i16, %wraps, %any, %all, %outer
      : tensor<2xf32>, tensor<3xf32>, tensor<f32>, tensor<2xf32>,
        tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
        tensor<2xf32>, tensor<2xf32>, tensor<i16>, tensor<i8>, tensor<2xi1>,
        tensor<2xi1>, tensor<2x4xf32>
}
