// RUN: split-file %s %t
// RUN: not graph-interpret %t/recursion.mlir --input arg0=1 2>&1 | FileCheck %s --check-prefix=RECURSION
// RUN: not graph-interpret %t/external.mlir --entry main --input arg0=1 2>&1 | FileCheck %s --check-prefix=EXTERNAL
// RUN: not graph-interpret %t/foreign.mlir 2>&1 | FileCheck %s --check-prefix=FOREIGN
// RUN: not graph-interpret %t/elided.mlir 2>&1 | FileCheck %s --check-prefix=ELIDED
// RUN: not graph-interpret %t/large.mlir 2>&1 | FileCheck %s --check-prefix=LARGE

//--- recursion.mlir
// RECURSION: recursion.mlir:3:8: error: function @main calls itself
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @main(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

//--- external.mlir
func.func private @absent(%x: tensor<f32>) -> tensor<f32>
// EXTERNAL: error: function @absent has no body
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @absent(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

//--- foreign.mlir
// FOREIGN: error: 'arith.constant' op cannot be interpreted: it is not an operation of the graph dialect
func.func @main() -> tensor<f32> {
  %0 = arith.constant dense<1.0> : tensor<f32>
  return %0 : tensor<f32>
}

//--- elided.mlir
// ELIDED: error: 'graph.constant' op found an elided value, expected its elements
func.func @main() -> tensor<4xf32> {
  %0 = graph.constant dense_resource<__elided__> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

//--- large.mlir
// LARGE: error: a tensor of type 'tensor<65536x65536xf32>' has 4294967296 elements, the interpreter's limit is 268435456
func.func @main() -> tensor<f32> {
  %0 = graph.constant dense<0.0> : tensor<f32>
  %1 = graph.broadcast %0 dims = [] : tensor<f32> to tensor<65536x65536xf32>
  %2 = graph.reduce sum, %1 dims = [0, 1] : tensor<65536x65536xf32> to tensor<f32>
  return %2 : tensor<f32>
}
