// pow: e x^(e-1) and y log x; the constants 0^0 and 0^e are special.
// RUN: graph-opt %s --graph-autodiff | FileCheck %s
// RUN: graph-opt %s --graph-autodiff | graph-interpret --entry=values | FileCheck %s --check-prefix=VALUES
// RUN: graph-opt %s --graph-autodiff | graph-interpret --entry=kinks | FileCheck %s --check-prefix=KINKS

func.func @f(%x: tensor<5xf64>, %z: tensor<5xf64>, %g: tensor<5xf64>) -> tensor<f64> {
  %y = graph.pow %x, %z : tensor<5xf64>
  %gy = graph.mul %y, %g : tensor<5xf64>
  %sum = graph.reduce sum, %gy dims = [0] : tensor<5xf64> to tensor<f64>
  return %sum : tensor<f64>
}

// CHECK-LABEL: func @gradient(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<5xf64>, %[[Z:[^:]*]]: tensor<5xf64>, %[[G:[^:]*]]: tensor<5xf64>
// CHECK:        %[[Y:.*]] = graph.pow %[[X]], %[[Z]]
// CHECK:        graph.constant dense<1.000000e+00> : tensor<f64>
// CHECK:        %[[GY:.*]] = graph.mul %{{.*}}, %[[G]]
// CHECK-NEXT:   %[[T0:.*]] = graph.constant dense<0.000000e+00> : tensor<5xf64>
// CHECK-NEXT:   %[[T1:.*]] = graph.compare eq, %[[X]], %[[T0]]
// CHECK-NEXT:   %[[T2:.*]] = graph.constant dense<0.000000e+00> : tensor<5xf64>
// CHECK-NEXT:   %[[T3:.*]] = graph.compare eq, %[[Z]], %[[T2]]
// CHECK-NEXT:   %[[T4:.*]] = graph.min %[[T1]], %[[T3]]
// CHECK-NEXT:   %[[T5:.*]] = graph.constant dense<1.000000e+00> : tensor<5xf64>
// CHECK-NEXT:   %[[T6:.*]] = graph.select %[[T4]], %[[T5]], %[[X]]
// CHECK-NEXT:   %[[T7:.*]] = graph.constant dense<1.000000e+00> : tensor<5xf64>
// CHECK-NEXT:   %[[T8:.*]] = graph.sub %[[Z]], %[[T7]]
// CHECK-NEXT:   %[[T9:.*]] = graph.pow %[[T6]], %[[T8]]
// CHECK-NEXT:   %[[T10:.*]] = graph.mul %[[Z]], %[[T9]]
// CHECK-NEXT:   %[[DX:.*]] = graph.mul %[[GY]], %[[T10]]
// CHECK-NEXT:   %[[T12:.*]] = graph.constant dense<0.000000e+00> : tensor<5xf64>
// CHECK-NEXT:   %[[T13:.*]] = graph.compare eq, %[[X]], %[[T12]]
// CHECK-NEXT:   %[[T14:.*]] = graph.constant dense<0.000000e+00> : tensor<5xf64>
// CHECK-NEXT:   %[[T15:.*]] = graph.compare ge, %[[Z]], %[[T14]]
// CHECK-NEXT:   %[[T16:.*]] = graph.min %[[T13]], %[[T15]]
// CHECK-NEXT:   %[[T17:.*]] = graph.constant dense<1.000000e+00> : tensor<5xf64>
// CHECK-NEXT:   %[[T18:.*]] = graph.select %[[T16]], %[[T17]], %[[X]]
// CHECK-NEXT:   %[[T19:.*]] = graph.log %[[T18]]
// CHECK-NEXT:   %[[T20:.*]] = graph.mul %[[Y]], %[[T19]]
// CHECK-NEXT:   %[[DZ:.*]] = graph.mul %[[GY]], %[[T20]]
// CHECK-NEXT:   return %[[DX]], %[[DZ]]
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

// TORCH values(x, z): torch.pow(x, z)
// VALUES: result0:
// VALUES-NEXT: [0.731419, -0.16734, -0.236727, -3.31099, -0.0234462]
// VALUES: result1:
// VALUES-NEXT: [-0.240166, -0.0610194, 0.60253, 0.486272, 0.0590971]
// VALUES: result2:
// VALUES-NEXT: [0.171595, -0.479801, 0.129638, -3.94876, 0.0218237]
// VALUES: result3:
// VALUES-NEXT: [-0.0632853, 0.761287, -0.344957, -0.912739, -0.115789]
func.func @values()
    -> (tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>) {
  %x = graph.constant dense<[0.3, 1.2, 2.5, 0.7, 4.0]> : tensor<5xf64>
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

// TORCH kinks(x, z): torch.pow(x, z)
// KINKS: result0:
// KINKS-NEXT: [0, 0, -inf, 12, 1]
// KINKS: result1:
// KINKS-NEXT: [0, 0, -inf, nan, 0]
func.func @kinks()
    -> (tensor<5xf64>, tensor<5xf64>) {
  %x = graph.constant dense<[0.0, 0.0, 0.0, -2.0, 0.0]> : tensor<5xf64>
  %z = graph.constant dense<[0.0, 2.0, -1.0, 3.0, 1.0]> : tensor<5xf64>
  %g = graph.constant dense<[1.0, 1.0, 1.0, 1.0, 1.0]> : tensor<5xf64>
  %0:3 = graph.value_and_grad @f(%x, %z, %g) wrt = [0, 1]
      : (tensor<5xf64>, tensor<5xf64>, tensor<5xf64>)
      -> (tensor<f64>, tensor<5xf64>, tensor<5xf64>)
  return %0#1, %0#2
      : tensor<5xf64>, tensor<5xf64>
}
