// attention, causal, with more keys than queries.
// RUN: graph-opt %s --graph-autodiff | FileCheck %s
// RUN: graph-opt %s --graph-autodiff | graph-interpret --entry=values | FileCheck %s --check-prefix=VALUES
// RUN: graph-interpret %s --check-grad --entry=f --random-inputs=1
// RUN: graph-interpret %s --check-grad --entry=along --random-inputs=1

!q = tensor<1x3x2xf64>
!k = tensor<1x4x2xf64>
!v = tensor<1x4x3xf64>
!y = tensor<1x3x3xf64>

func.func @f(%q: !q, %k: !k, %v: !v, %g: !y) -> tensor<f64> {
  %y, %lse = graph.attention causal %q, %k, %v scale = 0.5
      : (!q, !k, !v) to !y
  %gy = graph.mul %y, %g : !y
  %sum = graph.reduce sum, %gy dims = [0, 1, 2] : !y to tensor<f64>
  return %sum : tensor<f64>
}

// CHECK-LABEL: func @gradient(
// CHECK-SAME:    %[[Q:[^:]*]]: tensor<1x3x2xf64>, %[[K:[^:]*]]: tensor<1x4x2xf64>, %[[V:[^:]*]]: tensor<1x4x3xf64>, %[[G:[^:]*]]: tensor<1x3x3xf64>
// CHECK:        %[[Y:.*]], %[[LSE:.*]] = graph.attention causal %[[Q]], %[[K]], %[[V]]
// CHECK:        graph.constant dense<1.000000e+00> : tensor<f64>
// CHECK:        %[[GY:.*]] = graph.mul %{{.*}}, %[[G]]
// CHECK-NEXT:   %[[DQ:.*]], %[[DK:.*]], %[[DV:.*]] = graph.attention_grad causal %[[Q]], %[[K]], %[[V]] result %[[Y]] log_sum_exp %[[LSE]] cotangent %[[GY]]
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
  %s0 = graph.reduce sum, %p0 dims = [0, 1, 2] : !q to tensor<f64>
  %p1 = graph.mul %v_k, %0#2 : !k
  %s1 = graph.reduce sum, %p1 dims = [0, 1, 2] : !k to tensor<f64>
  %t1 = graph.add %s0, %s1 : tensor<f64>
  %p2 = graph.mul %v_v, %0#3 : !v
  %s2 = graph.reduce sum, %p2 dims = [0, 1, 2] : !v to tensor<f64>
  %t2 = graph.add %t1, %s2 : tensor<f64>
  return %t2 : tensor<f64>
}

// TORCH values(q, k, v): torch.softmax((0.5 * q @ k.mT).masked_fill(~torch.ones(3, 4, dtype=torch.bool).tril(1), -1e30), -1).masked_fill(~torch.ones(3, 4, dtype=torch.bool).tril(1), 0.) @ v
// VALUES: result0:
// VALUES-NEXT: {{[[][[]}}[-0.051129, 0.306774],
// VALUES-NEXT: [-0.602689, 0.20054],
// VALUES-NEXT: [-1.4007, -0.297545]]]
// VALUES: result1:
// VALUES-NEXT: {{[[][[]}}[-0.282234, 0.0126554],
// VALUES-NEXT: [-0.223107, -1.05078],
// VALUES-NEXT: [0.691066, 0.109492],
// VALUES-NEXT: [-0.185726, 0.928628]]]
// VALUES: result2:
// VALUES-NEXT: {{[[][[]}}[-0.0535987, -0.00489307, 1.65863],
// VALUES-NEXT: [-1.72894, 0.673915, 0.216889],
// VALUES-NEXT: [-0.430547, 0.195599, -0.333999],
// VALUES-NEXT: [-0.236913, 0.135379, -0.541515]]]
// VALUES: result3:
// VALUES-NEXT: {{[[][[]}}[-0.0823998, -0.383315],
// VALUES-NEXT: [0.538946, -0.440963],
// VALUES-NEXT: [-1.40813, 0.705707]]]
// VALUES: result4:
// VALUES-NEXT: {{[[][[]}}[0.234967, 0.185346],
// VALUES-NEXT: [1.05201, -0.804745],
// VALUES-NEXT: [-0.629469, -0.748965],
// VALUES-NEXT: [-0.657506, 1.36836]]]
// VALUES: result5:
// VALUES-NEXT: {{[[][[]}}[0.0896476, -0.0484622, 0.709906],
// VALUES-NEXT: [-0.284743, 0.0679627, 0.0299923],
// VALUES-NEXT: [0.476911, -0.180538, -0.0957481],
// VALUES-NEXT: [-0.281816, 0.161037, -0.64415]]]
func.func @values()
    -> (!q, !k, !v, !q, !k, !v) {
  %q = graph.constant dense<[[[0.5, -1.25], [2.0, 0.75], [-0.3, 1.5]]]> : !q
  %k = graph.constant dense<[[[1.5, -2.5], [0.9, 1.1], [-0.7, 0.4], [-1.6, 0.5]]]> : !k
  %v = graph.constant dense<[[[0.9, 1.1, -0.7], [0.4, -1.6, 0.5], [-1.25, 2.0, 0.75], [-0.3, 1.5, -2.5]]]> : !v
  %g = graph.constant dense<[[[0.75, -0.3, 1.5], [-2.5, 0.9, 1.1], [-0.7, 0.4, -1.6]]]> : !y
  %v_q = graph.constant dense<[[[1.5, -2.5], [0.9, 1.1], [-0.7, 0.4]]]> : !q
  %v_k = graph.constant dense<[[[0.9, 1.1], [-0.7, 0.4], [-1.6, 0.5], [-1.25, 2.0]]]> : !k
  %v_v = graph.constant dense<[[[-0.7, 0.4, -1.6], [0.5, -1.25, 2.0], [0.75, -0.3, 1.5], [-2.5, 0.9, 1.1]]]> : !v
  %0:4 = graph.value_and_grad @f(%q, %k, %v, %g) wrt = [0, 1, 2]
      : (!q, !k, !v, !y)
      -> (tensor<f64>, !q, !k, !v)
  %1:4 = graph.value_and_grad @along(%q, %k, %v, %g, %v_q, %v_k, %v_v) wrt = [0, 1, 2]
      : (!q, !k, !v, !y, !q, !k, !v)
      -> (tensor<f64>, !q, !k, !v)
  return %0#1, %0#2, %0#3, %1#1, %1#2, %1#3
      : !q, !k, !v, !q, !k, !v
}
