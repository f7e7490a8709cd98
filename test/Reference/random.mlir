// The numbers come from a direct transcription of the description's formulas.
//
// RUN: graph-interpret %s --full-precision | FileCheck %s

func.func @main() -> (
    tensor<2x2xf32> {graph.name = "f32"}, tensor<2x2xbf16> {graph.name = "bf16"},
    tensor<2xf64> {graph.name = "f64"}, tensor<4xf32> {graph.name = "normal"}) {
  %key = graph.constant dense<42> : tensor<i64>
  %minus_one = graph.constant dense<-1> : tensor<i64>
  // CHECK:      f32:
  // CHECK-NEXT: {{\[\[}}0.6129598617553711, 0.9877186417579651],
  // CHECK-NEXT: [0.825866818428039{{[0-9]+}}, 0.729599237442016{{[0-9]+}}]]
  %f32 = graph.random_uniform %key : tensor<i64> to tensor<2x2xf32>
  // CHECK:      bf16:
  // CHECK-NEXT: {{\[\[}}0.609375, 0.984375],
  // CHECK-NEXT: [0.82421875, 0.7265625]]
  %bf16 = graph.random_uniform %key : tensor<i64> to tensor<2x2xbf16>
  // CHECK:      f64:
  // CHECK-NEXT: [0.8520581569456671, 0.5014164527014392]
  %f64 = graph.random_uniform %minus_one {stream = 7 : i64} : tensor<i64> to tensor<2xf64>
  // CHECK:      normal:
  // CHECK-NEXT: [-2.38777{{[0-9]+}}, 0.85278{{[0-9]+}}, 1.20073{{[0-9]+}}, -0.32037{{[0-9]+}}]
  %normal = graph.random_normal %key {stream = 3 : i64} : tensor<i64> to tensor<4xf32>
  return %f32, %bf16, %f64, %normal
      : tensor<2x2xf32>, tensor<2x2xbf16>, tensor<2xf64>, tensor<4xf32>
}
