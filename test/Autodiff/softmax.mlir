// softmax: y (g - sum g y).
// RUN: graph-opt %s --graph-autodiff | FileCheck %s
// RUN: graph-opt %s --graph-autodiff | graph-interpret --entry=values | FileCheck %s --check-prefix=VALUES
// RUN: graph-opt %s --graph-autodiff | graph-interpret --entry=kinks | FileCheck %s --check-prefix=KINKS
// RUN: graph-interpret %s --check-grad --entry=f --random-inputs=1
// RUN: graph-interpret %s --check-grad --entry=along --random-inputs=1

func.func @f(%x: tensor<2x3xf64>, %g: tensor<2x3xf64>) -> tensor<f64> {
  %y = graph.softmax %x dim = 0 : tensor<2x3xf64>
  %gy = graph.mul %y, %g : tensor<2x3xf64>
  %sum = graph.reduce sum, %gy dims = [0, 1] : tensor<2x3xf64> to tensor<f64>
  return %sum : tensor<f64>
}

// CHECK-LABEL: func @gradient(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<2x3xf64>, %[[G:[^:]*]]: tensor<2x3xf64>
// CHECK:        %[[Y:.*]] = graph.softmax %[[X]] dim = 0
// CHECK:        graph.constant dense<1.000000e+00> : tensor<f64>
// CHECK:        %[[GY:.*]] = graph.mul %{{.*}}, %[[G]]
// CHECK-NEXT:   %[[T0:.*]] = graph.mul %[[GY]], %[[Y]]
// CHECK-NEXT:   %[[T1:.*]] = graph.reduce sum, %[[T0]] dims = [0]
// CHECK-NEXT:   %[[T2:.*]] = graph.reshape %[[T1]]
// CHECK-NEXT:   %[[T3:.*]] = graph.reshape %[[T2]]
// CHECK-NEXT:   %[[T4:.*]] = graph.broadcast %[[T3]] dims = [1] : tensor<3xf64> to tensor<2x3xf64>
// CHECK-NEXT:   %[[T5:.*]] = graph.sub %[[GY]], %[[T4]]
// CHECK-NEXT:   %[[DX:.*]] = graph.mul %[[Y]], %[[T5]]
// CHECK-NEXT:   return %[[DX]]
func.func @gradient(%x: tensor<2x3xf64>, %g: tensor<2x3xf64>)
    -> tensor<2x3xf64> {
  %0:2 = graph.value_and_grad @f(%x, %g) wrt = [0]
      : (tensor<2x3xf64>, tensor<2x3xf64>)
      -> (tensor<f64>, tensor<2x3xf64>)
  return %0#1 : tensor<2x3xf64>
}

func.func @along(%x: tensor<2x3xf64>, %g: tensor<2x3xf64>, %v_x: tensor<2x3xf64>)
    -> tensor<f64> {
  %0:2 = graph.value_and_grad @f(%x, %g) wrt = [0]
      : (tensor<2x3xf64>, tensor<2x3xf64>)
      -> (tensor<f64>, tensor<2x3xf64>)
  %p0 = graph.mul %v_x, %0#1 : tensor<2x3xf64>
  %s0 = graph.reduce sum, %p0 dims = [0, 1] : tensor<2x3xf64> to tensor<f64>
  return %s0 : tensor<f64>
}

// TORCH values(x): torch.softmax(x, 0)
// VALUES: result0:
// VALUES-NEXT: {{[[][[]}}0.799936, -0.24133, 0.0940015],
// VALUES-NEXT: [-0.799936, 0.24133, -0.0940015]]
// VALUES: result1:
// VALUES-NEXT: {{[[][[]}}0.0397898, 0.192102, -0.0115114],
// VALUES-NEXT: [-0.0397898, -0.192102, 0.0115114]]
func.func @values()
    -> (tensor<2x3xf64>, tensor<2x3xf64>) {
  %x = graph.constant dense<[[0.5, -1.25, 2.0], [0.75, -0.3, 1.5]]> : tensor<2x3xf64>
  %g = graph.constant dense<[[0.75, -0.3, 1.5], [-2.5, 0.9, 1.1]]> : tensor<2x3xf64>
  %v_x = graph.constant dense<[[1.5, -2.5, 0.9], [1.1, -0.7, 0.4]]> : tensor<2x3xf64>
  %0:2 = graph.value_and_grad @f(%x, %g) wrt = [0]
      : (tensor<2x3xf64>, tensor<2x3xf64>)
      -> (tensor<f64>, tensor<2x3xf64>)
  %1:2 = graph.value_and_grad @along(%x, %g, %v_x) wrt = [0]
      : (tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>)
      -> (tensor<f64>, tensor<2x3xf64>)
  return %0#1, %1#1
      : tensor<2x3xf64>, tensor<2x3xf64>
}

// TORCH kinks(x): torch.softmax(x, 0)
// KINKS: result0:
// KINKS-NEXT: {{[[][[]}}0, -0, 0.1],
// KINKS-NEXT: [-0, 0, -0.1]]
func.func @kinks()
    -> (tensor<2x3xf64>) {
  %x = graph.constant dense<[[10000.0, 0xFFF0000000000000, 0.0], [0.0, 1.0, 0.0]]> : tensor<2x3xf64>
  %g = graph.constant dense<[[0.75, -0.3, 1.5], [-2.5, 0.9, 1.1]]> : tensor<2x3xf64>
  %0:2 = graph.value_and_grad @f(%x, %g) wrt = [0]
      : (tensor<2x3xf64>, tensor<2x3xf64>)
      -> (tensor<f64>, tensor<2x3xf64>)
  return %0#1
      : tensor<2x3xf64>
}
