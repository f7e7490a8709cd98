// dot of matrices: neither derivative needs a transposition.
// RUN: graph-opt %s --graph-autodiff | FileCheck %s
// RUN: graph-opt %s --graph-autodiff | graph-interpret --entry=values | FileCheck %s --check-prefix=VALUES
// RUN: graph-interpret %s --check-grad --entry=f --random-inputs=1
// RUN: graph-interpret %s --check-grad --entry=along --random-inputs=1

func.func @f(%x: tensor<3x4xf64>, %z: tensor<4x2xf64>, %g: tensor<3x2xf64>) -> tensor<f64> {
  %y = graph.dot %x, %z batch = [] x [] contract = [1] x [0]
      : (tensor<3x4xf64>, tensor<4x2xf64>) to tensor<3x2xf64>
  %gy = graph.mul %y, %g : tensor<3x2xf64>
  %sum = graph.reduce sum, %gy dims = [0, 1] : tensor<3x2xf64> to tensor<f64>
  return %sum : tensor<f64>
}

// CHECK-LABEL: func @gradient(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<3x4xf64>, %[[Z:[^:]*]]: tensor<4x2xf64>, %[[G:[^:]*]]: tensor<3x2xf64>
// CHECK:        graph.dot %[[X]], %[[Z]] batch = [] x [] contract = [1] x [0]
// CHECK:        graph.constant dense<1.000000e+00> : tensor<f64>
// CHECK:        %[[GY:.*]] = graph.mul %{{.*}}, %[[G]]
// CHECK-NEXT:   %[[DX:.*]] = graph.dot %[[GY]], %[[Z]] batch = [] x [] contract = [1] x [1]
// CHECK-NEXT:   %[[DZ:.*]] = graph.dot %[[X]], %[[GY]] batch = [] x [] contract = [0] x [0]
// CHECK-NEXT:   return %[[DX]], %[[DZ]]
func.func @gradient(%x: tensor<3x4xf64>, %z: tensor<4x2xf64>, %g: tensor<3x2xf64>)
    -> (tensor<3x4xf64>, tensor<4x2xf64>) {
  %0:3 = graph.value_and_grad @f(%x, %z, %g) wrt = [0, 1]
      : (tensor<3x4xf64>, tensor<4x2xf64>, tensor<3x2xf64>)
      -> (tensor<f64>, tensor<3x4xf64>, tensor<4x2xf64>)
  return %0#1, %0#2 : tensor<3x4xf64>, tensor<4x2xf64>
}

func.func @along(%x: tensor<3x4xf64>, %z: tensor<4x2xf64>, %g: tensor<3x2xf64>, %v_x: tensor<3x4xf64>, %v_z: tensor<4x2xf64>)
    -> tensor<f64> {
  %0:3 = graph.value_and_grad @f(%x, %z, %g) wrt = [0, 1]
      : (tensor<3x4xf64>, tensor<4x2xf64>, tensor<3x2xf64>)
      -> (tensor<f64>, tensor<3x4xf64>, tensor<4x2xf64>)
  %p0 = graph.mul %v_x, %0#1 : tensor<3x4xf64>
  %s0 = graph.reduce sum, %p0 dims = [0, 1] : tensor<3x4xf64> to tensor<f64>
  %p1 = graph.mul %v_z, %0#2 : tensor<4x2xf64>
  %s1 = graph.reduce sum, %p1 dims = [0, 1] : tensor<4x2xf64> to tensor<f64>
  %t1 = graph.add %s0, %s1 : tensor<f64>
  return %t1 : tensor<f64>
}

// TORCH values(x, z): x @ z
// VALUES: result0:
// VALUES-NEXT: {{[[][[]}}1.275, -0.675, -2.145, 1.035],
// VALUES-NEXT: [1.125, -4.2, -6, 3.4],
// VALUES-NEXT: [2.625, 1.38, -1.26, 0.22]]
// VALUES: result1:
// VALUES-NEXT: {{[[][[]}}0.915, 1.81],
// VALUES-NEXT: [0.6825, -4.145],
// VALUES-NEXT: [-1.89, 6.09],
// VALUES-NEXT: [0.4725, -4.235]]
// VALUES: result2:
// VALUES-NEXT: {{[[][[]}}0.345, -0.645, -1.35, -1.5375],
// VALUES-NEXT: [-1.4, -2.05, -3.65, -6.875],
// VALUES-NEXT: [2.02, -0.19, -0.89, 1.075]]
// VALUES: result3:
// VALUES-NEXT: {{[[][[]}}-1.05, -0.075],
// VALUES-NEXT: [0.525, 1.95],
// VALUES-NEXT: [-1.05, 4.555],
// VALUES-NEXT: [1.305, -1.91]]
func.func @values()
    -> (tensor<3x4xf64>, tensor<4x2xf64>, tensor<3x4xf64>, tensor<4x2xf64>) {
  %x = graph.constant dense<[[0.5, -1.25, 2.0, 0.75], [-0.3, 1.5, -2.5, 0.9], [1.1, -0.7, 0.4, -1.6]]> : tensor<3x4xf64>
  %z = graph.constant dense<[[2.0, 0.75], [-0.3, 1.5], [-2.5, 0.9], [1.1, -0.7]]> : tensor<4x2xf64>
  %g = graph.constant dense<[[0.75, -0.3], [1.5, -2.5], [0.9, 1.1]]> : tensor<3x2xf64>
  %v_x = graph.constant dense<[[1.5, -2.5, 0.9, 1.1], [-0.7, 0.4, -1.6, 0.5], [-1.25, 2.0, 0.75, -0.3]]> : tensor<3x4xf64>
  %v_z = graph.constant dense<[[0.9, 1.1], [-0.7, 0.4], [-1.6, 0.5], [-1.25, 2.0]]> : tensor<4x2xf64>
  %0:3 = graph.value_and_grad @f(%x, %z, %g) wrt = [0, 1]
      : (tensor<3x4xf64>, tensor<4x2xf64>, tensor<3x2xf64>)
      -> (tensor<f64>, tensor<3x4xf64>, tensor<4x2xf64>)
  %1:3 = graph.value_and_grad @along(%x, %z, %g, %v_x, %v_z) wrt = [0, 1]
      : (tensor<3x4xf64>, tensor<4x2xf64>, tensor<3x2xf64>, tensor<3x4xf64>, tensor<4x2xf64>)
      -> (tensor<f64>, tensor<3x4xf64>, tensor<4x2xf64>)
  return %0#1, %0#2, %1#1, %1#2
      : tensor<3x4xf64>, tensor<4x2xf64>, tensor<3x4xf64>, tensor<4x2xf64>
}
