// RUN: graph-opt %s --graph-emit-kernels --split-input-file --verify-diagnostics

func.func @sizes(%x: tensor<8xf32>, %y: tensor<5xf32>) -> (tensor<8xf32>, tensor<5xf32>) {
  // expected-error @below {{is not one kernel: found an output of 5 elements, expected 8}}
  %r:2 = graph.fusion(%x, %y) : (tensor<8xf32>, tensor<5xf32>) -> (tensor<8xf32>, tensor<5xf32>) {
  ^bb0(%a: tensor<8xf32>, %b: tensor<5xf32>):
    %0 = graph.exp %a : tensor<8xf32>
    %1 = graph.exp %b : tensor<5xf32>
    graph.yield %0, %1 : tensor<8xf32>, tensor<5xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<5xf32>
}

// -----

func.func @contraction(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{is not one kernel: the target has no kernels for dots}}
  %r = graph.fusion(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>):
    %0 = graph.dot %a, %a batch = [] x [] contract = [1] x [0]
        : (tensor<4x4xf32>, tensor<4x4xf32>) to tensor<4x4xf32>
    graph.yield %0 : tensor<4x4xf32>
  }
  return %r : tensor<4x4xf32>
}

// -----

func.func @reshape(%x: tensor<2xf32>) -> tensor<3x2xf32> {
  // expected-error @below {{is not one kernel: no common factors of the shapes on both sides of a reshape}}
  %r = graph.fusion(%x) : (tensor<2xf32>) -> tensor<3x2xf32> {
  ^bb0(%a: tensor<2xf32>):
    %0 = graph.broadcast %a dims = [0] : tensor<2xf32> to tensor<2x3xf32>
    %1 = graph.reshape %0 : tensor<2x3xf32> to tensor<3x2xf32>
    graph.yield %1 : tensor<3x2xf32>
  }
  return %r : tensor<3x2xf32>
}

// -----

func.func @reductions(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{is not one kernel: reductions of different sizes}}
  %r = graph.fusion(%x) : (tensor<4x6xf32>) -> tensor<4x6xf32> {
  ^bb0(%a: tensor<4x6xf32>):
    %0 = graph.reduce sum, %a dims = [1] : tensor<4x6xf32> to tensor<4xf32>
    %1 = graph.reduce sum, %a dims = [0] : tensor<4x6xf32> to tensor<6xf32>
    %2 = graph.broadcast %0 dims = [0] : tensor<4xf32> to tensor<4x6xf32>
    %3 = graph.broadcast %1 dims = [1] : tensor<6xf32> to tensor<4x6xf32>
    %4 = graph.add %2, %3 : tensor<4x6xf32>
    graph.yield %4 : tensor<4x6xf32>
  }
  return %r : tensor<4x6xf32>
}

// -----

func.func @transposed_rows(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{is not one kernel: a reduction is needed at other than its own row}}
  %r = graph.fusion(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>):
    %0 = graph.reduce sum, %a dims = [1] : tensor<4x4xf32> to tensor<4xf32>
    %1 = graph.broadcast %0 dims = [1] : tensor<4xf32> to tensor<4x4xf32>
    graph.yield %1 : tensor<4x4xf32>
  }
  return %r : tensor<4x4xf32>
}

// -----

func.func @constant() -> tensor<2xf32> {
  // expected-error @below {{is not one kernel: a constant of different values is not computed}}
  %r = graph.fusion() : () -> tensor<2xf32> {
    %0 = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %1 = graph.exp %0 : tensor<2xf32>
    graph.yield %1 : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}

// -----

func.func @repeated(%x: tensor<1000x64xf32>, %y: tensor<64xf32>) -> tensor<1000x64xf32> {
  // expected-error @below {{is not one kernel: it would repeat}}
  %r = graph.fusion(%x, %y) : (tensor<1000x64xf32>, tensor<64xf32>) -> tensor<1000x64xf32> {
  ^bb0(%a: tensor<1000x64xf32>, %b: tensor<64xf32>):
    %0 = graph.exp %b : tensor<64xf32>
    %1 = graph.broadcast %0 dims = [1] : tensor<64xf32> to tensor<1000x64xf32>
    %2 = graph.add %a, %1 : tensor<1000x64xf32>
    graph.yield %2 : tensor<1000x64xf32>
  }
  return %r : tensor<1000x64xf32>
}

// -----

func.func @scatter_epilogue(%t: tensor<5x8xf32>, %i: tensor<3xi32>, %u: tensor<3x8xf32>)
    -> tensor<5x8xf32> {
  // expected-error @below {{is not one kernel: scatter_add is not the only output}}
  %r = graph.fusion(%t, %i, %u)
      : (tensor<5x8xf32>, tensor<3xi32>, tensor<3x8xf32>) -> tensor<5x8xf32> {
  ^bb0(%a: tensor<5x8xf32>, %b: tensor<3xi32>, %c: tensor<3x8xf32>):
    %0 = graph.scatter_add fill %a[%b], %c
        : tensor<5x8xf32>[tensor<3xi32>], tensor<3x8xf32> to tensor<5x8xf32>
    %1 = graph.exp %0 : tensor<5x8xf32>
    graph.yield %1 : tensor<5x8xf32>
  }
  return %r : tensor<5x8xf32>
}
