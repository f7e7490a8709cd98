// RUN: graph-opt %s --graph-widen-scatters | FileCheck %s

// CHECK-LABEL: @narrow
// CHECK-SAME:    %[[T:.*]]: tensor<9x4xbf16>, %[[I:.*]]: tensor<7xi32>, %[[U:.*]]: tensor<7x4xbf16>
// CHECK-DAG:     %[[TW:.*]] = graph.cast %[[T]]
// CHECK-DAG:     %[[UW:.*]] = graph.cast %[[U]]
// CHECK:         %[[S:.*]] = graph.scatter_add clip %[[TW]][%[[I]]], %[[UW]] : tensor<9x4xf32>
// CHECK:         %[[R:.*]] = graph.cast %[[S]] : tensor<9x4xf32> to tensor<9x4xbf16>
// CHECK:         return %[[R]]
func.func @narrow(%t: tensor<9x4xbf16>, %i: tensor<7xi32>, %u: tensor<7x4xbf16>) -> tensor<9x4xbf16> {
  %0 = graph.scatter_add clip %t[%i], %u : tensor<9x4xbf16>[tensor<7xi32>], tensor<7x4xbf16> to tensor<9x4xbf16>
  return %0 : tensor<9x4xbf16>
}

// CHECK-LABEL: @wide
// CHECK-NOT:     graph.cast
func.func @wide(%t: tensor<9x4xf32>, %i: tensor<7xi32>, %u: tensor<7x4xf32>) -> tensor<9x4xf32> {
  %0 = graph.scatter_add clip %t[%i], %u : tensor<9x4xf32>[tensor<7xi32>], tensor<7x4xf32> to tensor<9x4xf32>
  return %0 : tensor<9x4xf32>
}
