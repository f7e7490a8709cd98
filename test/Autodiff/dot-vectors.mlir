// dot without free dimensions.
// RUN: graph-opt %s --graph-autodiff | FileCheck %s
// RUN: graph-opt %s --graph-autodiff | graph-interpret --entry=values | FileCheck %s --check-prefix=VALUES
// RUN: graph-interpret %s --check-grad --entry=f --random-inputs=1
// RUN: graph-interpret %s --check-grad --entry=along --random-inputs=1

func.func @f(%x: tensor<3xf64>, %z: tensor<3xf64>, %g: tensor<f64>) -> tensor<f64> {
  %y = graph.dot %x, %z batch = [] x [] contract = [0] x [0]
      : (tensor<3xf64>, tensor<3xf64>) to tensor<f64>
  %gy = graph.mul %y, %g : tensor<f64>
  %sum = graph.reduce sum, %gy dims = [] : tensor<f64> to tensor<f64>
  return %sum : tensor<f64>
}

// CHECK-LABEL: func @gradient(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<3xf64>, %[[Z:[^:]*]]: tensor<3xf64>, %[[G:[^:]*]]: tensor<f64>
// CHECK:        graph.dot %[[X]], %[[Z]] batch = [] x [] contract = [0] x [0]
// CHECK:        graph.constant dense<1.000000e+00> : tensor<f64>
// CHECK:        %[[GY:.*]] = graph.mul %{{.*}}, %[[G]]
// CHECK-NEXT:   %[[DX:.*]] = graph.dot %[[GY]], %[[Z]] batch = [] x [] contract = [] x []
// CHECK-NEXT:   %[[DZ:.*]] = graph.dot %[[GY]], %[[X]] batch = [] x [] contract = [] x []
// CHECK-NEXT:   return %[[DX]], %[[DZ]]
func.func @gradient(%x: tensor<3xf64>, %z: tensor<3xf64>, %g: tensor<f64>)
    -> (tensor<3xf64>, tensor<3xf64>) {
  %0:3 = graph.value_and_grad @f(%x, %z, %g) wrt = [0, 1]
      : (tensor<3xf64>, tensor<3xf64>, tensor<f64>)
      -> (tensor<f64>, tensor<3xf64>, tensor<3xf64>)
  return %0#1, %0#2 : tensor<3xf64>, tensor<3xf64>
}

func.func @along(%x: tensor<3xf64>, %z: tensor<3xf64>, %g: tensor<f64>, %v_x: tensor<3xf64>, %v_z: tensor<3xf64>)
    -> tensor<f64> {
  %0:3 = graph.value_and_grad @f(%x, %z, %g) wrt = [0, 1]
      : (tensor<3xf64>, tensor<3xf64>, tensor<f64>)
      -> (tensor<f64>, tensor<3xf64>, tensor<3xf64>)
  %p0 = graph.mul %v_x, %0#1 : tensor<3xf64>
  %s0 = graph.reduce sum, %p0 dims = [0] : tensor<3xf64> to tensor<f64>
  %p1 = graph.mul %v_z, %0#2 : tensor<3xf64>
  %s1 = graph.reduce sum, %p1 dims = [0] : tensor<3xf64> to tensor<f64>
  %t1 = graph.add %s0, %s1 : tensor<f64>
  return %t1 : tensor<f64>
}

// TORCH values(x, z): torch.dot(x, z)
// VALUES: result0:
// VALUES-NEXT: [1.5, 0.5625, -0.225]
// VALUES: result1:
// VALUES-NEXT: [0.375, -0.9375, 1.5]
// VALUES: result2:
// VALUES-NEXT: [0.675, 0.825, -0.525]
// VALUES: result3:
// VALUES-NEXT: [1.125, -1.875, 0.675]
func.func @values()
    -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) {
  %x = graph.constant dense<[0.5, -1.25, 2.0]> : tensor<3xf64>
  %z = graph.constant dense<[2.0, 0.75, -0.3]> : tensor<3xf64>
  %g = graph.constant dense<0.75> : tensor<f64>
  %v_x = graph.constant dense<[1.5, -2.5, 0.9]> : tensor<3xf64>
  %v_z = graph.constant dense<[0.9, 1.1, -0.7]> : tensor<3xf64>
  %0:3 = graph.value_and_grad @f(%x, %z, %g) wrt = [0, 1]
      : (tensor<3xf64>, tensor<3xf64>, tensor<f64>)
      -> (tensor<f64>, tensor<3xf64>, tensor<3xf64>)
  %1:3 = graph.value_and_grad @along(%x, %z, %g, %v_x, %v_z) wrt = [0, 1]
      : (tensor<3xf64>, tensor<3xf64>, tensor<f64>, tensor<3xf64>, tensor<3xf64>)
      -> (tensor<f64>, tensor<3xf64>, tensor<3xf64>)
  return %0#1, %0#2, %1#1, %1#2
      : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
}
