// rsqrt: -1/2 x^(-3/2).
// RUN: graph-opt %s --graph-autodiff | FileCheck %s
// RUN: graph-opt %s --graph-autodiff | graph-interpret --entry=values | FileCheck %s --check-prefix=VALUES
// RUN: graph-opt %s --graph-autodiff | graph-interpret --entry=kinks | FileCheck %s --check-prefix=KINKS

func.func @f(%x: tensor<5xf64>, %g: tensor<5xf64>) -> tensor<f64> {
  %y = graph.rsqrt %x : tensor<5xf64>
  %gy = graph.mul %y, %g : tensor<5xf64>
  %sum = graph.reduce sum, %gy dims = [0] : tensor<5xf64> to tensor<f64>
  return %sum : tensor<f64>
}

// CHECK-LABEL: func @gradient(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<5xf64>, %[[G:[^:]*]]: tensor<5xf64>
// CHECK:        %[[Y:.*]] = graph.rsqrt %[[X]]
// CHECK:        graph.constant dense<1.000000e+00> : tensor<f64>
// CHECK:        %[[GY:.*]] = graph.mul %{{.*}}, %[[G]]
// CHECK-NEXT:   %[[T0:.*]] = graph.mul %[[Y]], %[[Y]]
// CHECK-NEXT:   %[[T1:.*]] = graph.mul %[[T0]], %[[Y]]
// CHECK-NEXT:   %[[T2:.*]] = graph.constant dense<-5.000000e-01> : tensor<5xf64>
// CHECK-NEXT:   %[[T3:.*]] = graph.mul %[[T2]], %[[T1]]
// CHECK-NEXT:   %[[DX:.*]] = graph.mul %[[GY]], %[[T3]]
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

// TORCH values(x): torch.rsqrt(x)
// VALUES: result0:
// VALUES-NEXT: [-2.28218, 0.114109, -0.189737, 2.13434, -0.05625]
// VALUES: result1:
// VALUES-NEXT: [17.1163, 0.35659, 0.102458, -5.03094, -0.0147656]
func.func @values()
    -> (tensor<5xf64>, tensor<5xf64>) {
  %x = graph.constant dense<[0.3, 1.2, 2.5, 0.7, 4.0]> : tensor<5xf64>
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

// TORCH kinks(x): torch.rsqrt(x)
// KINKS: result0:
// KINKS-NEXT: [-inf, nan, nan, -0, -5e+149]
func.func @kinks()
    -> (tensor<5xf64>) {
  %x = graph.constant dense<[0.0, -1.0, 0x7FF8000000000000, 0x7FF0000000000000, 1.0e-100]> : tensor<5xf64>
  %g = graph.constant dense<[1.0, 1.0, 1.0, 1.0, 1.0]> : tensor<5xf64>
  %0:2 = graph.value_and_grad @f(%x, %g) wrt = [0]
      : (tensor<5xf64>, tensor<5xf64>)
      -> (tensor<f64>, tensor<5xf64>)
  return %0#1
      : tensor<5xf64>
}
