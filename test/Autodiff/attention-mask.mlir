// attention with a mask: a query without a key has no gradient.
// RUN: graph-opt %s --graph-autodiff | FileCheck %s
// RUN: graph-opt %s --graph-autodiff | graph-interpret --entry=values | FileCheck %s --check-prefix=VALUES
// RUN: graph-interpret %s --check-grad --entry=f --random-inputs=1
// RUN: graph-interpret %s --check-grad --entry=along --random-inputs=1

!q = tensor<2x3x2xf64>
!k = tensor<2x4x2xf64>
!v = tensor<2x4x3xf64>
!m = tensor<3x4xi1>
!y = tensor<2x3x3xf64>

func.func @f(%q: !q, %k: !k, %v: !v, %m: !m, %g: !y) -> tensor<f64> {
  %y, %lse = graph.attention %q, %k, %v mask %m : !m scale = 0.5
      : (!q, !k, !v) to !y
  %gy = graph.mul %y, %g : !y
  %sum = graph.reduce sum, %gy dims = [0, 1, 2] : !y to tensor<f64>
  return %sum : tensor<f64>
}

// CHECK-LABEL: func @gradient(
// CHECK-SAME:    %[[Q:[^:]*]]: tensor<2x3x2xf64>, %[[K:[^:]*]]: tensor<2x4x2xf64>, %[[V:[^:]*]]: tensor<2x4x3xf64>, %[[M:[^:]*]]: tensor<3x4xi1>, %[[G:[^:]*]]: tensor<2x3x3xf64>
// CHECK:        %[[Y:.*]], %[[LSE:.*]] = graph.attention %[[Q]], %[[K]], %[[V]] mask %[[M]]
// CHECK:        graph.constant dense<1.000000e+00> : tensor<f64>
// CHECK:        %[[GY:.*]] = graph.mul %{{.*}}, %[[G]]
// CHECK-NEXT:   %[[DQ:.*]], %[[DK:.*]], %[[DV:.*]] = graph.attention_grad %[[Q]], %[[K]], %[[V]] result %[[Y]] log_sum_exp %[[LSE]] cotangent %[[GY]] mask %[[M]]
// CHECK-NEXT:   return %[[DQ]], %[[DK]], %[[DV]]
func.func @gradient(%q: !q, %k: !k, %v: !v, %m: !m, %g: !y)
    -> (!q, !k, !v) {
  %0:4 = graph.value_and_grad @f(%q, %k, %v, %m, %g) wrt = [0, 1, 2]
      : (!q, !k, !v, !m, !y)
      -> (tensor<f64>, !q, !k, !v)
  return %0#1, %0#2, %0#3 : !q, !k, !v
}

func.func @along(%q: !q, %k: !k, %v: !v, %m: !m, %g: !y, %v_q: !q, %v_k: !k, %v_v: !v)
    -> tensor<f64> {
  %0:4 = graph.value_and_grad @f(%q, %k, %v, %m, %g) wrt = [0, 1, 2]
      : (!q, !k, !v, !m, !y)
      -> (tensor<f64>, !q, !k, !v)
  %p0 = graph.mul %v_q, %0#1 : !q
  %s0 = graph.reduce sum, %p0 dims = [0, 1, 2] : !q to tensor<f64>
  %p1 = graph.mul %v_k, %0#2 : !k
  %s1 = graph.reduce sum, %p1 dims = [0, 1, 2] : !k to tensor<f64>
  %t1 = graph.add %s0, %s1 : tensor<f64>
  %p2 = graph.mul %v_v, %0#3 : !v
  %s2 = graph.reduce sum, %p2 dims = [0, 1, 2] : !v to tensor<f64>
  %t2 = graph.add %t1, %s2 : tensor<f64>
  return %t2 : tensor<f64>
}

// TORCH values(q, k, v): torch.softmax((0.5 * q @ k.mT).masked_fill(~m, -1e30), -1).masked_fill(~m, 0.) @ v
// VALUES: result0:
// VALUES-NEXT: {{[[][[]}}[0.286759, -0.262096],
// VALUES-NEXT: [0, 0],
// VALUES-NEXT: [0, 0]],
// VALUES-NEXT: {{[[][[]}}-0.20416, 0.0793681],
// VALUES-NEXT: [0, 0],
// VALUES-NEXT: [0, 0]]]
// VALUES: result1:
// VALUES-NEXT: {{[[][[]}}[0.0433495, -0.108374],
// VALUES-NEXT: [0, 0],
// VALUES-NEXT: [0.00999547, -0.0249887],
// VALUES-NEXT: [-0.0533449, 0.133362]],
// VALUES-NEXT: {{[[][[]}}-0.238665, 0.0859196],
// VALUES-NEXT: [0, 0],
// VALUES-NEXT: [-0.00454966, 0.00163788],
// VALUES-NEXT: [0.243215, -0.0875575]]]
// VALUES: result2:
// VALUES-NEXT: {{[[][[]}}[0.643868, -0.257547, 1.28774],
// VALUES-NEXT: [0, 0, 0],
// VALUES-NEXT: [-0.639358, 0.375743, -1.47872],
// VALUES-NEXT: [0.04549, -0.018196, 0.0909801]],
// VALUES-NEXT: {{[[][[]}}0.476358, -1.19089, 1.90543],
// VALUES-NEXT: [0, 0, 0],
// VALUES-NEXT: [-2.49798, 0.894947, 1.10808],
// VALUES-NEXT: [0.0216211, -0.0540527, 0.0864844]]]
// VALUES: result3:
// VALUES-NEXT: {{[[][[]}}[-2.1105, 2.1612],
// VALUES-NEXT: [0, 0],
// VALUES-NEXT: [0, 0]],
// VALUES-NEXT: {{[[][[]}}0.303489, -0.167643],
// VALUES-NEXT: [0, 0],
// VALUES-NEXT: [0, 0]]]
// VALUES: result4:
// VALUES-NEXT: {{[[][[]}}[-0.249303, 0.731632],
// VALUES-NEXT: [0, 0],
// VALUES-NEXT: [0.0644703, -0.136187],
// VALUES-NEXT: [0.184833, -0.595445]],
// VALUES-NEXT: {{[[][[]}}0.0286737, -0.0175779],
// VALUES-NEXT: [0, 0],
// VALUES-NEXT: [-0.0284535, 0.0101049],
// VALUES-NEXT: [-0.000220207, 0.00747302]]]
// VALUES: result5:
// VALUES-NEXT: {{[[][[]}}[0.56784, -0.227136, 1.13568],
// VALUES-NEXT: [0, 0, 0],
// VALUES-NEXT: [-0.281567, 0.112627, -0.563134],
// VALUES-NEXT: [-0.286272, 0.114509, -0.572545]],
// VALUES-NEXT: {{[[][[]}}0.00179123, -0.00447807, 0.00716492],
// VALUES-NEXT: [0, 0, 0],
// VALUES-NEXT: [-0.00581838, 0.0145459, -0.0232735],
// VALUES-NEXT: [0.00402715, -0.0100679, 0.0161086]]]
func.func @values()
    -> (!q, !k, !v, !q, !k, !v) {
  %q = graph.constant dense<[[[0.5, -1.25], [2.0, 0.75], [-0.3, 1.5]], [[-2.5, 0.9], [1.1, -0.7], [0.4, -1.6]]]> : !q
  %k = graph.constant dense<[[[1.5, -2.5], [0.9, 1.1], [-0.7, 0.4], [-1.6, 0.5]], [[-1.25, 2.0], [0.75, -0.3], [1.5, -2.5], [0.9, 1.1]]]> : !k
  %v = graph.constant dense<[[[0.9, 1.1, -0.7], [0.4, -1.6, 0.5], [-1.25, 2.0, 0.75], [-0.3, 1.5, -2.5]], [[0.9, 1.1, -0.7], [0.4, -1.6, 0.5], [-1.25, 2.0, 0.75], [-0.3, 1.5, -2.5]]]> : !v
  %m = graph.constant dense<[[true, false, true, true], [false, false, false, false], [false, false, true, false]]> : !m
  %g = graph.constant dense<[[[0.75, -0.3, 1.5], [-2.5, 0.9, 1.1], [-0.7, 0.4, -1.6]], [[0.5, -1.25, 2.0], [0.75, -0.3, 1.5], [-2.5, 0.9, 1.1]]]> : !y
  %v_q = graph.constant dense<[[[1.5, -2.5], [0.9, 1.1], [-0.7, 0.4]], [[-1.6, 0.5], [-1.25, 2.0], [0.75, -0.3]]]> : !q
  %v_k = graph.constant dense<[[[0.9, 1.1], [-0.7, 0.4], [-1.6, 0.5], [-1.25, 2.0]], [[0.75, -0.3], [1.5, -2.5], [0.9, 1.1], [-0.7, 0.4]]]> : !k
  %v_v = graph.constant dense<[[[-0.7, 0.4, -1.6], [0.5, -1.25, 2.0], [0.75, -0.3, 1.5], [-2.5, 0.9, 1.1]], [[-0.7, 0.4, -1.6], [0.5, -1.25, 2.0], [0.75, -0.3, 1.5], [-2.5, 0.9, 1.1]]]> : !v
  %0:4 = graph.value_and_grad @f(%q, %k, %v, %m, %g) wrt = [0, 1, 2]
      : (!q, !k, !v, !m, !y)
      -> (tensor<f64>, !q, !k, !v)
  %1:4 = graph.value_and_grad @along(%q, %k, %v, %m, %g, %v_q, %v_k, %v_v) wrt = [0, 1, 2]
      : (!q, !k, !v, !m, !y, !q, !k, !v)
      -> (tensor<f64>, !q, !k, !v)
  return %0#1, %0#2, %0#3, %1#1, %1#2, %1#3
      : !q, !k, !v, !q, !k, !v
}
