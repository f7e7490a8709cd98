// attention where the loss depends on log_sum_exp too: the weights again, then
// five products.
// RUN: graph-opt %s --graph-autodiff | FileCheck %s
// RUN: graph-interpret %s --check-grad --entry=f --random-inputs=1
// RUN: graph-interpret %s --check-grad --entry=only --random-inputs=1
// RUN: graph-interpret %s --check-grad --entry=along --random-inputs=1

!q = tensor<2x3x2xf64>
!k = tensor<2x4x2xf64>
!v = tensor<2x4x3xf64>
!y = tensor<2x3x3xf64>
!l = tensor<2x3xf64>

func.func @f(%q: !q, %k: !k, %v: !v, %g: !y, %h: !l) -> tensor<f64> {
  %y, %lse = graph.attention causal %q, %k, %v scale = 0.5 : (!q, !k, !v) to !y
  %gy = graph.mul %y, %g : !y
  %0 = graph.reduce sum, %gy dims = [0, 1, 2] : !y to tensor<f64>
  %hl = graph.mul %lse, %h : !l
  %1 = graph.reduce sum, %hl dims = [0, 1] : !l to tensor<f64>
  %2 = graph.add %0, %1 : tensor<f64>
  return %2 : tensor<f64>
}

func.func @only(%q: !q, %k: !k, %v: !v, %h: !l) -> tensor<f64> {
  %y, %lse = graph.attention causal %q, %k, %v scale = 0.5 : (!q, !k, !v) to !y
  %hl = graph.mul %lse, %h : !l
  %0 = graph.reduce sum, %hl dims = [0, 1] : !l to tensor<f64>
  return %0 : tensor<f64>
}

// CHECK-LABEL: func @along(
// CHECK:         %{{.*}}, %[[LSE:.*]] = graph.attention
// CHECK-NOT:     graph.attention
// CHECK:         graph.reshape %[[LSE]]
// CHECK:         graph.exp
func.func @along(%q: !q, %k: !k, %v: !v, %g: !y, %h: !l, %v_q: !q, %v_k: !k, %v_v: !v)
    -> tensor<f64> {
  %0:4 = graph.value_and_grad @f(%q, %k, %v, %g, %h) wrt = [0, 1, 2]
      : (!q, !k, !v, !y, !l) -> (tensor<f64>, !q, !k, !v)
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
