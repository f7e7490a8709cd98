// With NaN only `ne` holds; max and min give NaN if either operand is NaN.
//
// RUN: graph-interpret %s | FileCheck %s

func.func @main() -> (
    tensor<4xi1> {graph.name = "eq"}, tensor<4xi1> {graph.name = "ne"},
    tensor<4xi1> {graph.name = "lt"}, tensor<4xi1> {graph.name = "le"},
    tensor<4xi1> {graph.name = "gt"}, tensor<4xi1> {graph.name = "ge"},
    tensor<4xi1> {graph.name = "lt_i8"}, tensor<4xi1> {graph.name = "lt_i1"},
    tensor<4xf32> {graph.name = "max"}, tensor<4xf32> {graph.name = "min"},
    tensor<4xi1> {graph.name = "or"}, tensor<4xi1> {graph.name = "and"},
    tensor<4xf32> {graph.name = "select"}) {
  %x = graph.constant dense<[1.0, 2.0, -0.0, 0x7FC00000]> : tensor<4xf32>
  %y = graph.constant dense<[2.0, 2.0, 0.0, 1.0]> : tensor<4xf32>
  // CHECK:      eq: tensor<4xi1>
  // CHECK-NEXT: [false, true, true, false]
  %eq = graph.compare eq, %x, %y : tensor<4xf32> to tensor<4xi1>
  // CHECK:      ne:
  // CHECK-NEXT: [true, false, false, true]
  %ne = graph.compare ne, %x, %y : tensor<4xf32> to tensor<4xi1>
  // CHECK:      lt:
  // CHECK-NEXT: [true, false, false, false]
  %lt = graph.compare lt, %x, %y : tensor<4xf32> to tensor<4xi1>
  // CHECK:      le:
  // CHECK-NEXT: [true, true, true, false]
  %le = graph.compare le, %x, %y : tensor<4xf32> to tensor<4xi1>
  // CHECK:      gt:
  // CHECK-NEXT: [false, false, false, false]
  %gt = graph.compare gt, %x, %y : tensor<4xf32> to tensor<4xi1>
  // CHECK:      ge:
  // CHECK-NEXT: [false, true, true, false]
  %ge = graph.compare ge, %x, %y : tensor<4xf32> to tensor<4xi1>

  // Integers are signed, i1 orders false before true.
  // CHECK:      lt_i8:
  // CHECK-NEXT: [true, false, false, true]
  %i = graph.constant dense<[-128, 127, 0, -1]> : tensor<4xi8>
  %j = graph.constant dense<[127, -128, 0, 0]> : tensor<4xi8>
  %lt_i8 = graph.compare lt, %i, %j : tensor<4xi8> to tensor<4xi1>
  // CHECK:      lt_i1:
  // CHECK-NEXT: [false, true, false, false]
  %p = graph.constant dense<[false, false, true, true]> : tensor<4xi1>
  %q = graph.constant dense<[false, true, false, true]> : tensor<4xi1>
  %lt_i1 = graph.compare lt, %p, %q : tensor<4xi1> to tensor<4xi1>

  // CHECK:      max:
  // CHECK-NEXT: [2, 2, 0, nan]
  %max = graph.max %x, %y : tensor<4xf32>
  // CHECK:      min:
  // CHECK-NEXT: [1, 2, -0, nan]
  %min = graph.min %x, %y : tensor<4xf32>
  // CHECK:      or:
  // CHECK-NEXT: [false, true, true, true]
  %or = graph.max %p, %q : tensor<4xi1>
  // CHECK:      and:
  // CHECK-NEXT: [false, false, false, true]
  %and = graph.min %p, %q : tensor<4xi1>

  // CHECK:      select:
  // CHECK-NEXT: [2, 2, -0, nan]
  %select = graph.select %p, %x, %y : tensor<4xf32>
  return %eq, %ne, %lt, %le, %gt, %ge, %lt_i8, %lt_i1, %max, %min, %or, %and,
      %select
      : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>,
        tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xf32>,
        tensor<4xf32>, tensor<4xi1>, tensor<4xi1>, tensor<4xf32>
}
