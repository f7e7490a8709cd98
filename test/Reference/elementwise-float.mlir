// RUN: graph-interpret %s | FileCheck %s

func.func @main() -> (
    tensor<3xf32> {graph.name = "neg"}, tensor<3xf32> {graph.name = "abs"},
    tensor<3xf32> {graph.name = "exp"}, tensor<4xf32> {graph.name = "log"},
    tensor<4xf32> {graph.name = "sqrt"}, tensor<4xf32> {graph.name = "rsqrt"},
    tensor<3xf32> {graph.name = "tanh"}, tensor<3xf32> {graph.name = "erf"},
    tensor<3xf32> {graph.name = "logistic"}, tensor<3xf32> {graph.name = "sin"},
    tensor<3xf32> {graph.name = "cos"}, tensor<3xf32> {graph.name = "add"},
    tensor<3xf32> {graph.name = "sub"}, tensor<3xf32> {graph.name = "mul"},
    tensor<3xf32> {graph.name = "div"}, tensor<6xf32> {graph.name = "pow"}) {
  %x = graph.constant dense<[-1.5, 0.0, 2.0]> : tensor<3xf32>
  %y = graph.constant dense<[0.5, 0.0, -4.0]> : tensor<3xf32>
  %p = graph.constant dense<[-1.0, 0.0, 0.25, 4.0]> : tensor<4xf32>
  %base = graph.constant dense<[2.0, -8.0, -8.0, 0.0, 0x7FC00000, 0.0]> : tensor<6xf32>
  %power = graph.constant dense<[0.5, 3.0, 0.5, 0.0, 0.0, -1.0]> : tensor<6xf32>

  // CHECK:      neg: tensor<3xf32>
  // CHECK-NEXT: [1.5, -0, -2]
  %neg = graph.neg %x : tensor<3xf32>
  // CHECK:      abs:
  // CHECK-NEXT: [1.5, 0, 2]
  %abs = graph.abs %x : tensor<3xf32>
  // CHECK:      exp:
  // CHECK-NEXT: [0.22313, 1, 7.38906]
  %exp = graph.exp %x : tensor<3xf32>
  // CHECK:      log:
  // CHECK-NEXT: [nan, -inf, -1.38629, 1.38629]
  %log = graph.log %p : tensor<4xf32>
  // CHECK:      sqrt:
  // CHECK-NEXT: [nan, 0, 0.5, 2]
  %sqrt = graph.sqrt %p : tensor<4xf32>
  // CHECK:      rsqrt:
  // CHECK-NEXT: [nan, inf, 2, 0.5]
  %rsqrt = graph.rsqrt %p : tensor<4xf32>
  // CHECK:      tanh:
  // CHECK-NEXT: [-0.905148, 0, 0.964028]
  %tanh = graph.tanh %x : tensor<3xf32>
  // CHECK:      erf:
  // CHECK-NEXT: [-0.966105, 0, 0.995322]
  %erf = graph.erf %x : tensor<3xf32>
  // CHECK:      logistic:
  // CHECK-NEXT: [0.182426, 0.5, 0.880797]
  %logistic = graph.logistic %x : tensor<3xf32>
  // CHECK:      sin:
  // CHECK-NEXT: [-0.997495, 0, 0.909297]
  %sin = graph.sin %x : tensor<3xf32>
  // CHECK:      cos:
  // CHECK-NEXT: [0.0707372, 1, -0.416147]
  %cos = graph.cos %x : tensor<3xf32>
  // CHECK:      add:
  // CHECK-NEXT: [-1, 0, -2]
  %add = graph.add %x, %y : tensor<3xf32>
  // CHECK:      sub:
  // CHECK-NEXT: [-2, 0, 6]
  %sub = graph.sub %x, %y : tensor<3xf32>
  // CHECK:      mul:
  // CHECK-NEXT: [-0.75, 0, -8]
  %mul = graph.mul %x, %y : tensor<3xf32>
  // CHECK:      div:
  // CHECK-NEXT: [-3, nan, -0.5]
  %div = graph.div %x, %y : tensor<3xf32>
  // CHECK:      pow:
  // CHECK-NEXT: [1.41421, -512, nan, 1, 1, inf]
  %pow = graph.pow %base, %power : tensor<6xf32>
  return %neg, %abs, %exp, %log, %sqrt, %rsqrt, %tanh, %erf, %logistic, %sin,
      %cos, %add, %sub, %mul, %div, %pow
      : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4xf32>,
        tensor<4xf32>, tensor<4xf32>, tensor<3xf32>, tensor<3xf32>,
        tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>,
        tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<6xf32>
}
