// gather with clip: an index out of range leads to the nearest row.
// RUN: graph-opt %s --graph-autodiff | FileCheck %s
// RUN: graph-opt %s --graph-autodiff | graph-interpret --entry=values | FileCheck %s --check-prefix=VALUES
// RUN: graph-interpret %s --check-grad --entry=f --random-inputs=1
// RUN: graph-interpret %s --check-grad --entry=along --random-inputs=1

func.func @f(%x: tensor<3x2xf64>, %i: tensor<5xi32>, %g: tensor<5x2xf64>) -> tensor<f64> {
  %y = graph.gather clip %x[%i]
      : tensor<3x2xf64>[tensor<5xi32>] to tensor<5x2xf64>
  %gy = graph.mul %y, %g : tensor<5x2xf64>
  %sum = graph.reduce sum, %gy dims = [0, 1] : tensor<5x2xf64> to tensor<f64>
  return %sum : tensor<f64>
}

// CHECK-LABEL: func @gradient(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<3x2xf64>, %[[I:[^:]*]]: tensor<5xi32>, %[[G:[^:]*]]: tensor<5x2xf64>
// CHECK:        graph.gather clip %[[X]][%[[I]]]
// CHECK:        graph.constant dense<1.000000e+00> : tensor<f64>
// CHECK:        %[[GY:.*]] = graph.mul %{{.*}}, %[[G]]
// CHECK-NEXT:   %[[T0:.*]] = graph.constant dense<0.000000e+00> : tensor<3x2xf64>
// CHECK-NEXT:   %[[DX:.*]] = graph.scatter_add clip %[[T0]][%[[I]]], %[[GY]]
// CHECK-NEXT:   return %[[DX]]
func.func @gradient(%x: tensor<3x2xf64>, %i: tensor<5xi32>, %g: tensor<5x2xf64>)
    -> tensor<3x2xf64> {
  %0:2 = graph.value_and_grad @f(%x, %i, %g) wrt = [0]
      : (tensor<3x2xf64>, tensor<5xi32>, tensor<5x2xf64>)
      -> (tensor<f64>, tensor<3x2xf64>)
  return %0#1 : tensor<3x2xf64>
}

func.func @along(%x: tensor<3x2xf64>, %i: tensor<5xi32>, %g: tensor<5x2xf64>, %v_x: tensor<3x2xf64>)
    -> tensor<f64> {
  %0:2 = graph.value_and_grad @f(%x, %i, %g) wrt = [0]
      : (tensor<3x2xf64>, tensor<5xi32>, tensor<5x2xf64>)
      -> (tensor<f64>, tensor<3x2xf64>)
  %p0 = graph.mul %v_x, %0#1 : tensor<3x2xf64>
  %s0 = graph.reduce sum, %p0 dims = [0, 1] : tensor<3x2xf64> to tensor<f64>
  return %s0 : tensor<f64>
}

// TORCH values(x): x[i.clamp(0, 2)]
// VALUES: result0:
// VALUES-NEXT: {{[[][[]}}0.8, -2.1],
// VALUES-NEXT: [0, 0],
// VALUES-NEXT: [0.05, 1.3]]
// VALUES: result1:
// VALUES-NEXT: {{[[][[]}}0, 0],
// VALUES-NEXT: [0, 0],
// VALUES-NEXT: [0, 0]]
func.func @values()
    -> (tensor<3x2xf64>, tensor<3x2xf64>) {
  %x = graph.constant dense<[[0.5, -1.25], [2.0, 0.75], [-0.3, 1.5]]> : tensor<3x2xf64>
  %i = graph.constant dense<[2, 0, 2, -1, 3]> : tensor<5xi32>
  %g = graph.constant dense<[[0.75, -0.3], [1.5, -2.5], [0.9, 1.1], [-0.7, 0.4], [-1.6, 0.5]]> : tensor<5x2xf64>
  %v_x = graph.constant dense<[[1.5, -2.5], [0.9, 1.1], [-0.7, 0.4]]> : tensor<3x2xf64>
  %0:2 = graph.value_and_grad @f(%x, %i, %g) wrt = [0]
      : (tensor<3x2xf64>, tensor<5xi32>, tensor<5x2xf64>)
      -> (tensor<f64>, tensor<3x2xf64>)
  %1:2 = graph.value_and_grad @along(%x, %i, %g, %v_x) wrt = [0]
      : (tensor<3x2xf64>, tensor<5xi32>, tensor<5x2xf64>, tensor<3x2xf64>)
      -> (tensor<f64>, tensor<3x2xf64>)
  return %0#1, %1#1
      : tensor<3x2xf64>, tensor<3x2xf64>
}
