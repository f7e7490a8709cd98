// attention: one operation, given the log_sum_exp of the forward pass.
// RUN: graph-opt %s --graph-autodiff | FileCheck %s
// RUN: graph-opt %s --graph-autodiff | graph-interpret --entry=values | FileCheck %s --check-prefix=VALUES
// RUN: graph-interpret %s --check-grad --entry=f --random-inputs=1
// RUN: graph-interpret %s --check-grad --entry=along --random-inputs=1

!q = tensor<2x1x3x2xf64>
!k = tensor<2x1x4x2xf64>
!v = tensor<2x1x4x3xf64>
!y = tensor<2x1x3x3xf64>

func.func @f(%q: !q, %k: !k, %v: !v, %g: !y) -> tensor<f64> {
  %y, %lse = graph.attention %q, %k, %v scale = 0.5
      : (!q, !k, !v) to !y
  %gy = graph.mul %y, %g : !y
  %sum = graph.reduce sum, %gy dims = [0, 1, 2, 3] : !y to tensor<f64>
  return %sum : tensor<f64>
}

// CHECK-LABEL: func @gradient(
// CHECK-SAME:    %[[Q:[^:]*]]: tensor<2x1x3x2xf64>, %[[K:[^:]*]]: tensor<2x1x4x2xf64>, %[[V:[^:]*]]: tensor<2x1x4x3xf64>, %[[G:[^:]*]]: tensor<2x1x3x3xf64>
// CHECK:        %[[Y:.*]], %[[LSE:.*]] = graph.attention %[[Q]], %[[K]], %[[V]]
// CHECK:        graph.constant dense<1.000000e+00> : tensor<f64>
// CHECK:        %[[GY:.*]] = graph.mul %{{.*}}, %[[G]]
// CHECK-NEXT:   %[[DQ:.*]], %[[DK:.*]], %[[DV:.*]] = graph.attention_grad %[[Q]], %[[K]], %[[V]] result %[[Y]] log_sum_exp %[[LSE]] cotangent %[[GY]]
// CHECK-NEXT:   return %[[DQ]], %[[DK]], %[[DV]]
func.func @gradient(%q: !q, %k: !k, %v: !v, %g: !y)
    -> (!q, !k, !v) {
  %0:4 = graph.value_and_grad @f(%q, %k, %v, %g) wrt = [0, 1, 2]
      : (!q, !k, !v, !y)
      -> (tensor<f64>, !q, !k, !v)
  return %0#1, %0#2, %0#3 : !q, !k, !v
}

func.func @along(%q: !q, %k: !k, %v: !v, %g: !y, %v_q: !q, %v_k: !k, %v_v: !v)
    -> tensor<f64> {
  %0:4 = graph.value_and_grad @f(%q, %k, %v, %g) wrt = [0, 1, 2]
      : (!q, !k, !v, !y)
      -> (tensor<f64>, !q, !k, !v)
  %p0 = graph.mul %v_q, %0#1 : !q
  %s0 = graph.reduce sum, %p0 dims = [0, 1, 2, 3] : !q to tensor<f64>
  %p1 = graph.mul %v_k, %0#2 : !k
  %s1 = graph.reduce sum, %p1 dims = [0, 1, 2, 3] : !k to tensor<f64>
  %t1 = graph.add %s0, %s1 : tensor<f64>
  %p2 = graph.mul %v_v, %0#3 : !v
  %s2 = graph.reduce sum, %p2 dims = [0, 1, 2, 3] : !v to tensor<f64>
  %t2 = graph.add %t1, %s2 : tensor<f64>
  return %t2 : tensor<f64>
}

// TORCH values(q, k, v): torch.softmax(0.5 * q @ k.mT, -1) @ v
// VALUES: result0:
// VALUES-NEXT: {{[[][[]}}{{[[][[]}}0.246919, 0.0168704],
// VALUES-NEXT: [-0.605244, 0.198028],
// VALUES-NEXT: [-1.4007, -0.297545]]],
// VALUES-NEXT: {{[[][[]}}[-0.0559083, -0.0916333],
// VALUES-NEXT: [0.00275893, -0.466218],
// VALUES-NEXT: [0.46891, -1.4179]]]]
// VALUES: result1:
// VALUES-NEXT: {{[[][[]}}{{[[][[]}}-0.231122, -0.105501],
// VALUES-NEXT: [-0.22112, -1.04495],
// VALUES-NEXT: [0.669404, 0.084202],
// VALUES-NEXT: [-0.217161, 1.06625]]],
// VALUES-NEXT: {{[[][[]}}[-0.0720156, 0.0878693],
// VALUES-NEXT: [-0.116136, 0.542636],
// VALUES-NEXT: [0.263526, -0.886983],
// VALUES-NEXT: [-0.075375, 0.256477]]]]
// VALUES: result2:
// VALUES-NEXT: {{[[][[]}}{{[[][[]}}-0.115787, 0.0211055, 1.46572],
// VALUES-NEXT: [-1.67767, 0.655786, 0.174348],
// VALUES-NEXT: [-0.365053, 0.169771, -0.225541],
// VALUES-NEXT: [-0.291488, 0.153338, -0.414526]]],
// VALUES-NEXT: {{[[][[]}}[0.452995, -1.15581, 1.91219],
// VALUES-NEXT: [-0.143786, 0.0169324, 0.483744],
// VALUES-NEXT: [-1.57598, 0.543864, 1.87821],
// VALUES-NEXT: [0.0167685, -0.0549868, 0.325852]]]]
// VALUES: result3:
// VALUES-NEXT: {{[[][[]}}{{[[][[]}}-2.12029, 1.67983],
// VALUES-NEXT: [0.0535689, -0.312434],
// VALUES-NEXT: [-1.40813, 0.705707]]],
// VALUES-NEXT: {{[[][[]}}[0.0241744, 0.0420442],
// VALUES-NEXT: [0.657812, -1.84355],
// VALUES-NEXT: [0.173241, 1.19567]]]]
// VALUES: result4:
// VALUES-NEXT: {{[[][[]}}{{[[][[]}}-0.112547, 0.813057],
// VALUES-NEXT: [0.779189, -0.852816],
// VALUES-NEXT: [-0.522965, -0.9138],
// VALUES-NEXT: [-0.143676, 0.953559]]],
// VALUES-NEXT: {{[[][[]}}[-0.383162, 0.088371],
// VALUES-NEXT: [0.220819, 1.09018],
// VALUES-NEXT: [0.529575, -0.712535],
// VALUES-NEXT: [-0.367232, -0.466012]]]]
// VALUES: result5:
// VALUES-NEXT: {{[[][[]}}{{[[][[]}}0.483719, -0.207121, 1.56088],
// VALUES-NEXT: [-0.270004, 0.0595241, 0.214599],
// VALUES-NEXT: [0.204034, -0.0725086, -0.573088],
// VALUES-NEXT: [-0.417748, 0.220105, -1.20239]]],
// VALUES-NEXT: {{[[][[]}}[0.194955, -0.18833, 0.426508],
// VALUES-NEXT: [-0.290785, 0.203544, 0.893612],
// VALUES-NEXT: [-0.174842, 0.102949, -1.67704],
// VALUES-NEXT: [0.270672, -0.118163, 0.356921]]]]
func.func @values()
    -> (!q, !k, !v, !q, !k, !v) {
  %q = graph.constant dense<[[[[0.5, -1.25], [2.0, 0.75], [-0.3, 1.5]]], [[[-2.5, 0.9], [1.1, -0.7], [0.4, -1.6]]]]> : !q
  %k = graph.constant dense<[[[[1.5, -2.5], [0.9, 1.1], [-0.7, 0.4], [-1.6, 0.5]]], [[[-1.25, 2.0], [0.75, -0.3], [1.5, -2.5], [0.9, 1.1]]]]> : !k
  %v = graph.constant dense<[[[[0.9, 1.1, -0.7], [0.4, -1.6, 0.5], [-1.25, 2.0, 0.75], [-0.3, 1.5, -2.5]]], [[[0.9, 1.1, -0.7], [0.4, -1.6, 0.5], [-1.25, 2.0, 0.75], [-0.3, 1.5, -2.5]]]]> : !v
  %g = graph.constant dense<[[[[0.75, -0.3, 1.5], [-2.5, 0.9, 1.1], [-0.7, 0.4, -1.6]]], [[[0.5, -1.25, 2.0], [0.75, -0.3, 1.5], [-2.5, 0.9, 1.1]]]]> : !y
  %v_q = graph.constant dense<[[[[1.5, -2.5], [0.9, 1.1], [-0.7, 0.4]]], [[[-1.6, 0.5], [-1.25, 2.0], [0.75, -0.3]]]]> : !q
  %v_k = graph.constant dense<[[[[0.9, 1.1], [-0.7, 0.4], [-1.6, 0.5], [-1.25, 2.0]]], [[[0.75, -0.3], [1.5, -2.5], [0.9, 1.1], [-0.7, 0.4]]]]> : !k
  %v_v = graph.constant dense<[[[[-0.7, 0.4, -1.6], [0.5, -1.25, 2.0], [0.75, -0.3, 1.5], [-2.5, 0.9, 1.1]]], [[[-0.7, 0.4, -1.6], [0.5, -1.25, 2.0], [0.75, -0.3, 1.5], [-2.5, 0.9, 1.1]]]]> : !v
  %0:4 = graph.value_and_grad @f(%q, %k, %v, %g) wrt = [0, 1, 2]
      : (!q, !k, !v, !y)
      -> (tensor<f64>, !q, !k, !v)
  %1:4 = graph.value_and_grad @along(%q, %k, %v, %g, %v_q, %v_k, %v_v) wrt = [0, 1, 2]
      : (!q, !k, !v, !y, !q, !k, !v)
      -> (tensor<f64>, !q, !k, !v)
  return %0#1, %0#2, %0#3, %1#1, %1#2, %1#3
      : !q, !k, !v, !q, !k, !v
}
