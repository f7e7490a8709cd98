// A key of score -inf is a key that is dropped: where no other is left the
// result is zero, as an operation and opened.
//
// RUN: graph-interpret %s | FileCheck %s
// RUN: graph-opt %s --graph-decompose | graph-interpret | FileCheck %s

// CHECK:      lowest:
// CHECK-NEXT: {{\[\[}}0]]
func.func @main() -> (tensor<1x1xf32> {graph.name = "lowest"}) {
  %q = graph.constant dense<0xFF800000> : tensor<1x1xf32>
  %k = graph.constant dense<1.0> : tensor<2x1xf32>
  %y, %lse = graph.attention %q, %k, %k scale = 1.0
      : (tensor<1x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>) to tensor<1x1xf32>
  return %y : tensor<1x1xf32>
}
