// concat: a slice for each operand that is active.
// RUN: graph-opt %s --graph-autodiff | FileCheck %s
// RUN: graph-opt %s --graph-autodiff | graph-interpret --entry=values | FileCheck %s --check-prefix=VALUES
// RUN: graph-interpret %s --check-grad --entry=f --random-inputs=1

func.func @f(%x: tensor<2x2xf64>, %c: tensor<2x1xf64>, %z: tensor<2x3xf64>, %g: tensor<2x6xf64>) -> tensor<f64> {
  %y = graph.concat %x, %c, %z dim = 1
      : (tensor<2x2xf64>, tensor<2x1xf64>, tensor<2x3xf64>) -> tensor<2x6xf64>
  %gy = graph.mul %y, %g : tensor<2x6xf64>
  %sum = graph.reduce sum, %gy dims = [0, 1] : tensor<2x6xf64> to tensor<f64>
  return %sum : tensor<f64>
}

// CHECK-LABEL: func @gradient(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<2x2xf64>, %[[C:[^:]*]]: tensor<2x1xf64>, %[[Z:[^:]*]]: tensor<2x3xf64>, %[[G:[^:]*]]: tensor<2x6xf64>
// CHECK:        graph.concat %[[X]], %[[C]], %[[Z]] dim = 1
// CHECK:        graph.constant dense<1.000000e+00> : tensor<f64>
// CHECK:        %[[GY:.*]] = graph.mul %{{.*}}, %[[G]]
// CHECK-NEXT:   %[[DX:.*]] = graph.slice %[[GY]] starts = [0, 0] limits = [2, 2] strides = [1, 1]
// CHECK-NEXT:   %[[DZ:.*]] = graph.slice %[[GY]] starts = [0, 3] limits = [2, 6] strides = [1, 1]
// CHECK-NEXT:   return %[[DX]], %[[DZ]]
func.func @gradient(%x: tensor<2x2xf64>, %c: tensor<2x1xf64>, %z: tensor<2x3xf64>, %g: tensor<2x6xf64>)
    -> (tensor<2x2xf64>, tensor<2x3xf64>) {
  %0:3 = graph.value_and_grad @f(%x, %c, %z, %g) wrt = [0, 2]
      : (tensor<2x2xf64>, tensor<2x1xf64>, tensor<2x3xf64>, tensor<2x6xf64>)
      -> (tensor<f64>, tensor<2x2xf64>, tensor<2x3xf64>)
  return %0#1, %0#2 : tensor<2x2xf64>, tensor<2x3xf64>
}

// TORCH values(x, z): torch.cat([x, c, z], 1)
// VALUES: result0:
// VALUES-NEXT: {{[[][[]}}0.75, -0.3],
// VALUES-NEXT: [-0.7, 0.4]]
// VALUES: result1:
// VALUES-NEXT: {{[[][[]}}-2.5, 0.9, 1.1],
// VALUES-NEXT: [0.5, -1.25, 2]]
func.func @values()
    -> (tensor<2x2xf64>, tensor<2x3xf64>) {
  %x = graph.constant dense<[[0.5, -1.25], [2.0, 0.75]]> : tensor<2x2xf64>
  %c = graph.constant dense<[[0.5], [-1.25]]> : tensor<2x1xf64>
  %z = graph.constant dense<[[0.5, -1.25, 2.0], [0.75, -0.3, 1.5]]> : tensor<2x3xf64>
  %g = graph.constant dense<[[0.75, -0.3, 1.5, -2.5, 0.9, 1.1], [-0.7, 0.4, -1.6, 0.5, -1.25, 2.0]]> : tensor<2x6xf64>
  %0:3 = graph.value_and_grad @f(%x, %c, %z, %g) wrt = [0, 2]
      : (tensor<2x2xf64>, tensor<2x1xf64>, tensor<2x3xf64>, tensor<2x6xf64>)
      -> (tensor<f64>, tensor<2x2xf64>, tensor<2x3xf64>)
  return %0#1, %0#2
      : tensor<2x2xf64>, tensor<2x3xf64>
}
