// layer_norm: without the mean and the part along the normalised row.
// RUN: graph-opt %s --graph-autodiff | FileCheck %s
// RUN: graph-opt %s --graph-autodiff | graph-interpret --entry=values | FileCheck %s --check-prefix=VALUES
// RUN: graph-interpret %s --check-grad --entry=f --random-inputs=1
// RUN: graph-interpret %s --check-grad --entry=along --random-inputs=1

!x = tensor<2x3x4xf64>

func.func @f(%x: !x, %s: tensor<4xf64>, %b: tensor<4xf64>, %g: !x) -> tensor<f64> {
  %y = graph.layer_norm %x, %s, %b epsilon = 1.0e-05
      : !x, tensor<4xf64>
  %gy = graph.mul %y, %g : !x
  %sum = graph.reduce sum, %gy dims = [0, 1, 2] : !x to tensor<f64>
  return %sum : tensor<f64>
}

// CHECK-LABEL: func @gradient(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<2x3x4xf64>, %[[S:[^:]*]]: tensor<4xf64>, %[[B:[^:]*]]: tensor<4xf64>, %[[G:[^:]*]]: tensor<2x3x4xf64>
// CHECK:        graph.constant dense<1.000000e+00> : tensor<f64>
// CHECK:        %[[GY:.*]] = graph.mul %{{.*}}, %[[G]]
// CHECK-NEXT:   graph.reduce sum, %[[X]] dims = [2]
// CHECK:        graph.reduce sum, %{{.*}} dims = [2]
// CHECK:        graph.rsqrt %{{.*}}
// CHECK:        graph.reduce sum, %{{.*}} dims = [2]
// CHECK:        graph.reduce sum, %{{.*}} dims = [2]
// CHECK:        %[[DS:.*]] = graph.reduce sum, %{{.*}} dims = [0, 1]
// CHECK-NEXT:   %[[DB:.*]] = graph.reduce sum, %[[GY]] dims = [0, 1]
// CHECK-NEXT:   return %{{.*}}, %[[DS]], %[[DB]]
func.func @gradient(%x: !x, %s: tensor<4xf64>, %b: tensor<4xf64>, %g: !x)
    -> (!x, tensor<4xf64>, tensor<4xf64>) {
  %0:4 = graph.value_and_grad @f(%x, %s, %b, %g) wrt = [0, 1, 2]
      : (!x, tensor<4xf64>, tensor<4xf64>, !x)
      -> (tensor<f64>, !x, tensor<4xf64>, tensor<4xf64>)
  return %0#1, %0#2, %0#3 : !x, tensor<4xf64>, tensor<4xf64>
}

func.func @along(%x: !x, %s: tensor<4xf64>, %b: tensor<4xf64>, %g: !x, %v_x: !x, %v_s: tensor<4xf64>, %v_b: tensor<4xf64>)
    -> tensor<f64> {
  %0:4 = graph.value_and_grad @f(%x, %s, %b, %g) wrt = [0, 1, 2]
      : (!x, tensor<4xf64>, tensor<4xf64>, !x)
      -> (tensor<f64>, !x, tensor<4xf64>, tensor<4xf64>)
  %p0 = graph.mul %v_x, %0#1 : !x
  %s0 = graph.reduce sum, %p0 dims = [0, 1, 2] : !x to tensor<f64>
  %p1 = graph.mul %v_s, %0#2 : tensor<4xf64>
  %s1 = graph.reduce sum, %p1 dims = [0] : tensor<4xf64> to tensor<f64>
  %t1 = graph.add %s0, %s1 : tensor<f64>
  %p2 = graph.mul %v_b, %0#3 : tensor<4xf64>
  %s2 = graph.reduce sum, %p2 dims = [0] : tensor<4xf64> to tensor<f64>
  %t2 = graph.add %t1, %s2 : tensor<f64>
  return %t2 : tensor<f64>
}

// TORCH values(x, s, b): F.layer_norm(x, (4,), s, b, 1e-5)
// VALUES: result0:
// VALUES-NEXT: {{[[][[]}}[-0.88153, 0.231144, 0.193539, 0.456847],
// VALUES-NEXT: [-0.737474, 0.822026, 0.405344, -0.489897],
// VALUES-NEXT: [0.880678, 0.885104, -1.5872, -0.178581]],
// VALUES-NEXT: {{[[][[]}}-0.88153, 0.231144, 0.193539, 0.456847],
// VALUES-NEXT: [-0.737474, 0.822026, 0.405344, -0.489897],
// VALUES-NEXT: [0.880678, 0.885104, -1.5872, -0.178581]]]
// VALUES: result1:
// VALUES-NEXT: [-4.26637, 2.72238, 4.62496, -5.98174]
// VALUES: result2:
// VALUES-NEXT: [0.1, 2.6, -0.9, -0.2]
// VALUES: result3:
// VALUES-NEXT: {{[[][[]}}[1.34722, -0.549767, 0.36852, -1.16598],
// VALUES-NEXT: [0.588197, -0.128713, -0.244561, -0.214923],
// VALUES-NEXT: [0.279353, -0.467251, 0.0668628, 0.121035]],
// VALUES-NEXT: {{[[][[]}}1.34722, -0.549767, 0.36852, -1.16598],
// VALUES-NEXT: [0.588197, -0.128713, -0.244561, -0.214923],
// VALUES-NEXT: [0.279353, -0.467251, 0.0668628, 0.121035]]]
// VALUES: result4:
// VALUES-NEXT: [4.47995, 1.6799, -4.39755, -6.86524]
// VALUES: result5:
// VALUES-NEXT: [0, 0, 0, 0]
func.func @values()
    -> (!x, tensor<4xf64>, tensor<4xf64>, !x, tensor<4xf64>, tensor<4xf64>) {
  %x = graph.constant dense<[[[0.5, -1.25, 2.0, 0.75], [-0.3, 1.5, -2.5, 0.9], [1.1, -0.7, 0.4, -1.6]], [[0.5, -1.25, 2.0, 0.75], [-0.3, 1.5, -2.5, 0.9], [1.1, -0.7, 0.4, -1.6]]]> : !x
  %s = graph.constant dense<[-1.25, 2.0, 0.75, -0.3]> : tensor<4xf64>
  %b = graph.constant dense<[-0.3, 1.5, -2.5, 0.9]> : tensor<4xf64>
  %g = graph.constant dense<[[[0.75, -0.3, 1.5, -2.5], [0.9, 1.1, -0.7, 0.4], [-1.6, 0.5, -1.25, 2.0]], [[0.75, -0.3, 1.5, -2.5], [0.9, 1.1, -0.7, 0.4], [-1.6, 0.5, -1.25, 2.0]]]> : !x
  %v_x = graph.constant dense<[[[1.5, -2.5, 0.9, 1.1], [-0.7, 0.4, -1.6, 0.5], [-1.25, 2.0, 0.75, -0.3]], [[1.5, -2.5, 0.9, 1.1], [-0.7, 0.4, -1.6, 0.5], [-1.25, 2.0, 0.75, -0.3]]]> : !x
  %v_s = graph.constant dense<[0.9, 1.1, -0.7, 0.4]> : tensor<4xf64>
  %v_b = graph.constant dense<[-0.7, 0.4, -1.6, 0.5]> : tensor<4xf64>
  %0:4 = graph.value_and_grad @f(%x, %s, %b, %g) wrt = [0, 1, 2]
      : (!x, tensor<4xf64>, tensor<4xf64>, !x)
      -> (tensor<f64>, !x, tensor<4xf64>, tensor<4xf64>)
  %1:4 = graph.value_and_grad @along(%x, %s, %b, %g, %v_x, %v_s, %v_b) wrt = [0, 1, 2]
      : (!x, tensor<4xf64>, tensor<4xf64>, !x, !x, tensor<4xf64>, tensor<4xf64>)
      -> (tensor<f64>, !x, tensor<4xf64>, tensor<4xf64>)
  return %0#1, %0#2, %0#3, %1#1, %1#2, %1#3
      : !x, tensor<4xf64>, tensor<4xf64>, !x, tensor<4xf64>, tensor<4xf64>
}
