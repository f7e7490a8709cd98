// slice: padded with zeros, also between the elements of a stride.
// RUN: graph-opt %s --graph-autodiff | FileCheck %s
// RUN: graph-opt %s --graph-autodiff | graph-interpret --entry=values | FileCheck %s --check-prefix=VALUES
// RUN: graph-interpret %s --check-grad --entry=f --random-inputs=1

func.func @f(%x: tensor<3x8xf64>, %g: tensor<2x2xf64>) -> tensor<f64> {
  %y = graph.slice %x starts = [1, 1] limits = [3, 7] strides = [1, 3]
      : tensor<3x8xf64> to tensor<2x2xf64>
  %gy = graph.mul %y, %g : tensor<2x2xf64>
  %sum = graph.reduce sum, %gy dims = [0, 1] : tensor<2x2xf64> to tensor<f64>
  return %sum : tensor<f64>
}

// CHECK-LABEL: func @gradient(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<3x8xf64>, %[[G:[^:]*]]: tensor<2x2xf64>
// CHECK:        graph.slice %[[X]] starts = [1, 1] limits = [3, 7] strides = [1, 3]
// CHECK:        graph.constant dense<1.000000e+00> : tensor<f64>
// CHECK:        %[[GY:.*]] = graph.mul %{{.*}}, %[[G]]
// CHECK-NEXT:   %[[DX:.*]] = graph.pad %[[GY]] with 0.000000e+00
// CHECK-NEXT:   return %[[DX]]
func.func @gradient(%x: tensor<3x8xf64>, %g: tensor<2x2xf64>)
    -> tensor<3x8xf64> {
  %0:2 = graph.value_and_grad @f(%x, %g) wrt = [0]
      : (tensor<3x8xf64>, tensor<2x2xf64>)
      -> (tensor<f64>, tensor<3x8xf64>)
  return %0#1 : tensor<3x8xf64>
}

// TORCH values(x): x[1:3, 1:7:3]
// VALUES: result0:
// VALUES-NEXT: {{[[][[]}}0, 0, 0, 0, 0, 0, 0, 0],
// VALUES-NEXT: [0, 0.75, 0, 0, -0.3, 0, 0, 0],
// VALUES-NEXT: [0, 1.5, 0, 0, -2.5, 0, 0, 0]]
func.func @values()
    -> (tensor<3x8xf64>) {
  %x = graph.constant dense<[[0.5, -1.25, 2.0, 0.75, -0.3, 1.5, -2.5, 0.9], [1.1, -0.7, 0.4, -1.6, 0.5, -1.25, 2.0, 0.75], [-0.3, 1.5, -2.5, 0.9, 1.1, -0.7, 0.4, -1.6]]> : tensor<3x8xf64>
  %g = graph.constant dense<[[0.75, -0.3], [1.5, -2.5]]> : tensor<2x2xf64>
  %0:2 = graph.value_and_grad @f(%x, %g) wrt = [0]
      : (tensor<3x8xf64>, tensor<2x2xf64>)
      -> (tensor<f64>, tensor<3x8xf64>)
  return %0#1
      : tensor<3x8xf64>
}
