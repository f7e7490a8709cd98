// Which attentions have a kernel: those with heads of at most 256 elements.
// RUN: graph-opt %s --graph-decompose=keep-kernels=cpu | FileCheck %s --check-prefix=CPU
// RUN: graph-opt %s --graph-decompose=keep-kernels=cuda:sm_80 | FileCheck %s --check-prefix=CUDA
// RUN: not graph-opt %s --graph-decompose=keep-kernels=abacus 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not graph-opt %s --graph-prepare-attention=target=abacus 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: {{.*}}abacus

// CPU-LABEL: @forward
// CPU: graph.attention
// CUDA-LABEL: @forward
// CUDA: graph.attention
func.func @forward(%q: tensor<2x8x256xf32>) -> tensor<2x8x256xf32> {
  %y, %lse = graph.attention %q, %q, %q scale = 1.0 : (tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>) to tensor<2x8x256xf32>
  return %y : tensor<2x8x256xf32>
}

// CPU-LABEL: @grad
// CPU: graph.attention_grad
// CUDA-LABEL: @grad
// CUDA: graph.attention_grad
func.func @grad(%q: tensor<2x8x256xf32>, %lse: tensor<2x8xf32>) -> tensor<2x8x256xf32> {
  %0:3 = graph.attention_grad %q, %q, %q result %q log_sum_exp %lse cotangent %q scale = 1.0 : (tensor<2x8x256xf32>, tensor<2x8x256xf32>, tensor<2x8x256xf32>) to tensor<2x8x256xf32>
  return %0#0 : tensor<2x8x256xf32>
}

// CPU-LABEL: @too_wide
// CPU-NOT: graph.attention
// CUDA-LABEL: @too_wide
// CUDA-NOT: graph.attention
func.func @too_wide(%q: tensor<2x8x257xf32>) -> tensor<2x8x257xf32> {
  %y, %lse = graph.attention %q, %q, %q scale = 1.0 : (tensor<2x8x257xf32>, tensor<2x8x257xf32>, tensor<2x8x257xf32>) to tensor<2x8x257xf32>
  return %y : tensor<2x8x257xf32>
}
