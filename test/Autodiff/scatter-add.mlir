// scatter_add: the cotangent itself, and its rows.
// RUN: graph-opt %s --graph-autodiff | FileCheck %s
// RUN: graph-opt %s --graph-autodiff | graph-interpret --entry=values | FileCheck %s --check-prefix=VALUES
// RUN: graph-interpret %s --check-grad --entry=f --random-inputs=1

func.func @f(%x: tensor<3x2xf64>, %i: tensor<4xi64>, %z: tensor<4x2xf64>, %g: tensor<3x2xf64>) -> tensor<f64> {
  %y = graph.scatter_add fill %x[%i], %z
      : tensor<3x2xf64>[tensor<4xi64>], tensor<4x2xf64> to tensor<3x2xf64>
  %gy = graph.mul %y, %g : tensor<3x2xf64>
  %sum = graph.reduce sum, %gy dims = [0, 1] : tensor<3x2xf64> to tensor<f64>
  return %sum : tensor<f64>
}

// CHECK-LABEL: func @gradient(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<3x2xf64>, %[[I:[^:]*]]: tensor<4xi64>, %[[Z:[^:]*]]: tensor<4x2xf64>, %[[G:[^:]*]]: tensor<3x2xf64>
// CHECK:        graph.scatter_add fill %[[X]][%[[I]]], %[[Z]]
// CHECK:        graph.constant dense<1.000000e+00> : tensor<f64>
// CHECK:        %[[GY:.*]] = graph.mul %{{.*}}, %[[G]]
// CHECK-NEXT:   %[[DZ:.*]] = graph.gather fill %[[GY]][%[[I]]]
// CHECK-NEXT:   return %[[GY]], %[[DZ]]
func.func @gradient(%x: tensor<3x2xf64>, %i: tensor<4xi64>, %z: tensor<4x2xf64>, %g: tensor<3x2xf64>)
    -> (tensor<3x2xf64>, tensor<4x2xf64>) {
  %0:3 = graph.value_and_grad @f(%x, %i, %z, %g) wrt = [0, 2]
      : (tensor<3x2xf64>, tensor<4xi64>, tensor<4x2xf64>, tensor<3x2xf64>)
      -> (tensor<f64>, tensor<3x2xf64>, tensor<4x2xf64>)
  return %0#1, %0#2 : tensor<3x2xf64>, tensor<4x2xf64>
}

// TORCH values(x, z): x.index_add(0, i.clamp(0, 2), torch.where(((i >= 0) & (i < 3))[:, None], z, 0.))
// VALUES: result0:
// VALUES-NEXT: {{[[][[]}}0.75, -0.3],
// VALUES-NEXT: [1.5, -2.5],
// VALUES-NEXT: [0.9, 1.1]]
// VALUES: result1:
// VALUES-NEXT: {{[[][[]}}0.9, 1.1],
// VALUES-NEXT: [0.75, -0.3],
// VALUES-NEXT: [0.9, 1.1],
// VALUES-NEXT: [0, 0]]
func.func @values()
    -> (tensor<3x2xf64>, tensor<4x2xf64>) {
  %x = graph.constant dense<[[0.5, -1.25], [2.0, 0.75], [-0.3, 1.5]]> : tensor<3x2xf64>
  %i = graph.constant dense<[2, 0, 2, -1]> : tensor<4xi64>
  %z = graph.constant dense<[[-1.25, 2.0], [0.75, -0.3], [1.5, -2.5], [0.9, 1.1]]> : tensor<4x2xf64>
  %g = graph.constant dense<[[0.75, -0.3], [1.5, -2.5], [0.9, 1.1]]> : tensor<3x2xf64>
  %0:3 = graph.value_and_grad @f(%x, %i, %z, %g) wrt = [0, 2]
      : (tensor<3x2xf64>, tensor<4xi64>, tensor<4x2xf64>, tensor<3x2xf64>)
      -> (tensor<f64>, tensor<3x2xf64>, tensor<4x2xf64>)
  return %0#1, %0#2
      : tensor<3x2xf64>, tensor<4x2xf64>
}
