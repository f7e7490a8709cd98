// RUN: graph-opt %s --graph-decompose=keep-kernels --graph-prepare-attention --split-input-file | FileCheck %s
// RUN: graph-opt %s --graph-decompose=keep-kernels --graph-prepare-attention --verify-semantics --split-input-file -o %t
// RUN: graph-opt %s --graph-decompose=keep-kernels --graph-prepare-attention --graph-fuse --split-input-file | FileCheck %s --check-prefix=FUSED

// Heads are read where they lie in a tensor of all queries, keys and values,
// and written where the next product reads them.
// CHECK-LABEL: @heads
// CHECK-SAME:    %[[QKV:.*]]: tensor<2x16x96xf32>
// CHECK:         %[[SPLIT:.*]] = graph.reshape %[[QKV]]
// CHECK-NEXT:    %[[O:.*]] = graph.fusion(%[[SPLIT]]) : (tensor<2x16x3x4x8xf32>) -> tensor<2x16x4x8xf32>
// CHECK-COUNT-3:   graph.transpose
// CHECK:           %[[Y:.*]], %{{.*}} = graph.attention causal
// CHECK-NEXT:      %[[T:.*]] = graph.transpose %[[Y]]
// CHECK-NEXT:      graph.yield %[[T]]
// CHECK:         %[[FLAT:.*]] = graph.reshape %[[O]]
// CHECK-NEXT:    return %[[FLAT]]
// FUSED-LABEL: @heads
// FUSED-COUNT-1: graph.fusion
// FUSED-NOT:     graph.fusion
// FUSED-LABEL: @derivative
func.func @heads(%qkv: tensor<2x16x96xf32>) -> tensor<2x16x32xf32> {
  %0 = graph.reshape %qkv : tensor<2x16x96xf32> to tensor<2x16x3x4x8xf32>
  %1 = graph.slice %0 starts = [0, 0, 0, 0, 0] limits = [2, 16, 1, 4, 8] strides = [1, 1, 1, 1, 1] : tensor<2x16x3x4x8xf32> to tensor<2x16x1x4x8xf32>
  %2 = graph.reshape %1 : tensor<2x16x1x4x8xf32> to tensor<2x16x4x8xf32>
  %q = graph.transpose %2 perm = [0, 2, 1, 3] : tensor<2x16x4x8xf32> to tensor<2x4x16x8xf32>
  %3 = graph.slice %0 starts = [0, 0, 1, 0, 0] limits = [2, 16, 2, 4, 8] strides = [1, 1, 1, 1, 1] : tensor<2x16x3x4x8xf32> to tensor<2x16x1x4x8xf32>
  %4 = graph.reshape %3 : tensor<2x16x1x4x8xf32> to tensor<2x16x4x8xf32>
  %k = graph.transpose %4 perm = [0, 2, 1, 3] : tensor<2x16x4x8xf32> to tensor<2x4x16x8xf32>
  %5 = graph.slice %0 starts = [0, 0, 2, 0, 0] limits = [2, 16, 3, 4, 8] strides = [1, 1, 1, 1, 1] : tensor<2x16x3x4x8xf32> to tensor<2x16x1x4x8xf32>
  %6 = graph.reshape %5 : tensor<2x16x1x4x8xf32> to tensor<2x16x4x8xf32>
  %v = graph.transpose %6 perm = [0, 2, 1, 3] : tensor<2x16x4x8xf32> to tensor<2x4x16x8xf32>
  %y, %lse = graph.attention causal %q, %k, %v scale = 0.5 : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) to tensor<2x4x16x8xf32>
  %7 = graph.transpose %y perm = [0, 2, 1, 3] : tensor<2x4x16x8xf32> to tensor<2x16x4x8xf32>
  %8 = graph.reshape %7 : tensor<2x16x4x8xf32> to tensor<2x16x32xf32>
  return %8 : tensor<2x16x32xf32>
}

// -----

// The derivative too; a result that nobody uses is not written.
// CHECK-LABEL: @derivative
// CHECK:         %[[D:.*]]:2 = graph.fusion(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (tensor<2x5x3x4xf32>, tensor<2x3x5x4xf32>, tensor<2x3x5xf32>, tensor<5xi1>) -> (tensor<2x5x3x4xf32>, tensor<2x3x5x4xf32>)
// CHECK:           %[[DQ:.*]], %{{.*}}, %[[DV:.*]] = graph.attention_grad
// CHECK-NEXT:      %[[T:.*]] = graph.transpose %[[DQ]]
// CHECK-NEXT:      graph.yield %[[T]], %[[DV]]
// CHECK:         return %[[D]]#0, %[[D]]#1
func.func @derivative(%q: tensor<2x5x3x4xf32>, %k: tensor<2x3x5x4xf32>, %lse: tensor<2x3x5xf32>, %m: tensor<5xi1>) -> (tensor<2x5x3x4xf32>, tensor<2x3x5x4xf32>) {
  %0 = graph.transpose %q perm = [0, 2, 1, 3] : tensor<2x5x3x4xf32> to tensor<2x3x5x4xf32>
  %1:3 = graph.attention_grad %0, %k, %k result %k log_sum_exp %lse cotangent %0 mask %m : tensor<5xi1> scale = 0.5 : (tensor<2x3x5x4xf32>, tensor<2x3x5x4xf32>, tensor<2x3x5x4xf32>) to tensor<2x3x5x4xf32>
  %2 = graph.transpose %1#0 perm = [0, 2, 1, 3] : tensor<2x3x5x4xf32> to tensor<2x5x3x4xf32>
  return %2, %1#2 : tensor<2x5x3x4xf32>, tensor<2x3x5x4xf32>
}

// -----

// A transpose that takes the elements of a head apart stays a copy.
// CHECK-LABEL: @apart
// CHECK:         %[[K:.*]] = graph.transpose
// CHECK:         graph.fusion(%{{.*}}, %[[K]])
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      graph.attention
func.func @apart(%q: tensor<5x4xf32>, %k: tensor<4x5xf32>) -> tensor<5x4xf32> {
  %0 = graph.transpose %k perm = [1, 0] : tensor<4x5xf32> to tensor<5x4xf32>
  %y, %lse = graph.attention %q, %0, %q scale = 0.5 : (tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>) to tensor<5x4xf32>
  return %y : tensor<5x4xf32>
}

// -----

// A mask of no dimensions.
// CHECK-LABEL: @one_mask
// CHECK:         graph.fusion(%{{.*}}, %{{.*}}) : (tensor<5x4xf32>, tensor<i1>)
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      graph.attention
func.func @one_mask(%q: tensor<5x4xf32>, %m: tensor<i1>) -> tensor<5x4xf32> {
  %y, %lse = graph.attention %q, %q, %q mask %m : tensor<i1> scale = 0.5 : (tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>) to tensor<5x4xf32>
  return %y : tensor<5x4xf32>
}

// -----

// No kernel: heads of more than 256 elements, and f64.
// CHECK-LABEL: @large
// CHECK-NOT:     graph.attention
func.func @large(%q: tensor<5x257xf32>) -> tensor<5x257xf32> {
  %y, %lse = graph.attention %q, %q, %q scale = 0.5 : (tensor<5x257xf32>, tensor<5x257xf32>, tensor<5x257xf32>) to tensor<5x257xf32>
  return %y : tensor<5x257xf32>
}
// CHECK-LABEL: @double
// CHECK-NOT:     graph.attention
func.func @double(%q: tensor<5x4xf64>) -> tensor<5x4xf64> {
  %y, %lse = graph.attention %q, %q, %q scale = 0.5 : (tensor<5x4xf64>, tensor<5x4xf64>, tensor<5x4xf64>) to tensor<5x4xf64>
  return %y : tensor<5x4xf64>
}
