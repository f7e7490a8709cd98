// log_softmax: g - softmax(x) sum g.
// RUN: graph-opt %s --graph-autodiff | FileCheck %s
// RUN: graph-opt %s --graph-autodiff | graph-interpret --entry=values | FileCheck %s --check-prefix=VALUES
// RUN: graph-opt %s --graph-autodiff | graph-interpret --entry=kinks | FileCheck %s --check-prefix=KINKS
// RUN: graph-interpret %s --check-grad --entry=f --random-inputs=1
// RUN: graph-interpret %s --check-grad --entry=along --random-inputs=1

func.func @f(%x: tensor<2x3xf64>, %g: tensor<2x3xf64>) -> tensor<f64> {
  %y = graph.log_softmax %x dim = 1 : tensor<2x3xf64>
  %gy = graph.mul %y, %g : tensor<2x3xf64>
  %sum = graph.reduce sum, %gy dims = [0, 1] : tensor<2x3xf64> to tensor<f64>
  return %sum : tensor<f64>
}

// CHECK-LABEL: func @gradient(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<2x3xf64>, %[[G:[^:]*]]: tensor<2x3xf64>
// CHECK:        %[[Y:.*]] = graph.log_softmax %[[X]] dim = 1
// CHECK:        graph.constant dense<1.000000e+00> : tensor<f64>
// CHECK:        %[[GY:.*]] = graph.mul %{{.*}}, %[[G]]
// CHECK-NEXT:   %[[T0:.*]] = graph.exp %[[Y]]
// CHECK-NEXT:   %[[T1:.*]] = graph.reduce sum, %[[GY]] dims = [1]
// CHECK-NEXT:   %[[T2:.*]] = graph.reshape %[[T1]]
// CHECK-NEXT:   %[[T3:.*]] = graph.reshape %[[T2]]
// CHECK-NEXT:   %[[T4:.*]] = graph.broadcast %[[T3]] dims = [0] : tensor<2xf64> to tensor<2x3xf64>
// CHECK-NEXT:   %[[T5:.*]] = graph.mul %[[T0]], %[[T4]]
// CHECK-NEXT:   %[[DX:.*]] = graph.sub %[[GY]], %[[T5]]
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

// TORCH values(x): torch.log_softmax(x, 1)
// VALUES: result0:
// VALUES-NEXT: {{[[][[]}}0.405201, -0.359917, -0.0452835],
// VALUES-NEXT: [-2.35578, 0.950468, 1.40531]]
// VALUES: result1:
// VALUES-NEXT: {{[[][[]}}-0.206321, 0.203815, 0.0025052],
// VALUES-NEXT: [0.0878473, -0.060101, -0.0277462]]
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

// TORCH kinks(x): torch.log_softmax(x, 1)
// KINKS: result0:
// KINKS-NEXT: {{[[][[]}}-1.2, -0.3, 1.5],
// KINKS-NEXT: [-2.5, 1.26553, 1.23447]]
func.func @kinks()
    -> (tensor<2x3xf64>) {
  %x = graph.constant dense<[[10000.0, -10000.0, 0.0], [0xFFF0000000000000, 1.0, 0.0]]> : tensor<2x3xf64>
  %g = graph.constant dense<[[0.75, -0.3, 1.5], [-2.5, 0.9, 1.1]]> : tensor<2x3xf64>
  %0:2 = graph.value_and_grad @f(%x, %g) wrt = [0]
      : (tensor<2x3xf64>, tensor<2x3xf64>)
      -> (tensor<f64>, tensor<2x3xf64>)
  return %0#1
      : tensor<2x3xf64>
}
