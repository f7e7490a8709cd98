// cast: the cotangent is cast back.
// RUN: graph-opt %s --graph-autodiff | FileCheck %s
// RUN: graph-opt %s --graph-autodiff | graph-interpret --entry=values | FileCheck %s --check-prefix=VALUES
// RUN: graph-interpret %s --check-grad --entry=f --random-inputs=1

func.func @f(%x: tensor<5xf32>, %g: tensor<5xf64>) -> tensor<f64> {
  %y = graph.cast %x : tensor<5xf32> to tensor<5xf64>
  %gy = graph.mul %y, %g : tensor<5xf64>
  %sum = graph.reduce sum, %gy dims = [0] : tensor<5xf64> to tensor<f64>
  return %sum : tensor<f64>
}

// CHECK-LABEL: func @gradient(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<5xf32>, %[[G:[^:]*]]: tensor<5xf64>
// CHECK:        graph.cast %[[X]] : tensor<5xf32> to tensor<5xf64>
// CHECK:        graph.constant dense<1.000000e+00> : tensor<f64>
// CHECK:        %[[GY:.*]] = graph.mul %{{.*}}, %[[G]]
// CHECK-NEXT:   %[[DX:.*]] = graph.cast %[[GY]] : tensor<5xf64> to tensor<5xf32>
// CHECK-NEXT:   return %[[DX]]
func.func @gradient(%x: tensor<5xf32>, %g: tensor<5xf64>)
    -> tensor<5xf32> {
  %0:2 = graph.value_and_grad @f(%x, %g) wrt = [0]
      : (tensor<5xf32>, tensor<5xf64>)
      -> (tensor<f64>, tensor<5xf32>)
  return %0#1 : tensor<5xf32>
}

// TORCH values(x): x
// VALUES: result0:
// VALUES-NEXT: [0.5, 2, -1, 4, 0.25]
func.func @values()
    -> (tensor<5xf32>) {
  %x = graph.constant dense<[0.5, -1.25, 2.5, 0.75, -0.5]> : tensor<5xf32>
  %g = graph.constant dense<[0.5, 2.0, -1.0, 4.0, 0.25]> : tensor<5xf64>
  %0:2 = graph.value_and_grad @f(%x, %g) wrt = [0]
      : (tensor<5xf32>, tensor<5xf64>)
      -> (tensor<f64>, tensor<5xf32>)
  return %0#1
      : tensor<5xf32>
}
