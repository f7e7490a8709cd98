// The memory of a training step grows with the length of the sequence, not with
// its square: at 4096 positions the scores of one head alone would be 64 MiB.
//
// RUN: graph-compile %s --emit=exec | FileCheck %s

!x = tensor<2x4096x16xf32>

func.func private @loss(%q: !x, %k: !x, %v: !x) -> tensor<f32> {
  %y, %lse = graph.attention causal %q, %k, %v scale = 0.25 : (!x, !x, !x) to !x
  %0 = graph.mul %y, %y : !x
  %1 = graph.reduce sum, %0 dims = [0, 1, 2] : !x to tensor<f32>
  return %1 : tensor<f32>
}

// Below 10 MB.
// CHECK: exec.func @step
// CHECK-SAME: plan <arena = {{([0-9]{1,7})}}, max_live
// CHECK: exec.dispatch @kernels::@attention_0
// CHECK: exec.dispatch @kernels::@attention_grad_0
func.func @step(%q: !x, %k: !x, %v: !x) -> (!x, !x, !x) {
  %0:4 = graph.value_and_grad @loss(%q, %k, %v) wrt = [0, 1, 2] : (!x, !x, !x) -> (tensor<f32>, !x, !x, !x)
  return %0#1, %0#2, %0#3 : !x, !x, !x
}
