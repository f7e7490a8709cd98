// pad: the strided slice where the operand stands.
// RUN: graph-opt %s --graph-autodiff | FileCheck %s
// RUN: graph-opt %s --graph-autodiff | graph-interpret --entry=values | FileCheck %s --check-prefix=VALUES
// RUN: graph-interpret %s --check-grad --entry=f --random-inputs=1

func.func @f(%x: tensor<2x3xf64>, %g: tensor<3x7xf64>) -> tensor<f64> {
  %y = graph.pad %x with 7.0 : f64 low = [1, 0] high = [0, 2] interior = [0, 1]
      : tensor<2x3xf64> to tensor<3x7xf64>
  %gy = graph.mul %y, %g : tensor<3x7xf64>
  %sum = graph.reduce sum, %gy dims = [0, 1] : tensor<3x7xf64> to tensor<f64>
  return %sum : tensor<f64>
}

// CHECK-LABEL: func @gradient(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<2x3xf64>, %[[G:[^:]*]]: tensor<3x7xf64>
// CHECK:        graph.pad %[[X]] with 7.000000e+00
// CHECK:        graph.constant dense<1.000000e+00> : tensor<f64>
// CHECK:        %[[GY:.*]] = graph.mul %{{.*}}, %[[G]]
// CHECK-NEXT:   %[[DX:.*]] = graph.slice %[[GY]] starts = [1, 0] limits = [3, 5] strides = [1, 2]
// CHECK-NEXT:   return %[[DX]]
func.func @gradient(%x: tensor<2x3xf64>, %g: tensor<3x7xf64>)
    -> tensor<2x3xf64> {
  %0:2 = graph.value_and_grad @f(%x, %g) wrt = [0]
      : (tensor<2x3xf64>, tensor<3x7xf64>)
      -> (tensor<f64>, tensor<2x3xf64>)
  return %0#1 : tensor<2x3xf64>
}

// TORCH values(x): F.pad(torch.stack([x, 0 * x], 2).reshape(2, 6)[:, :5], (0, 2, 1, 0))
// VALUES: result0:
// VALUES-NEXT: {{[[][[]}}0.4, 0.5, 2],
// VALUES-NEXT: [1.5, 0.9, -0.7]]
func.func @values()
    -> (tensor<2x3xf64>) {
  %x = graph.constant dense<[[0.5, -1.25, 2.0], [0.75, -0.3, 1.5]]> : tensor<2x3xf64>
  %g = graph.constant dense<[[0.75, -0.3, 1.5, -2.5, 0.9, 1.1, -0.7], [0.4, -1.6, 0.5, -1.25, 2.0, 0.75, -0.3], [1.5, -2.5, 0.9, 1.1, -0.7, 0.4, -1.6]]> : tensor<3x7xf64>
  %0:2 = graph.value_and_grad @f(%x, %g) wrt = [0]
      : (tensor<2x3xf64>, tensor<3x7xf64>)
      -> (tensor<f64>, tensor<2x3xf64>)
  return %0#1
      : tensor<2x3xf64>
}
