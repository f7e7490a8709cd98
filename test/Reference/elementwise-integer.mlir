// Integers wrap at their width; division by zero is -1 and the smallest integer
// divided by -1 is itself.
//
// RUN: graph-interpret %s | FileCheck %s

func.func @main() -> (
    tensor<3xi8> {graph.name = "neg"}, tensor<3xi8> {graph.name = "abs"},
    tensor<3xi8> {graph.name = "add"}, tensor<3xi8> {graph.name = "sub"},
    tensor<3xi8> {graph.name = "mul"}, tensor<5xi8> {graph.name = "div"},
    tensor<2xi64> {graph.name = "div64"}, tensor<3xi8> {graph.name = "max"},
    tensor<3xi8> {graph.name = "min"}) {
  %x = graph.constant dense<[-128, 100, 3]> : tensor<3xi8>
  %y = graph.constant dense<[-1, 100, -3]> : tensor<3xi8>

  // CHECK:      neg: tensor<3xi8>
  // CHECK-NEXT: [-128, -100, -3]
  %neg = graph.neg %x : tensor<3xi8>
  // CHECK:      abs:
  // CHECK-NEXT: [-128, 100, 3]
  %abs = graph.abs %x : tensor<3xi8>
  // CHECK:      add:
  // CHECK-NEXT: [127, -56, 0]
  %add = graph.add %x, %y : tensor<3xi8>
  // CHECK:      sub:
  // CHECK-NEXT: [-127, 0, 6]
  %sub = graph.sub %x, %y : tensor<3xi8>
  // CHECK:      mul:
  // CHECK-NEXT: [-128, 16, -9]
  %mul = graph.mul %x, %y : tensor<3xi8>
  // CHECK:      div:
  // CHECK-NEXT: [-128, -1, -1, -2, 2]
  %n = graph.constant dense<[-128, 0, 7, -7, 7]> : tensor<5xi8>
  %d = graph.constant dense<[-1, 0, 0, 3, 3]> : tensor<5xi8>
  %div = graph.div %n, %d : tensor<5xi8>
  // CHECK:      div64:
  // CHECK-NEXT: [-9223372036854775808, -1]
  %n64 = graph.constant dense<[-9223372036854775808, 1]> : tensor<2xi64>
  %d64 = graph.constant dense<[-1, 0]> : tensor<2xi64>
  %div64 = graph.div %n64, %d64 : tensor<2xi64>
  // CHECK:      max:
  // CHECK-NEXT: [-1, 100, 3]
  %max = graph.max %x, %y : tensor<3xi8>
  // CHECK:      min:
  // CHECK-NEXT: [-128, 100, -3]
  %min = graph.min %x, %y : tensor<3xi8>
  return %neg, %abs, %add, %sub, %mul, %div, %div64, %max, %min
      : tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<3xi8>,
        tensor<5xi8>, tensor<2xi64>, tensor<3xi8>, tensor<3xi8>
}
