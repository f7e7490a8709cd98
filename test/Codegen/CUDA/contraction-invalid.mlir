// RUN: graph-opt %s --graph-emit-kernels=target=cuda:sm_80 --split-input-file --verify-diagnostics

func.func @integers(%x: tensor<4x4xi32>) -> tensor<4x4xi32> {
  // expected-error @below {{is not one kernel: no kernel computes dots of integers}}
  %r = graph.fusion(%x) : (tensor<4x4xi32>) -> tensor<4x4xi32> {
  ^bb0(%a: tensor<4x4xi32>):
    %0 = graph.dot %a, %a batch = [] x [] contract = [1] x [0] : (tensor<4x4xi32>, tensor<4x4xi32>) to tensor<4x4xi32>
    %1 = graph.add %0, %a : tensor<4x4xi32>
    graph.yield %1 : tensor<4x4xi32>
  }
  return %r : tensor<4x4xi32>
}

// -----

func.func @two(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{is not one kernel: two dots do not share a kernel}}
  %r = graph.fusion(%x, %y) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>):
    %0 = graph.dot %a, %a batch = [] x [] contract = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) to tensor<4x4xf32>
    %1 = graph.dot %a, %b batch = [] x [] contract = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) to tensor<4x4xf32>
    %2 = graph.add %0, %1 : tensor<4x4xf32>
    graph.yield %2 : tensor<4x4xf32>
  }
  return %r : tensor<4x4xf32>
}

// -----

func.func @reduce(%x: tensor<4x8xf32>, %y: tensor<8x4xf32>) -> tensor<4xf32> {
  // expected-error @below {{is not one kernel: a dot and a reduction do not share a kernel}}
  %r = graph.fusion(%x, %y) : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>):
    %0 = graph.dot %a, %b batch = [] x [] contract = [1] x [0] : (tensor<4x8xf32>, tensor<8x4xf32>) to tensor<4x4xf32>
    %1 = graph.reduce sum, %0 dims = [1] : tensor<4x4xf32> to tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @transposed(%x: tensor<4x8xf32>, %y: tensor<8x4xf32>, %z: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{is not one kernel: a dot's result is needed at other than its own element}}
  %r = graph.fusion(%x, %y, %z) : (tensor<4x8xf32>, tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>):
    %0 = graph.dot %a, %b batch = [] x [] contract = [1] x [0] : (tensor<4x8xf32>, tensor<8x4xf32>) to tensor<4x4xf32>
    %1 = graph.transpose %0 perm = [1, 0] : tensor<4x4xf32> to tensor<4x4xf32>
    %2 = graph.add %1, %c : tensor<4x4xf32>
    graph.yield %2 : tensor<4x4xf32>
  }
  return %r : tensor<4x4xf32>
}

// -----

func.func @part(%x: tensor<8x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{is not one kernel: a dot would compute an operand of which it reads a part}}
  %r = graph.fusion(%x, %y) : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<8x4xf32>, %b: tensor<4x4xf32>):
    %0 = graph.exp %a : tensor<8x4xf32>
    %1 = graph.fusion(%0, %b) : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> {
    ^bb0(%c: tensor<8x4xf32>, %d: tensor<4x4xf32>):
      %2 = graph.slice %c starts = [0, 0] limits = [4, 4] strides = [1, 1] : tensor<8x4xf32> to tensor<4x4xf32>
      %3 = graph.dot %2, %d batch = [] x [] contract = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) to tensor<4x4xf32>
      graph.yield %3 : tensor<4x4xf32>
    }
    graph.yield %1 : tensor<4x4xf32>
  }
  return %r : tensor<4x4xf32>
}

// -----

func.func @gathered(%x: tensor<8x4xf32>, %i: tensor<4xi32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{is not one kernel: a dot's operand is not computed by contiguous elementwise operations}}
  %r = graph.fusion(%x, %i, %y) : (tensor<8x4xf32>, tensor<4xi32>, tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<8x4xf32>, %j: tensor<4xi32>, %b: tensor<4x4xf32>):
    %0 = graph.gather clip %a[%j] : tensor<8x4xf32>[tensor<4xi32>] to tensor<4x4xf32>
    %1 = graph.dot %0, %b batch = [] x [] contract = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) to tensor<4x4xf32>
    graph.yield %1 : tensor<4x4xf32>
  }
  return %r : tensor<4x4xf32>
}

// -----

func.func @transposed_operand(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{is not one kernel: a dot's operand is not computed by contiguous elementwise operations}}
  %r = graph.fusion(%x, %y) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>):
    %0 = graph.transpose %a perm = [1, 0] : tensor<4x4xf32> to tensor<4x4xf32>
    %1 = graph.add %0, %b : tensor<4x4xf32>
    %2 = graph.dot %1, %b batch = [] x [] contract = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) to tensor<4x4xf32>
    graph.yield %2 : tensor<4x4xf32>
  }
  return %r : tensor<4x4xf32>
}

// -----

func.func @independent(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  // expected-error @below {{is not one kernel: a result of the dot's kernel does not depend on the dot}}
  %r:2 = graph.fusion(%x) : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  ^bb0(%a: tensor<4x4xf32>):
    %0 = graph.exp %a : tensor<4x4xf32>
    %1 = graph.dot %a, %a batch = [] x [] contract = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) to tensor<4x4xf32>
    graph.yield %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
  }
  return %r#0, %r#1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

func.func @shifted_sum(%x: tensor<16x4xf32>, %dy: tensor<16x4xf32>) -> (tensor<4xf32>, tensor<4x4xf32>) {
  // expected-error @below {{is not one kernel: a sum of a dot's operand is needed at other than its own element}}
  %r:2 = graph.fusion(%x, %dy) : (tensor<16x4xf32>, tensor<16x4xf32>) -> (tensor<4xf32>, tensor<4x4xf32>) {
  ^bb0(%a: tensor<16x4xf32>, %b: tensor<16x4xf32>):
    %0 = graph.reduce sum, %b dims = [0] : tensor<16x4xf32> to tensor<4xf32>
    %1 = graph.slice %0 starts = [1] limits = [2] strides = [1] : tensor<4xf32> to tensor<1xf32>
    %2 = graph.reshape %1 : tensor<1xf32> to tensor<f32>
    %3 = graph.broadcast %2 dims = [] : tensor<f32> to tensor<4xf32>
    %4 = graph.dot %a, %b batch = [] x [] contract = [0] x [0] : (tensor<16x4xf32>, tensor<16x4xf32>) to tensor<4x4xf32>
    graph.yield %3, %4 : tensor<4xf32>, tensor<4x4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4x4xf32>
}

// -----

func.func @sum_in_result(%x: tensor<16x4xf32>, %dy: tensor<16x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{is not one kernel: elements of a dot's result need the sum of an operand}}
  %r = graph.fusion(%x, %dy) : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<16x4xf32>, %b: tensor<16x4xf32>):
    %0 = graph.reduce sum, %b dims = [0] : tensor<16x4xf32> to tensor<4xf32>
    %1 = graph.broadcast %0 dims = [1] : tensor<4xf32> to tensor<4x4xf32>
    %2 = graph.dot %a, %b batch = [] x [] contract = [0] x [0] : (tensor<16x4xf32>, tensor<16x4xf32>) to tensor<4x4xf32>
    %3 = graph.add %2, %1 : tensor<4x4xf32>
    graph.yield %3 : tensor<4x4xf32>
  }
  return %r : tensor<4x4xf32>
}
