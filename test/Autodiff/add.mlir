// add passes the cotangent to both operands.
// RUN: graph-opt %s --graph-autodiff | FileCheck %s
// RUN: graph-opt %s --graph-autodiff | graph-interpret --entry=values | FileCheck %s --check-prefix=VALUES
// RUN: graph-interpret %s --check-grad --entry=f --random-inputs=1
// RUN: graph-interpret %s --check-grad --entry=along --random-inputs=1

func.func @f(%x: tensor<5xf64>, %z: tensor<5xf64>, %g: tensor<5xf64>) -> tensor<f64> {
  %y = graph.add %x, %z : tensor<5xf64>
  %gy = graph.mul %y, %g : tensor<5xf64>
  %sum = graph.reduce sum, %gy dims = [0] : tensor<5xf64> to tensor<f64>
  return %sum : tensor<f64>
}

// CHECK-LABEL: func @gradient(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<5xf64>, %[[Z:[^:]*]]: tensor<5xf64>, %[[G:[^:]*]]: tensor<5xf64>
// CHECK:        graph.add %[[X]], %[[Z]]
// CHECK:        graph.constant dense<1.000000e+00> : tensor<f64>
// CHECK:        %[[GY:.*]] = graph.mul %{{.*}}, %[[G]]
// CHECK-NEXT:   return %[[GY]], %[[GY]]
func.func @gradient(%x: tensor<5xf64>, %z: tensor<5xf64>, %g: tensor<5xf64>)
    -> (tensor<5xf64>, tensor<5xf64>) {
  %0:3 = graph.value_and_grad @f(%x, %z, %g) wrt = [0, 1]
      : (tensor<5xf64>, tensor<5xf64>, tensor<5xf64>)
      -> (tensor<f64>, tensor<5xf64>, tensor<5xf64>)
  return %0#1, %0#2 : tensor<5xf64>, tensor<5xf64>
}

func.func @along(%x: tensor<5xf64>, %z: tensor<5xf64>, %g: tensor<5xf64>, %v_x: tensor<5xf64>, %v_z: tensor<5xf64>)
    -> tensor<f64> {
  %0:3 = graph.value_and_grad @f(%x, %z, %g) wrt = [0, 1]
      : (tensor<5xf64>, tensor<5xf64>, tensor<5xf64>)
      -> (tensor<f64>, tensor<5xf64>, tensor<5xf64>)
  %p0 = graph.mul %v_x, %0#1 : tensor<5xf64>
  %s0 = graph.reduce sum, %p0 dims = [0] : tensor<5xf64> to tensor<f64>
  %p1 = graph.mul %v_z, %0#2 : tensor<5xf64>
  %s1 = graph.reduce sum, %p1 dims = [0] : tensor<5xf64> to tensor<f64>
  %t1 = graph.add %s0, %s1 : tensor<f64>
  return %t1 : tensor<f64>
}

// TORCH values(x, z): x + z
// VALUES: result0:
// VALUES-NEXT: [0.75, -0.3, 1.5, -2.5, 0.9]
// VALUES: result1:
// VALUES-NEXT: [0.75, -0.3, 1.5, -2.5, 0.9]
// VALUES: result2:
// VALUES-NEXT: [0, 0, 0, 0, 0]
// VALUES: result3:
// VALUES-NEXT: [0, 0, 0, 0, 0]
func.func @values()
    -> (tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>) {
  %x = graph.constant dense<[0.3, -1.2, 2.5, 0.7, -0.4]> : tensor<5xf64>
  %z = graph.constant dense<[1.1, 0.6, -0.9, 1.7, -2.2]> : tensor<5xf64>
  %g = graph.constant dense<[0.75, -0.3, 1.5, -2.5, 0.9]> : tensor<5xf64>
  %v_x = graph.constant dense<[1.5, -2.5, 0.9, 1.1, -0.7]> : tensor<5xf64>
  %v_z = graph.constant dense<[0.9, 1.1, -0.7, 0.4, -1.6]> : tensor<5xf64>
  %0:3 = graph.value_and_grad @f(%x, %z, %g) wrt = [0, 1]
      : (tensor<5xf64>, tensor<5xf64>, tensor<5xf64>)
      -> (tensor<f64>, tensor<5xf64>, tensor<5xf64>)
  %1:3 = graph.value_and_grad @along(%x, %z, %g, %v_x, %v_z) wrt = [0, 1]
      : (tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>)
      -> (tensor<f64>, tensor<5xf64>, tensor<5xf64>)
  return %0#1, %0#2, %1#1, %1#2
      : tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>
}
