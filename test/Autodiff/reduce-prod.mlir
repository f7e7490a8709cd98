// reduce prod: the product of the other elements, without division.
// RUN: graph-opt %s --graph-autodiff | FileCheck %s
// RUN: graph-opt %s --graph-autodiff | graph-interpret --entry=values | FileCheck %s --check-prefix=VALUES
// RUN: graph-interpret %s --check-grad --entry=f --random-inputs=1
// RUN: graph-interpret %s --check-grad --entry=along --random-inputs=1

func.func @f(%x: tensor<4x5xf64>, %g: tensor<4xf64>) -> tensor<f64> {
  %y = graph.reduce prod, %x dims = [1] : tensor<4x5xf64> to tensor<4xf64>
  %gy = graph.mul %y, %g : tensor<4xf64>
  %sum = graph.reduce sum, %gy dims = [0] : tensor<4xf64> to tensor<f64>
  return %sum : tensor<f64>
}

// CHECK-LABEL: func @gradient(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4x5xf64>, %[[G:[^:]*]]: tensor<4xf64>
// CHECK:        graph.constant dense<1.000000e+00> : tensor<f64>
// CHECK:        %[[GY:.*]] = graph.mul %{{.*}}, %[[G]]
// CHECK:        graph.slice %{{.*}} starts = [0, 0] limits = [4, 6] strides = [1, 2]
// CHECK-NEXT:   graph.slice %{{.*}} starts = [0, 1] limits = [4, 6] strides = [1, 2]
// CHECK:        graph.broadcast %[[GY]] dims = [0] : tensor<4xf64> to tensor<4x5xf64>
// CHECK:        return %{{.*}}
func.func @gradient(%x: tensor<4x5xf64>, %g: tensor<4xf64>)
    -> tensor<4x5xf64> {
  %0:2 = graph.value_and_grad @f(%x, %g) wrt = [0]
      : (tensor<4x5xf64>, tensor<4xf64>)
      -> (tensor<f64>, tensor<4x5xf64>)
  return %0#1 : tensor<4x5xf64>
}

func.func @along(%x: tensor<4x5xf64>, %g: tensor<4xf64>, %v_x: tensor<4x5xf64>)
    -> tensor<f64> {
  %0:2 = graph.value_and_grad @f(%x, %g) wrt = [0]
      : (tensor<4x5xf64>, tensor<4xf64>)
      -> (tensor<f64>, tensor<4x5xf64>)
  %p0 = graph.mul %v_x, %0#1 : tensor<4x5xf64>
  %s0 = graph.reduce sum, %p0 dims = [0, 1] : tensor<4x5xf64> to tensor<f64>
  return %s0 : tensor<f64>
}

// TORCH values(x): x.prod(1)
// VALUES: result0:
// VALUES-NEXT: {{[[][[]}}0.421875, -0.16875, 0.105469, 0.28125, -0.703125],
// VALUES-NEXT: [1.11375, 0, -0, 0, 0],
// VALUES-NEXT: [0, 0, 0, 0, 0],
// VALUES-NEXT: [15, 15, 5, -15, 7.5]]
// VALUES: result1:
// VALUES-NEXT: {{[[][[]}}2.63672, -1.22344, 0.928125, 2.18906, -4.86328],
// VALUES-NEXT: [-0.932625, 0.297, -0.1782, 0.495, 0.405],
// VALUES-NEXT: [9, 0, 4.5, 0, 0],
// VALUES-NEXT: [19.25, 46.25, 11.25, -11.75, 16]]
func.func @values()
    -> (tensor<4x5xf64>, tensor<4x5xf64>) {
  %x = graph.constant dense<[[0.5, -1.25, 2.0, 0.75, -0.3], [0.0, 1.5, -2.5, 0.9, 1.1], [0.0, 0.5, 0.0, 2.0, 4.0], [1.0, 1.0, 3.0, -1.0, 2.0]]> : tensor<4x5xf64>
  %g = graph.constant dense<[0.75, -0.3, 1.5, -2.5]> : tensor<4xf64>
  %v_x = graph.constant dense<[[1.5, -2.5, 0.9, 1.1, -0.7], [0.4, -1.6, 0.5, -1.25, 2.0], [0.75, -0.3, 1.5, -2.5, 0.9], [1.1, -0.7, 0.4, -1.6, 0.5]]> : tensor<4x5xf64>
  %0:2 = graph.value_and_grad @f(%x, %g) wrt = [0]
      : (tensor<4x5xf64>, tensor<4xf64>)
      -> (tensor<f64>, tensor<4x5xf64>)
  %1:2 = graph.value_and_grad @along(%x, %g, %v_x) wrt = [0]
      : (tensor<4x5xf64>, tensor<4xf64>, tensor<4x5xf64>)
      -> (tensor<f64>, tensor<4x5xf64>)
  return %0#1, %1#1
      : tensor<4x5xf64>, tensor<4x5xf64>
}
