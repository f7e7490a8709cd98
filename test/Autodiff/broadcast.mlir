// broadcast: the sum over the repetitions.
// RUN: graph-opt %s --graph-autodiff | FileCheck %s
// RUN: graph-opt %s --graph-autodiff | graph-interpret --entry=values | FileCheck %s --check-prefix=VALUES
// RUN: graph-interpret %s --check-grad --entry=f --random-inputs=1

!x = tensor<3x2xf64>
!y = tensor<2x3x2xf64>

func.func @f(%x: !x, %g: !y) -> tensor<f64> {
  %y = graph.broadcast %x dims = [1, 2] : !x to !y
  %gy = graph.mul %y, %g : !y
  %sum = graph.reduce sum, %gy dims = [0, 1, 2] : !y to tensor<f64>
  return %sum : tensor<f64>
}

// CHECK-LABEL: func @gradient(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<3x2xf64>, %[[G:[^:]*]]: tensor<2x3x2xf64>
// CHECK:        graph.broadcast %[[X]] dims = [1, 2] : tensor<3x2xf64> to tensor<2x3x2xf64>
// CHECK:        graph.constant dense<1.000000e+00> : tensor<f64>
// CHECK:        %[[GY:.*]] = graph.mul %{{.*}}, %[[G]]
// CHECK-NEXT:   %[[DX:.*]] = graph.reduce sum, %[[GY]] dims = [0]
// CHECK-NEXT:   return %[[DX]]
func.func @gradient(%x: !x, %g: !y)
    -> !x {
  %0:2 = graph.value_and_grad @f(%x, %g) wrt = [0]
      : (!x, !y)
      -> (tensor<f64>, !x)
  return %0#1 : !x
}

// TORCH values(x): x.expand(2, 3, 2)
// VALUES: result0:
// VALUES-NEXT: {{[[][[]}}0.05, 0.1],
// VALUES-NEXT: [-0.1, -2],
// VALUES-NEXT: [-0.35, 3.1]]
func.func @values()
    -> (!x) {
  %x = graph.constant dense<[[0.5, -1.25], [2.0, 0.75], [-0.3, 1.5]]> : !x
  %g = graph.constant dense<[[[0.75, -0.3], [1.5, -2.5], [0.9, 1.1]], [[-0.7, 0.4], [-1.6, 0.5], [-1.25, 2.0]]]> : !y
  %0:2 = graph.value_and_grad @f(%x, %g) wrt = [0]
      : (!x, !y)
      -> (tensor<f64>, !x)
  return %0#1
      : !x
}
