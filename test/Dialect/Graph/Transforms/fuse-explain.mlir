// RUN: graph-opt %s --graph-fuse=explain=true --split-input-file --verify-diagnostics

func.func @transposed_reductions(%x: tensor<256x512xf32>) -> tensor<512xf32> {
  // expected-note @below {{the operand}}
  %0 = graph.reduce sum, %x dims = [1] : tensor<256x512xf32> to tensor<256xf32>
  %1 = graph.broadcast %0 dims = [0] : tensor<256xf32> to tensor<256x512xf32>
  // expected-remark @below {{not fused with its operand 'graph.reduce': found an output of 512 elements, expected 131072 or 256}}
  %2 = graph.mul %x, %1 : tensor<256x512xf32>
  %3 = graph.reduce sum, %2 dims = [0] : tensor<256x512xf32> to tensor<512xf32>
  return %3 : tensor<512xf32>
}

// -----

func.func @dot_between(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-note @below {{the operand}}
  %0 = graph.add %x, %x : tensor<64x64xf32>
  %1 = graph.dot %0, %0 batch = [] x [] contract = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) to tensor<64x64xf32>
  // expected-remark @below {{not fused with its operand 'graph.add': something between them must run after one and before the other}}
  %2 = graph.add %0, %1 : tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}

// -----

func.func @repeats(%x: tensor<4096xf32>, %t: tensor<512x4096xf32>) -> tensor<512x4096xf32> {
  // expected-note @below {{the operand}}
  %0 = graph.exp %x : tensor<4096xf32>
  %1 = graph.broadcast %0 dims = [1] : tensor<4096xf32> to tensor<512x4096xf32>
  // expected-remark @below {{not fused with its operand 'graph.exp': it would repeat}}
  %2 = graph.mul %t, %1 : tensor<512x4096xf32>
  return %2 : tensor<512x4096xf32>
}
