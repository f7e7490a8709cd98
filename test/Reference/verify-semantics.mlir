// A pass that keeps the meaning goes through, one that loses a value is named.
//
// RUN: graph-opt %s --verify-semantics --canonicalize --cse --graph-decompose | FileCheck %s
// RUN: graph-opt %s --verify-semantics --pass-pipeline='builtin.module(func.func(canonicalize,cse))' | FileCheck %s --check-prefix=NESTED
// CHECK-NOT: graph.softmax
// NESTED: graph.softmax
func.func @f(%x: tensor<2x3xf32> {graph.name = "x"}) -> tensor<2x3xf32> {
  %0 = graph.softmax %x dim = 1 : tensor<2x3xf32>
  %1 = graph.neg %0 : tensor<2x3xf32>
  %2 = graph.neg %1 : tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}
