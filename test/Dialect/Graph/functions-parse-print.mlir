// RUN: graph-opt %s | graph-opt | FileCheck %s

// State and names of arguments and results survive a round trip.

// CHECK-LABEL: func.func @step
// CHECK-SAME: %{{.*}}: tensor<3xf32> {graph.name = "w", graph.state}
// CHECK-SAME: -> (tensor<3xf32> {graph.name = "w", graph.state})
func.func @step(%w: tensor<3xf32> {graph.name = "w", graph.state},
                %g: tensor<3xf32> {graph.name = "g"})
    -> (tensor<3xf32> {graph.name = "w", graph.state}) {
  %0 = graph.sub %w, %g : tensor<3xf32>
  return %0 : tensor<3xf32>
}
