// silu: s (1 + x (1 - s)) with s = logistic x.
// RUN: graph-opt %s --graph-autodiff | FileCheck %s
// RUN: graph-opt %s --graph-autodiff | graph-interpret --entry=values | FileCheck %s --check-prefix=VALUES
// RUN: graph-opt %s --graph-autodiff | graph-interpret --entry=kinks | FileCheck %s --check-prefix=KINKS
// RUN: graph-interpret %s --check-grad --entry=f --random-inputs=1
// RUN: graph-interpret %s --check-grad --entry=along --random-inputs=1

func.func @f(%x: tensor<5xf64>, %g: tensor<5xf64>) -> tensor<f64> {
  %y = graph.silu %x : tensor<5xf64>
  %gy = graph.mul %y, %g : tensor<5xf64>
  %sum = graph.reduce sum, %gy dims = [0] : tensor<5xf64> to tensor<f64>
  return %sum : tensor<f64>
}

// CHECK-LABEL: func @gradient(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<5xf64>, %[[G:[^:]*]]: tensor<5xf64>
// CHECK:        graph.silu %[[X]]
// CHECK:        graph.constant dense<1.000000e+00> : tensor<f64>
// CHECK:        %[[GY:.*]] = graph.mul %{{.*}}, %[[G]]
// CHECK-NEXT:   %[[T0:.*]] = graph.logistic %[[X]]
// CHECK-NEXT:   %[[T1:.*]] = graph.constant dense<1.000000e+00> : tensor<5xf64>
// CHECK-NEXT:   %[[T2:.*]] = graph.sub %[[T1]], %[[T0]]
// CHECK-NEXT:   %[[T3:.*]] = graph.mul %[[X]], %[[T2]]
// CHECK-NEXT:   %[[T4:.*]] = graph.constant dense<1.000000e+00> : tensor<5xf64>
// CHECK-NEXT:   %[[T5:.*]] = graph.add %[[T4]], %[[T3]]
// CHECK-NEXT:   %[[T6:.*]] = graph.mul %[[T0]], %[[T5]]
// CHECK-NEXT:   %[[DX:.*]] = graph.mul %[[GY]], %[[T6]]
// CHECK-NEXT:   return %[[DX]]
func.func @gradient(%x: tensor<5xf64>, %g: tensor<5xf64>)
    -> tensor<5xf64> {
  %0:2 = graph.value_and_grad @f(%x, %g) wrt = [0]
      : (tensor<5xf64>, tensor<5xf64>)
      -> (tensor<f64>, tensor<5xf64>)
  return %0#1 : tensor<5xf64>
}

func.func @along(%x: tensor<5xf64>, %g: tensor<5xf64>, %v_x: tensor<5xf64>)
    -> tensor<f64> {
  %0:2 = graph.value_and_grad @f(%x, %g) wrt = [0]
      : (tensor<5xf64>, tensor<5xf64>)
      -> (tensor<f64>, tensor<5xf64>)
  %p0 = graph.mul %v_x, %0#1 : tensor<5xf64>
  %s0 = graph.reduce sum, %p0 dims = [0] : tensor<5xf64> to tensor<f64>
  return %s0 : tensor<f64>
}

// TORCH values(x): F.silu(x)
// VALUES: result0:
// VALUES-NEXT: [0.485835, -0.00540057, 1.6491, -2.05847, 0.274687]
// VALUES: result1:
// VALUES-NEXT: [0.537747, 0.180857, -0.0114239, -1.07586, -0.290778]
func.func @values()
    -> (tensor<5xf64>, tensor<5xf64>) {
  %x = graph.constant dense<[0.3, -1.2, 2.5, 0.7, -0.4]> : tensor<5xf64>
  %g = graph.constant dense<[0.75, -0.3, 1.5, -2.5, 0.9]> : tensor<5xf64>
  %v_x = graph.constant dense<[1.5, -2.5, 0.9, 1.1, -0.7]> : tensor<5xf64>
  %0:2 = graph.value_and_grad @f(%x, %g) wrt = [0]
      : (tensor<5xf64>, tensor<5xf64>)
      -> (tensor<f64>, tensor<5xf64>)
  %1:2 = graph.value_and_grad @along(%x, %g, %v_x) wrt = [0]
      : (tensor<5xf64>, tensor<5xf64>, tensor<5xf64>)
      -> (tensor<f64>, tensor<5xf64>)
  return %0#1, %1#1
      : tensor<5xf64>, tensor<5xf64>
}

// TORCH kinks(x): F.silu(x)
// KINKS: result0:
// KINKS-NEXT: [0.5, 1, -0, nan, 0.927671]
func.func @kinks()
    -> (tensor<5xf64>) {
  %x = graph.constant dense<[0.0, 800.0, -800.0, 0x7FF8000000000000, 1.0]> : tensor<5xf64>
  %g = graph.constant dense<[1.0, 1.0, 1.0, 1.0, 1.0]> : tensor<5xf64>
  %0:2 = graph.value_and_grad @f(%x, %g) wrt = [0]
      : (tensor<5xf64>, tensor<5xf64>)
      -> (tensor<f64>, tensor<5xf64>)
  return %0#1
      : tensor<5xf64>
}
