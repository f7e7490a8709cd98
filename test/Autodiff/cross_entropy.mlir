// cross_entropy: softmax minus the one-hot target; no gradient out of range.
// RUN: graph-opt %s --graph-autodiff | FileCheck %s
// RUN: graph-opt %s --graph-autodiff | graph-interpret --entry=values | FileCheck %s --check-prefix=VALUES
// RUN: graph-opt %s --graph-autodiff | graph-interpret --entry=kinks | FileCheck %s --check-prefix=KINKS
// RUN: graph-interpret %s --check-grad --entry=f --random-inputs=1
// RUN: graph-interpret %s --check-grad --entry=along --random-inputs=1

func.func @f(%x: tensor<4x3xf64>, %t: tensor<4xi64>, %g: tensor<4xf64>) -> tensor<f64> {
  %y = graph.cross_entropy %x, %t
      : tensor<4x3xf64>, tensor<4xi64> to tensor<4xf64>
  %gy = graph.mul %y, %g : tensor<4xf64>
  %sum = graph.reduce sum, %gy dims = [0] : tensor<4xf64> to tensor<f64>
  return %sum : tensor<f64>
}

// CHECK-LABEL: func @gradient(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4x3xf64>, %[[T:[^:]*]]: tensor<4xi64>, %[[G:[^:]*]]: tensor<4xf64>
// CHECK:        graph.constant dense<1.000000e+00> : tensor<f64>
// CHECK:        graph.mul %{{.*}}, %[[G]]
// CHECK:        %[[T0:.*]] = graph.iota dim = 1
// CHECK-NEXT:   %[[T1:.*]] = graph.log_softmax %[[X]] dim = 1
// CHECK-NEXT:   %[[T2:.*]] = graph.exp %[[T1]]
// CHECK:        %[[T3:.*]] = graph.compare eq, %[[T0]], %{{.*}}
// CHECK:        graph.select %[[T3]], %{{.*}}, %[[T2]]
// CHECK:        graph.compare ge, %{{.*}}, %{{.*}}
// CHECK:        graph.compare lt, %{{.*}}, %{{.*}}
// CHECK:        %[[DX:.*]] = graph.select %{{.*}}, %{{.*}}, %{{.*}}
// CHECK-NEXT:   return %[[DX]]
func.func @gradient(%x: tensor<4x3xf64>, %t: tensor<4xi64>, %g: tensor<4xf64>)
    -> tensor<4x3xf64> {
  %0:2 = graph.value_and_grad @f(%x, %t, %g) wrt = [0]
      : (tensor<4x3xf64>, tensor<4xi64>, tensor<4xf64>)
      -> (tensor<f64>, tensor<4x3xf64>)
  return %0#1 : tensor<4x3xf64>
}

func.func @along(%x: tensor<4x3xf64>, %t: tensor<4xi64>, %g: tensor<4xf64>, %v_x: tensor<4x3xf64>)
    -> tensor<f64> {
  %0:2 = graph.value_and_grad @f(%x, %t, %g) wrt = [0]
      : (tensor<4x3xf64>, tensor<4xi64>, tensor<4xf64>)
      -> (tensor<f64>, tensor<4x3xf64>)
  %p0 = graph.mul %v_x, %0#1 : tensor<4x3xf64>
  %s0 = graph.reduce sum, %p0 dims = [0, 1] : tensor<4x3xf64> to tensor<f64>
  return %s0 : tensor<f64>
}

// TORCH values(x): F.cross_entropy(x, torch.where((t >= 0) & (t < 3), t, -100), reduction='none')
// VALUES: result0:
// VALUES-NEXT: {{[[][[]}}0.132615, 0.0230451, -0.15566],
// VALUES-NEXT: [0.213468, -0.0302807, -0.183188],
// VALUES-NEXT: [0, 0, 0],
// VALUES-NEXT: [0, 0, 0]]
// VALUES: result1:
// VALUES-NEXT: {{[[][[]}}0.0793541, -0.0783905, -0.000963539],
// VALUES-NEXT: [-0.0527084, 0.0360606, 0.0166477],
// VALUES-NEXT: [0, 0, 0],
// VALUES-NEXT: [0, 0, 0]]
func.func @values()
    -> (tensor<4x3xf64>, tensor<4x3xf64>) {
  %x = graph.constant dense<[[0.5, -1.25, 2.0], [0.75, -0.3, 1.5], [-2.5, 0.9, 1.1], [-0.7, 0.4, -1.6]]> : tensor<4x3xf64>
  %t = graph.constant dense<[2, 0, -1, 3]> : tensor<4xi64>
  %g = graph.constant dense<[0.75, -0.3, 1.5, -2.5]> : tensor<4xf64>
  %v_x = graph.constant dense<[[1.5, -2.5, 0.9], [1.1, -0.7, 0.4], [-1.6, 0.5, -1.25], [2.0, 0.75, -0.3]]> : tensor<4x3xf64>
  %0:2 = graph.value_and_grad @f(%x, %t, %g) wrt = [0]
      : (tensor<4x3xf64>, tensor<4xi64>, tensor<4xf64>)
      -> (tensor<f64>, tensor<4x3xf64>)
  %1:2 = graph.value_and_grad @along(%x, %t, %g, %v_x) wrt = [0]
      : (tensor<4x3xf64>, tensor<4xi64>, tensor<4xf64>, tensor<4x3xf64>)
      -> (tensor<f64>, tensor<4x3xf64>)
  return %0#1, %1#1
      : tensor<4x3xf64>, tensor<4x3xf64>
}

// TORCH kinks(x): F.cross_entropy(x, torch.where((t >= 0) & (t < 3), t, -100), reduction='none')
// KINKS: result0:
// KINKS-NEXT: {{[[][[]}}0, 0, 0],
// KINKS-NEXT: [1, -1, 0],
// KINKS-NEXT: [0.0900306, -0.755272, 0.665241],
// KINKS-NEXT: [0.333333, 0.333333, -0.666667]]
func.func @kinks()
    -> (tensor<4x3xf64>) {
  %x = graph.constant dense<[[10000.0, 0.0, -10000.0], [10000.0, 0.0, -10000.0], [1.0, 2.0, 3.0], [0.0, 0.0, 0.0]]> : tensor<4x3xf64>
  %t = graph.constant dense<[0, 1, 1, 2]> : tensor<4xi64>
  %g = graph.constant dense<[1.0, 1.0, 1.0, 1.0]> : tensor<4xf64>
  %0:2 = graph.value_and_grad @f(%x, %t, %g) wrt = [0]
      : (tensor<4x3xf64>, tensor<4xi64>, tensor<4xf64>)
      -> (tensor<f64>, tensor<4x3xf64>)
  return %0#1
      : tensor<4x3xf64>
}
