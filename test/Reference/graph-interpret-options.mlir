// RUN: graph-interpret %s --entry scale --random-inputs 3 --input lr=0.5 --output y=%t.npy | FileCheck %s --check-prefix=OTHERS
// RUN: graph-interpret %s --entry identity --input x=%t.npy --output result0=%t.copy.npy
// RUN: cmp %t.npy %t.copy.npy
// RUN: graph-interpret %s --entry scale --random-inputs=3 --input=lr=0.5 --full-precision > %t.first
// RUN: graph-interpret %s --entry scale --random-inputs=3 --input=lr=0.5 --full-precision > %t.second
// RUN: cmp %t.first %t.second
// RUN: graph-interpret %s --entry long | FileCheck %s --check-prefix=LONG

// Results that are written to a file are not printed.
// OTHERS-NOT: y:
// OTHERS:     flag: tensor<i1>
// OTHERS-NEXT: false
func.func @scale(%x: tensor<2x2xbf16> {graph.name = "x"},
                 %lr: tensor<bf16> {graph.name = "lr"}) -> (
    tensor<2x2xbf16> {graph.name = "y"}, tensor<i1> {graph.name = "flag"}) {
  %0 = graph.broadcast %lr dims = [] : tensor<bf16> to tensor<2x2xbf16>
  %1 = graph.mul %x, %0 : tensor<2x2xbf16>
  %2 = graph.compare lt, %lr, %lr : tensor<bf16> to tensor<i1>
  return %1, %2 : tensor<2x2xbf16>, tensor<i1>
}

func.func @identity(%x: tensor<2x2xbf16> {graph.name = "x"}) -> tensor<2x2xbf16> {
  return %x : tensor<2x2xbf16>
}

// LONG: [0, 1, 2, ..., 1998, 1999, 2000]
func.func @long() -> tensor<2001xi32> {
  %0 = graph.iota dim = 0 : tensor<2001xi32>
  return %0 : tensor<2001xi32>
}
