// The passes change how results are computed, not the results.

// RUN: graph-opt %s --graph-decompose --graph-prepare-dots \
// RUN:     --graph-split-reductions --graph-fuse --verify-semantics \
// RUN:   | FileCheck %s
// CHECK: graph.fusion
// CHECK: graph.dot

func.func @block(%x: tensor<2x8x12xf32> {graph.name = "x"},
                 %scale: tensor<12xf32> {graph.name = "scale"},
                 %bias: tensor<12xf32> {graph.name = "bias"},
                 %wqkv: tensor<12x36xf32> {graph.name = "wqkv"},
                 %w: tensor<12x20xf32> {graph.name = "w"},
                 %table: tensor<20x12xf32> {graph.name = "table"},
                 %rows: tensor<2x8xi32> {graph.name = "rows"},
                 %long: tensor<512x512xf32> {graph.name = "long"})
    -> (tensor<2x8x12xf32> {graph.name = "mixed"},
        tensor<2x8xf32> {graph.name = "loss"},
        tensor<12xf32> {graph.name = "columns"},
        tensor<20x12xf32> {graph.name = "scattered"},
        tensor<12x2x8xf32> {graph.name = "moved"},
        tensor<12x20xf32> {graph.name = "gradient"},
        tensor<f32> {graph.name = "norm"}) {
  %0 = graph.gather clip %table[%rows] : tensor<20x12xf32>[tensor<2x8xi32>] to tensor<2x8x12xf32>
  %1 = graph.add %x, %0 : tensor<2x8x12xf32>
  %2 = graph.layer_norm %1, %scale, %bias epsilon = 1.0e-5 : tensor<2x8x12xf32>, tensor<12xf32>
  %3 = graph.dot %2, %wqkv batch = [] x [] contract = [2] x [0] : (tensor<2x8x12xf32>, tensor<12x36xf32>) to tensor<2x8x36xf32>
  %4 = graph.reshape %3 : tensor<2x8x36xf32> to tensor<2x8x3x3x4xf32>
  %5 = graph.slice %4 starts = [0, 0, 0, 0, 0] limits = [2, 8, 1, 3, 4] strides = [1, 1, 1, 1, 1] : tensor<2x8x3x3x4xf32> to tensor<2x8x1x3x4xf32>
  %6 = graph.slice %4 starts = [0, 0, 1, 0, 0] limits = [2, 8, 2, 3, 4] strides = [1, 1, 1, 1, 1] : tensor<2x8x3x3x4xf32> to tensor<2x8x1x3x4xf32>
  %7 = graph.slice %4 starts = [0, 0, 2, 0, 0] limits = [2, 8, 3, 3, 4] strides = [1, 1, 1, 1, 1] : tensor<2x8x3x3x4xf32> to tensor<2x8x1x3x4xf32>
  %8 = graph.reshape %5 : tensor<2x8x1x3x4xf32> to tensor<2x8x3x4xf32>
  %9 = graph.reshape %6 : tensor<2x8x1x3x4xf32> to tensor<2x8x3x4xf32>
  %10 = graph.reshape %7 : tensor<2x8x1x3x4xf32> to tensor<2x8x3x4xf32>
  %q = graph.transpose %8 perm = [0, 2, 1, 3] : tensor<2x8x3x4xf32> to tensor<2x3x8x4xf32>
  %k = graph.transpose %9 perm = [0, 2, 1, 3] : tensor<2x8x3x4xf32> to tensor<2x3x8x4xf32>
  %v = graph.transpose %10 perm = [0, 2, 1, 3] : tensor<2x8x3x4xf32> to tensor<2x3x8x4xf32>
  %a, %a_lse = graph.attention causal %q, %k, %v scale = 0.5 : (tensor<2x3x8x4xf32>, tensor<2x3x8x4xf32>, tensor<2x3x8x4xf32>) to tensor<2x3x8x4xf32>
  %11 = graph.transpose %a perm = [0, 2, 1, 3] : tensor<2x3x8x4xf32> to tensor<2x8x3x4xf32>
  %mixed = graph.reshape %11 : tensor<2x8x3x4xf32> to tensor<2x8x12xf32>
  %12 = graph.gelu tanh, %mixed : tensor<2x8x12xf32>
  %13 = graph.dot %12, %w batch = [] x [] contract = [2] x [0] : (tensor<2x8x12xf32>, tensor<12x20xf32>) to tensor<2x8x20xf32>
  %loss = graph.cross_entropy %13, %rows : tensor<2x8x20xf32>, tensor<2x8xi32> to tensor<2x8xf32>
  %columns = graph.reduce sum, %12 dims = [0, 1] : tensor<2x8x12xf32> to tensor<12xf32>
  %scattered = graph.scatter_add clip %table[%rows], %12 : tensor<20x12xf32>[tensor<2x8xi32>], tensor<2x8x12xf32> to tensor<20x12xf32>
  %moved = graph.transpose %12 perm = [2, 0, 1] : tensor<2x8x12xf32> to tensor<12x2x8xf32>
  %gradient = graph.dot %12, %13 batch = [] x [] contract = [1, 0] x [1, 0] : (tensor<2x8x12xf32>, tensor<2x8x20xf32>) to tensor<12x20xf32>
  %14 = graph.mul %long, %long : tensor<512x512xf32>
  %norm = graph.reduce sum, %14 dims = [0, 1] : tensor<512x512xf32> to tensor<f32>
  return %mixed, %loss, %columns, %scattered, %moved, %gradient, %norm : tensor<2x8x12xf32>, tensor<2x8xf32>, tensor<12xf32>, tensor<20x12xf32>, tensor<12x2x8xf32>, tensor<12x20xf32>, tensor<f32>
}
