// RUN: graph-interpret %s --full-precision | FileCheck %s

func.func @main() -> (
    tensor<3xbf16> {graph.name = "to_bf16"}, tensor<3xf16> {graph.name = "to_f16"},
    tensor<1xf32> {graph.name = "to_f32"}, tensor<1xf64> {graph.name = "widened"},
    tensor<6xi8> {graph.name = "to_i8"}, tensor<3xi64> {graph.name = "to_i64"},
    tensor<4xi1> {graph.name = "to_i1"}, tensor<2xf32> {graph.name = "from_i1"},
    tensor<2xi8> {graph.name = "i1_to_i8"}, tensor<3xi8> {graph.name = "truncated"},
    tensor<2xi64> {graph.name = "extended"}, tensor<2xi1> {graph.name = "i16_to_i1"}) {
  // Ties go to even: 257 lies between the bf16 values 256 and 258, 259 between
  // 258 and 260.
  // CHECK:      to_bf16:
  // CHECK-NEXT: [256, 260, inf]
  %x = graph.constant dense<[257.0, 259.0, 3.4e38]> : tensor<3xf32>
  %to_bf16 = graph.cast %x : tensor<3xf32> to tensor<3xbf16>
  // CHECK:      to_f16:
  // CHECK-NEXT: [257, 2048, inf]
  %h = graph.constant dense<[257.0, 2049.0, 65520.0]> : tensor<3xf32>
  %to_f16 = graph.cast %h : tensor<3xf32> to tensor<3xf16>
  // CHECK:      to_f32:
  // CHECK-NEXT: [0.10000000149011612]
  %d = graph.constant dense<0.1> : tensor<1xf64>
  %to_f32 = graph.cast %d : tensor<1xf64> to tensor<1xf32>
  // CHECK:      widened:
  // CHECK-NEXT: [0.10000000149011612]
  %widened = graph.cast %to_f32 : tensor<1xf32> to tensor<1xf64>

  // Toward zero, saturating, NaN to 0.
  // CHECK:      to_i8:
  // CHECK-NEXT: [1, -1, 127, -128, 0, 127]
  %f = graph.constant dense<[1.9, -1.9, 300.0, -1.0e9, 0x7FC00000, 0x7F800000]> : tensor<6xf32>
  %to_i8 = graph.cast %f : tensor<6xf32> to tensor<6xi8>
  // CHECK:      to_i64:
  // CHECK-NEXT: [9223372036854775807, -9223372036854775808, 9007199254740992]
  %g = graph.constant dense<[9223372036854775808.0, -1.0e30, 9007199254740992.0]> : tensor<3xf64>
  %to_i64 = graph.cast %g : tensor<3xf64> to tensor<3xi64>
  // CHECK:      to_i1:
  // CHECK-NEXT: [false, false, true, true]
  %z = graph.constant dense<[0.0, -0.0, 0.25, 0x7FC00000]> : tensor<4xf32>
  %to_i1 = graph.cast %z : tensor<4xf32> to tensor<4xi1>
  // CHECK:      from_i1:
  // CHECK-NEXT: [0, 1]
  %b = graph.constant dense<[false, true]> : tensor<2xi1>
  %from_i1 = graph.cast %b : tensor<2xi1> to tensor<2xf32>
  // CHECK:      i1_to_i8:
  // CHECK-NEXT: [0, 1]
  %i1_to_i8 = graph.cast %b : tensor<2xi1> to tensor<2xi8>
  // CHECK:      truncated:
  // CHECK-NEXT: [44, -1, -128]
  %w = graph.constant dense<[300, -1, 128]> : tensor<3xi32>
  %truncated = graph.cast %w : tensor<3xi32> to tensor<3xi8>
  // CHECK:      extended:
  // CHECK-NEXT: [-3, 3]
  %n = graph.constant dense<[-3, 3]> : tensor<2xi16>
  %extended = graph.cast %n : tensor<2xi16> to tensor<2xi64>
  // CHECK:      i16_to_i1:
  // CHECK-NEXT: [false, true]
  %s = graph.constant dense<[0, 256]> : tensor<2xi16>
  %i16_to_i1 = graph.cast %s : tensor<2xi16> to tensor<2xi1>
  return %to_bf16, %to_f16, %to_f32, %widened, %to_i8, %to_i64, %to_i1,
      %from_i1, %i1_to_i8, %truncated, %extended, %i16_to_i1
      : tensor<3xbf16>, tensor<3xf16>, tensor<1xf32>, tensor<1xf64>,
        tensor<6xi8>, tensor<3xi64>, tensor<4xi1>, tensor<2xf32>,
        tensor<2xi8>, tensor<3xi8>, tensor<2xi64>, tensor<2xi1>
}
