// dot with two batch and two contracted dimensions in mixed order.
// RUN: graph-opt %s --graph-autodiff | FileCheck %s
// RUN: graph-opt %s --graph-autodiff | graph-interpret --entry=values | FileCheck %s --check-prefix=VALUES
// RUN: graph-interpret %s --check-grad --entry=f --random-inputs=1
// RUN: graph-interpret %s --check-grad --entry=along --random-inputs=1

!x = tensor<2x3x1x2x3xf64>
!z = tensor<3x3x2x2x2xf64>
!y = tensor<2x3x1x2xf64>

func.func @f(%x: !x, %z: !z, %g: !y) -> tensor<f64> {
  %y = graph.dot %x, %z batch = [3, 1] x [2, 0] contract = [0, 4] x [4, 1]
      : (!x, !z) to !y
  %gy = graph.mul %y, %g : !y
  %sum = graph.reduce sum, %gy dims = [0, 1, 2, 3] : !y to tensor<f64>
  return %sum : tensor<f64>
}

// CHECK-LABEL: func @gradient(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<2x3x1x2x3xf64>, %[[Z:[^:]*]]: tensor<3x3x2x2x2xf64>, %[[G:[^:]*]]: tensor<2x3x1x2xf64>
// CHECK:        graph.dot %[[X]], %[[Z]] batch = [3, 1] x [2, 0] contract = [0, 4] x [4, 1]
// CHECK:        graph.constant dense<1.000000e+00> : tensor<f64>
// CHECK:        %[[GY:.*]] = graph.mul %{{.*}}, %[[G]]
// CHECK-NEXT:   %[[T0:.*]] = graph.dot %[[GY]], %[[Z]] batch = [0, 1] x [2, 0] contract = [3] x [3]
// CHECK-NEXT:   %[[DX:.*]] = graph.transpose %[[T0]] perm = [4, 1, 2, 0, 3]
// CHECK-NEXT:   %[[T2:.*]] = graph.dot %[[GY]], %[[X]] batch = [0, 1] x [3, 1] contract = [2] x [2]
// CHECK-NEXT:   %[[DZ:.*]] = graph.transpose %[[T2]] perm = [1, 4, 0, 2, 3]
// CHECK-NEXT:   return %[[DX]], %[[DZ]]
func.func @gradient(%x: !x, %z: !z, %g: !y)
    -> (!x, !z) {
  %0:3 = graph.value_and_grad @f(%x, %z, %g) wrt = [0, 1]
      : (!x, !z, !y)
      -> (tensor<f64>, !x, !z)
  return %0#1, %0#2 : !x, !z
}

func.func @along(%x: !x, %z: !z, %g: !y, %v_x: !x, %v_z: !z)
    -> tensor<f64> {
  %0:3 = graph.value_and_grad @f(%x, %z, %g) wrt = [0, 1]
      : (!x, !z, !y)
      -> (tensor<f64>, !x, !z)
  %p0 = graph.mul %v_x, %0#1 : !x
  %s0 = graph.reduce sum, %p0 dims = [0, 1, 2, 3, 4] : !x to tensor<f64>
  %p1 = graph.mul %v_z, %0#2 : !z
  %s1 = graph.reduce sum, %p1 dims = [0, 1, 2, 3, 4] : !z to tensor<f64>
  %t1 = graph.add %s0, %s1 : tensor<f64>
  return %t1 : tensor<f64>
}

// TORCH values(x, z): torch.einsum('cbmad,bdanc->abmn', x, z)
// VALUES: result0:
// VALUES-NEXT: {{[[][[]}}{{[[][[]}}[1.59, 0.15, -2.205],
// VALUES-NEXT: [2.19, -1.52, -0.08]]],
// VALUES-NEXT: {{[[][[]}}[3.75, -0.65, -6.5],
// VALUES-NEXT: [4.55, -3.35, -0.39]]],
// VALUES-NEXT: {{[[][[]}}[1.47, 0.91, -1.04],
// VALUES-NEXT: [5.325, -3.1, 0.5]]]],
// VALUES-NEXT: {{[[][[]}}{{[[][[]}}0.1125, -0.825, 0.885],
// VALUES-NEXT: [-0.91, 0.075, 0.62]]],
// VALUES-NEXT: {{[[][[]}}[-2.625, 0.725, 3.1],
// VALUES-NEXT: [-1.79, -0.45, 1.935]]],
// VALUES-NEXT: {{[[][[]}}[2.325, -2.815, 0.04],
// VALUES-NEXT: [-2.525, 2.0625, -0.5]]]]]
// VALUES: result1:
// VALUES-NEXT: {{[[][[]}}{{[[][[]}}[0.375, -1.875],
// VALUES-NEXT: [-0.15, 0.75]],
// VALUES-NEXT: {{[[][[]}}-0.525, 0.49],
// VALUES-NEXT: [0.3, -0.28]]],
// VALUES-NEXT: {{[[][[]}}[-0.9375, 0.675],
// VALUES-NEXT: [0.375, -0.27]],
// VALUES-NEXT: {{[[][[]}}0.21, -0.28],
// VALUES-NEXT: [-0.12, 0.16]]],
// VALUES-NEXT: {{[[][[]}}[1.5, 0.825],
// VALUES-NEXT: [-0.6, -0.33]],
// VALUES-NEXT: {{[[][[]}}-1.05, 1.12],
// VALUES-NEXT: [0.6, -0.64]]]],
// VALUES-NEXT: {{[[][[]}}{{[[][[]}}-3.75, 0.75],
// VALUES-NEXT: [6.25, -1.25]],
// VALUES-NEXT: {{[[][[]}}1.12, -1.2],
// VALUES-NEXT: [-0.35, 0.375]]],
// VALUES-NEXT: {{[[][[]}}[1.35, -1.875],
// VALUES-NEXT: [-2.25, 3.125]],
// VALUES-NEXT: {{[[][[]}}-0.64, 0.48],
// VALUES-NEXT: [0.2, -0.15]]],
// VALUES-NEXT: {{[[][[]}}[1.65, 3],
// VALUES-NEXT: [-2.75, -5]],
// VALUES-NEXT: {{[[][[]}}2.56, -2.4],
// VALUES-NEXT: [-0.8, 0.75]]]],
// VALUES-NEXT: {{[[][[]}}{{[[][[]}}0.45, -2.25],
// VALUES-NEXT: [0.55, -2.75]],
// VALUES-NEXT: {{[[][[]}}-0.9375, 0.875],
// VALUES-NEXT: [1.5, -1.4]]],
// VALUES-NEXT: {{[[][[]}}[-1.125, 0.81],
// VALUES-NEXT: [-1.375, 0.99]],
// VALUES-NEXT: {{[[][[]}}0.375, -0.5],
// VALUES-NEXT: [-0.6, 0.8]]],
// VALUES-NEXT: {{[[][[]}}[1.8, 0.99],
// VALUES-NEXT: [2.2, 1.21]],
// VALUES-NEXT: {{[[][[]}}-1.875, 2],
// VALUES-NEXT: [3, -3.2]]]]]
// VALUES: result2:
// VALUES-NEXT: {{[[][[]}}{{[[][[]}}[0.885, 0.1125, -0.825],
// VALUES-NEXT: [0.62, -0.91, 0.075]]],
// VALUES-NEXT: {{[[][[]}}[3.1, -2.625, 0.725],
// VALUES-NEXT: [1.935, -1.79, -0.45]]],
// VALUES-NEXT: {{[[][[]}}[0.04, 2.325, -2.815],
// VALUES-NEXT: [-0.5, -2.525, 2.0625]]]],
// VALUES-NEXT: {{[[][[]}}{{[[][[]}}0.705, 0.525, -0.225],
// VALUES-NEXT: [0.45, -0.61, -0.79]]],
// VALUES-NEXT: {{[[][[]}}[0.65, 5.8, -4.25],
// VALUES-NEXT: [0.2, -1.56, -0.77]]],
// VALUES-NEXT: {{[[][[]}}[1.43, -3.02, 2.65],
// VALUES-NEXT: [3.375, -0.575, -4.625]]]]]
// VALUES: result3:
// VALUES-NEXT: {{[[][[]}}{{[[][[]}}[1.125, -1.2],
// VALUES-NEXT: [-0.45, 0.48]],
// VALUES-NEXT: {{[[][[]}}-0.77, -1.4],
// VALUES-NEXT: [0.44, 0.8]]],
// VALUES-NEXT: {{[[][[]}}[-1.875, 0.375],
// VALUES-NEXT: [0.75, -0.15]],
// VALUES-NEXT: {{[[][[]}}0.49, -0.525],
// VALUES-NEXT: [-0.28, 0.3]]],
// VALUES-NEXT: {{[[][[]}}[0.675, -0.9375],
// VALUES-NEXT: [-0.27, 0.375]],
// VALUES-NEXT: {{[[][[]}}-0.28, 0.21],
// VALUES-NEXT: [0.16, -0.12]]]],
// VALUES-NEXT: {{[[][[]}}{{[[][[]}}-2.4, 2.25],
// VALUES-NEXT: [4, -3.75]],
// VALUES-NEXT: {{[[][[]}}-3.2, -1.76],
// VALUES-NEXT: [1, 0.55]]],
// VALUES-NEXT: {{[[][[]}}[0.75, -3.75],
// VALUES-NEXT: [-1.25, 6.25]],
// VALUES-NEXT: {{[[][[]}}-1.2, 1.12],
// VALUES-NEXT: [0.375, -0.35]]],
// VALUES-NEXT: {{[[][[]}}[-1.875, 1.35],
// VALUES-NEXT: [3.125, -2.25]],
// VALUES-NEXT: {{[[][[]}}0.48, -0.64],
// VALUES-NEXT: [-0.15, 0.2]]]],
// VALUES-NEXT: {{[[][[]}}{{[[][[]}}1.35, -1.44],
// VALUES-NEXT: [1.65, -1.76]],
// VALUES-NEXT: {{[[][[]}}-1.375, -2.5],
// VALUES-NEXT: [2.2, 4]]],
// VALUES-NEXT: {{[[][[]}}[-2.25, 0.45],
// VALUES-NEXT: [-2.75, 0.55]],
// VALUES-NEXT: {{[[][[]}}0.875, -0.9375],
// VALUES-NEXT: [-1.4, 1.5]]],
// VALUES-NEXT: {{[[][[]}}[0.81, -1.125],
// VALUES-NEXT: [0.99, -1.375]],
// VALUES-NEXT: {{[[][[]}}-0.5, 0.375],
// VALUES-NEXT: [0.8, -0.6]]]]]
func.func @values()
    -> (!x, !z, !x, !z) {
  %x = graph.constant dense<[[[[[0.5, -1.25, 2.0], [0.75, -0.3, 1.5]]], [[[-2.5, 0.9, 1.1], [-0.7, 0.4, -1.6]]], [[[0.5, -1.25, 2.0], [0.75, -0.3, 1.5]]]], [[[[-2.5, 0.9, 1.1], [-0.7, 0.4, -1.6]]], [[[0.5, -1.25, 2.0], [0.75, -0.3, 1.5]]], [[[-2.5, 0.9, 1.1], [-0.7, 0.4, -1.6]]]]]> : !x
  %z = graph.constant dense<[[[[[2.0, 0.75], [-0.3, 1.5]], [[-2.5, 0.9], [1.1, -0.7]]], [[[0.4, -1.6], [0.5, -1.25]], [[2.0, 0.75], [-0.3, 1.5]]], [[[-2.5, 0.9], [1.1, -0.7]], [[0.4, -1.6], [0.5, -1.25]]]], [[[[2.0, 0.75], [-0.3, 1.5]], [[-2.5, 0.9], [1.1, -0.7]]], [[[0.4, -1.6], [0.5, -1.25]], [[2.0, 0.75], [-0.3, 1.5]]], [[[-2.5, 0.9], [1.1, -0.7]], [[0.4, -1.6], [0.5, -1.25]]]], [[[[2.0, 0.75], [-0.3, 1.5]], [[-2.5, 0.9], [1.1, -0.7]]], [[[0.4, -1.6], [0.5, -1.25]], [[2.0, 0.75], [-0.3, 1.5]]], [[[-2.5, 0.9], [1.1, -0.7]], [[0.4, -1.6], [0.5, -1.25]]]]]> : !z
  %g = graph.constant dense<[[[[0.75, -0.3]], [[1.5, -2.5]], [[0.9, 1.1]]], [[[-0.7, 0.4]], [[-1.6, 0.5]], [[-1.25, 2.0]]]]> : !y
  %v_x = graph.constant dense<[[[[[1.5, -2.5, 0.9], [1.1, -0.7, 0.4]]], [[[-1.6, 0.5, -1.25], [2.0, 0.75, -0.3]]], [[[1.5, -2.5, 0.9], [1.1, -0.7, 0.4]]]], [[[[-1.6, 0.5, -1.25], [2.0, 0.75, -0.3]]], [[[1.5, -2.5, 0.9], [1.1, -0.7, 0.4]]], [[[-1.6, 0.5, -1.25], [2.0, 0.75, -0.3]]]]]> : !x
  %v_z = graph.constant dense<[[[[[0.9, 1.1], [-0.7, 0.4]], [[-1.6, 0.5], [-1.25, 2.0]]], [[[0.75, -0.3], [1.5, -2.5]], [[0.9, 1.1], [-0.7, 0.4]]], [[[-1.6, 0.5], [-1.25, 2.0]], [[0.75, -0.3], [1.5, -2.5]]]], [[[[0.9, 1.1], [-0.7, 0.4]], [[-1.6, 0.5], [-1.25, 2.0]]], [[[0.75, -0.3], [1.5, -2.5]], [[0.9, 1.1], [-0.7, 0.4]]], [[[-1.6, 0.5], [-1.25, 2.0]], [[0.75, -0.3], [1.5, -2.5]]]], [[[[0.9, 1.1], [-0.7, 0.4]], [[-1.6, 0.5], [-1.25, 2.0]]], [[[0.75, -0.3], [1.5, -2.5]], [[0.9, 1.1], [-0.7, 0.4]]], [[[-1.6, 0.5], [-1.25, 2.0]], [[0.75, -0.3], [1.5, -2.5]]]]]> : !z
  %0:3 = graph.value_and_grad @f(%x, %z, %g) wrt = [0, 1]
      : (!x, !z, !y)
      -> (tensor<f64>, !x, !z)
  %1:3 = graph.value_and_grad @along(%x, %z, %g, %v_x, %v_z) wrt = [0, 1]
      : (!x, !z, !y, !x, !z)
      -> (tensor<f64>, !x, !z)
  return %0#1, %0#2, %1#1, %1#2
      : !x, !z, !x, !z
}
