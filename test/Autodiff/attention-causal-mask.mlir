// attention, causal with a mask and fewer keys than queries.
// RUN: graph-opt %s --graph-autodiff | FileCheck %s
// RUN: graph-opt %s --graph-autodiff | graph-interpret --entry=values | FileCheck %s --check-prefix=VALUES
// RUN: graph-interpret %s --check-grad --entry=f --random-inputs=1
// RUN: graph-interpret %s --check-grad --entry=along --random-inputs=1

!q = tensor<1x3x2xf64>
!k = tensor<1x2x2xf64>
!v = tensor<1x2x1xf64>
!m = tensor<3x2xi1>
!y = tensor<1x3x1xf64>

func.func @f(%q: !q, %k: !k, %v: !v, %m: !m, %g: !y) -> tensor<f64> {
  %y, %lse = graph.attention causal %q, %k, %v mask %m : !m scale = 0.5
      : (!q, !k, !v) to !y
  %gy = graph.mul %y, %g : !y
  %sum = graph.reduce sum, %gy dims = [0, 1, 2] : !y to tensor<f64>
  return %sum : tensor<f64>
}

// CHECK-LABEL: func @gradient(
// CHECK-SAME:    %[[Q:[^:]*]]: tensor<1x3x2xf64>, %[[K:[^:]*]]: tensor<1x2x2xf64>, %[[V:[^:]*]]: tensor<1x2x1xf64>, %[[M:[^:]*]]: tensor<3x2xi1>, %[[G:[^:]*]]: tensor<1x3x1xf64>
// CHECK:        %[[Y:.*]], %[[LSE:.*]] = graph.attention causal %[[Q]], %[[K]], %[[V]] mask %[[M]]
// CHECK:        graph.constant dense<1.000000e+00> : tensor<f64>
// CHECK:        %[[GY:.*]] = graph.mul %{{.*}}, %[[G]]
// CHECK-NEXT:   %[[DQ:.*]], %[[DK:.*]], %[[DV:.*]] = graph.attention_grad causal %[[Q]], %[[K]], %[[V]] result %[[Y]] log_sum_exp %[[LSE]] cotangent %[[GY]] mask %[[M]]
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

// TORCH values(q, k, v): torch.softmax((0.5 * q @ k.mT).masked_fill(~(m & torch.ones(3, 2, dtype=torch.bool).tril(-1)), -1e30), -1).masked_fill(~(m & torch.ones(3, 2, dtype=torch.bool).tril(-1)), 0.) @ v
// VALUES: result0:
// VALUES-NEXT: {{[[][[]}}[0, 0],
// VALUES-NEXT: [0, 0],
// VALUES-NEXT: [-0.00490665, 0.0294399]]]
// VALUES: result1:
// VALUES-NEXT: {{[[][[]}}[0.00245333, -0.0122666],
// VALUES-NEXT: [-0.00245333, 0.0122666]]]
// VALUES: result2:
// VALUES-NEXT: {{[[][[]}}[0.0868004],
// VALUES-NEXT: [1.4132]]]
// VALUES: result3:
// VALUES-NEXT: {{[[][[]}}[0, 0],
// VALUES-NEXT: [0, 0],
// VALUES-NEXT: [-0.0372725, 0.139404]]]
// VALUES: result4:
// VALUES-NEXT: {{[[][[]}}[0.0178185, -0.0637413],
// VALUES-NEXT: [-0.0178185, 0.0637413]]]
// VALUES: result5:
// VALUES-NEXT: {{[[][[]}}[-0.0527465],
// VALUES-NEXT: [0.0527465]]]
func.func @values()
    -> (!q, !k, !v, !q, !k, !v) {
  %q = graph.constant dense<[[[0.5, -1.25], [2.0, 0.75], [-0.3, 1.5]]]> : !q
  %k = graph.constant dense<[[[1.5, -2.5], [0.9, 1.1]]]> : !k
  %v = graph.constant dense<[[[0.9], [1.1]]]> : !v
  %m = graph.constant dense<[[true, true], [false, true], [true, true]]> : !m
  %g = graph.constant dense<[[[0.75], [-0.3], [1.5]]]> : !y
  %v_q = graph.constant dense<[[[1.5, -2.5], [0.9, 1.1], [-0.7, 0.4]]]> : !q
  %v_k = graph.constant dense<[[[0.9, 1.1], [-0.7, 0.4]]]> : !k
  %v_v = graph.constant dense<[[[-0.7], [0.4]]]> : !v
  %0:4 = graph.value_and_grad @f(%q, %k, %v, %m, %g) wrt = [0, 1, 2]
      : (!q, !k, !v, !m, !y)
      -> (tensor<f64>, !q, !k, !v)
  %1:4 = graph.value_and_grad @along(%q, %k, %v, %m, %g, %v_q, %v_k, %v_v) wrt = [0, 1, 2]
      : (!q, !k, !v, !m, !y, !q, !k, !v)
      -> (tensor<f64>, !q, !k, !v)
  return %0#1, %0#2, %0#3, %1#1, %1#2, %1#3
      : !q, !k, !v, !q, !k, !v
}
