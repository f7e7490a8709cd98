// reduce sum: the cotangent is repeated.
// RUN: graph-opt %s --graph-autodiff | FileCheck %s
// RUN: graph-opt %s --graph-autodiff | graph-interpret --entry=values | FileCheck %s --check-prefix=VALUES
// RUN: graph-interpret %s --check-grad --entry=f --random-inputs=1

!x = tensor<2x3x2xf64>

func.func @f(%x: !x, %g: tensor<3xf64>) -> tensor<f64> {
  %y = graph.reduce sum, %x dims = [0, 2] : !x to tensor<3xf64>
  %gy = graph.mul %y, %g : tensor<3xf64>
  %sum = graph.reduce sum, %gy dims = [0] : tensor<3xf64> to tensor<f64>
  return %sum : tensor<f64>
}

// CHECK-LABEL: func @gradient(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<2x3x2xf64>, %[[G:[^:]*]]: tensor<3xf64>
// CHECK:        graph.reduce sum, %[[X]] dims = [0, 2]
// CHECK:        graph.constant dense<1.000000e+00> : tensor<f64>
// CHECK:        %[[GY:.*]] = graph.mul %{{.*}}, %[[G]]
// CHECK-NEXT:   %[[DX:.*]] = graph.broadcast %[[GY]] dims = [1] : tensor<3xf64> to tensor<2x3x2xf64>
// CHECK-NEXT:   return %[[DX]]
func.func @gradient(%x: !x, %g: tensor<3xf64>)
    -> !x {
  %0:2 = graph.value_and_grad @f(%x, %g) wrt = [0]
      : (!x, tensor<3xf64>)
      -> (tensor<f64>, !x)
  return %0#1 : !x
}

// TORCH values(x): x.sum((0, 2))
// VALUES: result0:
// VALUES-NEXT: {{[[][[]}}[0.75, 0.75],
// VALUES-NEXT: [-0.3, -0.3],
// VALUES-NEXT: [1.5, 1.5]],
// VALUES-NEXT: {{[[][[]}}0.75, 0.75],
// VALUES-NEXT: [-0.3, -0.3],
// VALUES-NEXT: [1.5, 1.5]]]
func.func @values()
    -> (!x) {
  %x = graph.constant dense<[[[0.5, -1.25], [2.0, 0.75], [-0.3, 1.5]], [[-2.5, 0.9], [1.1, -0.7], [0.4, -1.6]]]> : !x
  %g = graph.constant dense<[0.75, -0.3, 1.5]> : tensor<3xf64>
  %0:2 = graph.value_and_grad @f(%x, %g) wrt = [0]
      : (!x, tensor<3xf64>)
      -> (tensor<f64>, !x)
  return %0#1
      : !x
}
