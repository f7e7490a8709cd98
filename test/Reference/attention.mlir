// Expected values from NumPy and SciPy.
//
// RUN: graph-interpret %s | FileCheck %s

func.func @main() -> (
    tensor<1x3x1xf32> {graph.name = "full"}, tensor<1x3x1xf32> {graph.name = "causal"},
    tensor<1x3x1xf32> {graph.name = "masked"}, tensor<1x2x1xf32> {graph.name = "causal_longer"},
    tensor<1x3x1xf32> {graph.name = "causal_shorter"}) {
  %q = graph.constant dense<[[[1.0, 0.0], [0.5, -1.0], [2.0, 1.0]]]> : tensor<1x3x2xf32>
  %k = graph.constant dense<[[[1.0, 1.0], [0.0, 2.0], [-1.0, 0.5]]]> : tensor<1x3x2xf32>
  %v = graph.constant dense<[[[1.0], [2.0], [4.0]]]> : tensor<1x3x1xf32>
  // CHECK:      full:
  // CHECK-NEXT: {{\[\[\[}}1.86617],
  // CHECK-NEXT: [2.24769],
  // CHECK-NEXT: [1.539]]]
  %full, %full_lse = graph.attention %q, %k, %v scale = 0.5
      : (tensor<1x3x2xf32>, tensor<1x3x2xf32>, tensor<1x3x1xf32>) to tensor<1x3x1xf32>
  // CHECK:      causal:
  // CHECK-NEXT: {{\[\[\[}}1],
  // CHECK-NEXT: [1.32082],
  // CHECK-NEXT: [1.539]]]
  %causal, %causal_lse = graph.attention causal %q, %k, %v scale = 0.5
      : (tensor<1x3x2xf32>, tensor<1x3x2xf32>, tensor<1x3x1xf32>) to tensor<1x3x1xf32>
  // The second query keeps no key.
  // CHECK:      masked:
  // CHECK-NEXT: {{\[\[\[}}1.80682],
  // CHECK-NEXT: [0],
  // CHECK-NEXT: [2.29609]]]
  %mask = graph.constant dense<[[true, false, true], [false, false, false], [false, true, true]]> : tensor<3x3xi1>
  %masked, %masked_lse = graph.attention %q, %k, %v mask %mask : tensor<3x3xi1> scale = 0.5
      : (tensor<1x3x2xf32>, tensor<1x3x2xf32>, tensor<1x3x1xf32>) to tensor<1x3x1xf32>

  // With more keys than queries the last query sees all keys, with fewer the
  // first sees none.
  // CHECK:      causal_longer:
  // CHECK-NEXT: {{\[\[\[}}1.37754],
  // CHECK-NEXT: [2.24769]]]
  %q2 = graph.slice %q starts = [0, 0, 0] limits = [1, 2, 2] strides = [1, 1, 1] : tensor<1x3x2xf32> to tensor<1x2x2xf32>
  %causal_longer, %causal_longer_lse = graph.attention causal %q2, %k, %v scale = 0.5
      : (tensor<1x2x2xf32>, tensor<1x3x2xf32>, tensor<1x3x1xf32>) to tensor<1x2x1xf32>
  // CHECK:      causal_shorter:
  // CHECK-NEXT: {{\[\[\[}}0],
  // CHECK-NEXT: [1],
  %k2 = graph.slice %k starts = [0, 0, 0] limits = [1, 2, 2] strides = [1, 1, 1] : tensor<1x3x2xf32> to tensor<1x2x2xf32>
  %v2 = graph.slice %v starts = [0, 0, 0] limits = [1, 2, 1] strides = [1, 1, 1] : tensor<1x3x1xf32> to tensor<1x2x1xf32>
  %causal_shorter, %causal_shorter_lse = graph.attention causal %q, %k2, %v2 scale = 0.5
      : (tensor<1x3x2xf32>, tensor<1x2x2xf32>, tensor<1x2x1xf32>) to tensor<1x3x1xf32>
  return %full, %causal, %masked, %causal_longer, %causal_shorter
      : tensor<1x3x1xf32>, tensor<1x3x1xf32>, tensor<1x3x1xf32>,
        tensor<1x2x1xf32>, tensor<1x3x1xf32>
}
