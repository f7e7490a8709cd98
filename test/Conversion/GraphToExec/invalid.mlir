// RUN: graph-opt %s --convert-graph-to-exec --split-input-file --verify-diagnostics

func.func @call(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{found func.call, expected operations of the graph dialect}}
  %0 = func.call @g(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @g(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

func.func @dot(%a: tensor<2x3x2x5xf32>, %b: tensor<2x3x4x5xf32>) -> tensor<2x4xf32> {
  // expected-error @below {{found a dot that is no matrix product; run --graph-prepare-dots}}
  %0 = graph.dot %a, %b batch = [] x [] contract = [0, 1, 3] x [0, 1, 3]
      : (tensor<2x3x2x5xf32>, tensor<2x3x4x5xf32>) to tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @fused_dot(%a: tensor<2x3x2x5xf32>, %b: tensor<2x3x4x5xf32>) -> tensor<2x4xf32> {
  // expected-error @below {{found a dot that is no matrix product; run --graph-prepare-dots}}
  %0 = graph.fusion(%a, %b) : (tensor<2x3x2x5xf32>, tensor<2x3x4x5xf32>) -> tensor<2x4xf32> {
  ^bb0(%c: tensor<2x3x2x5xf32>, %d: tensor<2x3x4x5xf32>):
    %1 = graph.dot %c, %d batch = [] x [] contract = [0, 1, 3] x [0, 1, 3]
        : (tensor<2x3x2x5xf32>, tensor<2x3x4x5xf32>) to tensor<2x4xf32>
    graph.yield %1 : tensor<2x4xf32>
  }
  return %0 : tensor<2x4xf32>
}

// -----

// expected-error @below {{found name "x" on arguments 0 and 1, expected different names}}
func.func @names(%a: tensor<2xf32> {graph.name = "x"}, %b: tensor<2xf32> {graph.name = "x"}) {
  return
}
