// reduce min: all to the smallest, in equal parts where several are.
// RUN: graph-opt %s --graph-autodiff | FileCheck %s
// RUN: graph-opt %s --graph-autodiff | graph-interpret --entry=values | FileCheck %s --check-prefix=VALUES
// RUN: graph-interpret %s --check-grad --entry=f --random-inputs=1
// RUN: graph-interpret %s --check-grad --entry=along --random-inputs=1

func.func @f(%x: tensor<3x4xf64>, %g: tensor<4xf64>) -> tensor<f64> {
  %y = graph.reduce min, %x dims = [0] : tensor<3x4xf64> to tensor<4xf64>
  %gy = graph.mul %y, %g : tensor<4xf64>
  %sum = graph.reduce sum, %gy dims = [0] : tensor<4xf64> to tensor<f64>
  return %sum : tensor<f64>
}

// CHECK-LABEL: func @gradient(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<3x4xf64>, %[[G:[^:]*]]: tensor<4xf64>
// CHECK:        %[[Y:.*]] = graph.reduce min, %[[X]] dims = [0]
// CHECK:        graph.constant dense<1.000000e+00> : tensor<f64>
// CHECK:        %[[GY:.*]] = graph.mul %{{.*}}, %[[G]]
// CHECK-NEXT:   %[[T0:.*]] = graph.broadcast %[[Y]] dims = [1] : tensor<4xf64> to tensor<3x4xf64>
// CHECK-NEXT:   %[[T1:.*]] = graph.compare eq, %[[X]], %[[T0]]
// CHECK-NEXT:   %[[T2:.*]] = graph.compare ne, %[[X]], %[[X]]
// CHECK-NEXT:   %[[T3:.*]] = graph.max %[[T1]], %[[T2]]
// CHECK-NEXT:   %[[T4:.*]] = graph.cast %[[T3]] : tensor<3x4xi1> to tensor<3x4xf64>
// CHECK-NEXT:   %[[T5:.*]] = graph.reduce sum, %[[T4]] dims = [0]
// CHECK-NEXT:   %[[T6:.*]] = graph.div %[[GY]], %[[T5]]
// CHECK-NEXT:   %[[T7:.*]] = graph.broadcast %[[T6]] dims = [1] : tensor<4xf64> to tensor<3x4xf64>
// CHECK-NEXT:   %[[T8:.*]] = graph.constant dense<0.000000e+00> : tensor<3x4xf64>
// CHECK-NEXT:   %[[DX:.*]] = graph.select %[[T3]], %[[T7]], %[[T8]]
// CHECK-NEXT:   return %[[DX]]
func.func @gradient(%x: tensor<3x4xf64>, %g: tensor<4xf64>)
    -> tensor<3x4xf64> {
  %0:2 = graph.value_and_grad @f(%x, %g) wrt = [0]
      : (tensor<3x4xf64>, tensor<4xf64>)
      -> (tensor<f64>, tensor<3x4xf64>)
  return %0#1 : tensor<3x4xf64>
}

func.func @along(%x: tensor<3x4xf64>, %g: tensor<4xf64>, %v_x: tensor<3x4xf64>)
    -> tensor<f64> {
  %0:2 = graph.value_and_grad @f(%x, %g) wrt = [0]
      : (tensor<3x4xf64>, tensor<4xf64>)
      -> (tensor<f64>, tensor<3x4xf64>)
  %p0 = graph.mul %v_x, %0#1 : tensor<3x4xf64>
  %s0 = graph.reduce sum, %p0 dims = [0, 1] : tensor<3x4xf64> to tensor<f64>
  return %s0 : tensor<f64>
}

// TORCH values(x): x.amin(0)
// VALUES: result0:
// VALUES-NEXT: {{[[][[]}}0, 0.3, 0, 0.833333],
// VALUES-NEXT: [0, 0.3, 1.5, 0.833333],
// VALUES-NEXT: [0.75, 0, 0, 0.833333]]
// VALUES: result1:
// VALUES-NEXT: {{[[][[]}}0, 0, 0, 0],
// VALUES-NEXT: [0, 0, 0, 0],
// VALUES-NEXT: [0, 0, 0, 0]]
func.func @values()
    -> (tensor<3x4xf64>, tensor<3x4xf64>) {
  %x = graph.constant dense<[[0.3, -1.2, 2.5, 0.7], [4.0, -1.2, -4.0, 0.7], [0.1, 1.0, 0.0, 0.7]]> : tensor<3x4xf64>
  %g = graph.constant dense<[0.75, 0.6, 1.5, 2.5]> : tensor<4xf64>
  %v_x = graph.constant dense<[[1.5, -2.5, 0.9, 1.1], [-0.7, 0.4, -1.6, 0.5], [-1.25, 2.0, 0.75, -0.3]]> : tensor<3x4xf64>
  %0:2 = graph.value_and_grad @f(%x, %g) wrt = [0]
      : (tensor<3x4xf64>, tensor<4xf64>)
      -> (tensor<f64>, tensor<3x4xf64>)
  %1:2 = graph.value_and_grad @along(%x, %g, %v_x) wrt = [0]
      : (tensor<3x4xf64>, tensor<4xf64>, tensor<3x4xf64>)
      -> (tensor<f64>, tensor<3x4xf64>)
  return %0#1, %1#1
      : tensor<3x4xf64>, tensor<3x4xf64>
}
