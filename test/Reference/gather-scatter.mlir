// Indices -1 and 3 are outside of the table.
//
// RUN: graph-interpret %s | FileCheck %s

func.func @main() -> (
    tensor<2x2x2xf32> {graph.name = "fill"}, tensor<2x2x2xf32> {graph.name = "clip"},
    tensor<2xf32> {graph.name = "empty_table"},
    tensor<3x2xf32> {graph.name = "scatter_fill"},
    tensor<3x2xf32> {graph.name = "scatter_clip"}, tensor<2xi8> {graph.name = "wraps"}) {
  %table = graph.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %i = graph.constant dense<[[2, 0], [-1, 3]]> : tensor<2x2xi32>
  // CHECK:      fill:
  // CHECK-NEXT: {{\[\[\[}}5, 6],
  // CHECK-NEXT: [1, 2]],
  // CHECK-NEXT: {{\[\[}}0, 0],
  // CHECK-NEXT: [0, 0]]]
  %fill = graph.gather fill %table[%i] : tensor<3x2xf32>[tensor<2x2xi32>] to tensor<2x2x2xf32>
  // CHECK:      clip:
  // CHECK-NEXT: {{\[\[\[}}5, 6],
  // CHECK-NEXT: [1, 2]],
  // CHECK-NEXT: {{\[\[}}1, 2],
  // CHECK-NEXT: [5, 6]]]
  %clip = graph.gather clip %table[%i] : tensor<3x2xf32>[tensor<2x2xi32>] to tensor<2x2x2xf32>
  // CHECK:      empty_table:
  // CHECK-NEXT: [0, 0]
  %none = graph.constant dense<> : tensor<0xf32>
  %j = graph.constant dense<[0, 1]> : tensor<2xi64>
  %empty_table = graph.gather fill %none[%j] : tensor<0xf32>[tensor<2xi64>] to tensor<2xf32>

  %u = graph.constant dense<[[[10.0, 20.0], [1.0, 1.0]], [[0.5, 0.5], [100.0, 100.0]]]> : tensor<2x2x2xf32>
  // CHECK:      scatter_fill:
  // CHECK-NEXT: {{\[\[}}2, 3],
  // CHECK-NEXT: [3, 4],
  // CHECK-NEXT: [15, 26]]
  %scatter_fill = graph.scatter_add fill %table[%i], %u : tensor<3x2xf32>[tensor<2x2xi32>], tensor<2x2x2xf32> to tensor<3x2xf32>
  // CHECK:      scatter_clip:
  // CHECK-NEXT: {{\[\[}}2.5, 3.5],
  // CHECK-NEXT: [3, 4],
  // CHECK-NEXT: [115, 126]]
  %scatter_clip = graph.scatter_add clip %table[%i], %u : tensor<3x2xf32>[tensor<2x2xi32>], tensor<2x2x2xf32> to tensor<3x2xf32>
  // CHECK:      wraps:
  // CHECK-NEXT: [-106, 0]
  %zeros = graph.constant dense<0> : tensor<2xi8>
  %k = graph.constant dense<[0, 0, 0]> : tensor<3xi32>
  %fifties = graph.constant dense<50> : tensor<3xi8>
  %wraps = graph.scatter_add fill %zeros[%k], %fifties : tensor<2xi8>[tensor<3xi32>], tensor<3xi8> to tensor<2xi8>
  return %fill, %clip, %empty_table, %scatter_fill, %scatter_clip, %wraps
      : tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<2xf32>, tensor<3x2xf32>,
        tensor<3x2xf32>, tensor<2xi8>
}
