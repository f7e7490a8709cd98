// RUN: not graph-interpret %s 2>&1 | FileCheck %s --check-prefix=NOENTRY
// RUN: not graph-interpret %s --entry h 2>&1 | FileCheck %s --check-prefix=ENTRY
// RUN: not graph-interpret %s --entry helper 2>&1 | FileCheck %s --check-prefix=ENTRY2
// RUN: not graph-interpret %s --entry f --input x 2>&1 | FileCheck %s --check-prefix=SYNTAX
// RUN: not graph-interpret %s --entry f --input x=1 --input x=2 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not graph-interpret %s --entry f --input z=1 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not graph-interpret %s --entry f --input x=1 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not graph-interpret %s --entry f --input x=1.5 2>&1 | FileCheck %s --check-prefix=LITERAL
// RUN: not graph-interpret %s --entry f --input x=300 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not graph-interpret %s --entry f --input x=1 --input arg1=1 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not graph-interpret %s --entry f --input x=%t.none.npy 2>&1 | FileCheck %s --check-prefix=NOFILE
// RUN: graph-interpret %s --entry g --output result0=%t.g.npy
// RUN: not graph-interpret %s --entry f --input x=1 --input arg1=%t.g.npy 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not graph-interpret %s --entry g --output y=%t.npy 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: not graph-interpret %s --entry g --output result0=%t.none/y.npy 2>&1 | FileCheck %s --check-prefix=WRITE
// RUN: echo 'module {}' | not graph-interpret 2>&1 | FileCheck %s --check-prefix=EMPTY

// NOENTRY: graph-interpret: error: no --entry is given, expected one of: f, g
// ENTRY: graph-interpret: error: unknown entry 'h', expected one of: f, g
// ENTRY2: graph-interpret: error: unknown entry 'helper', expected one of: f, g
// SYNTAX: graph-interpret: error: --input: found 'x', expected name=value
// TWICE: graph-interpret: error: --input: 'x' is given twice
// UNKNOWN: graph-interpret: error: --input: unknown name 'z', expected one of: x, arg1
// MISSING: graph-interpret: error: input 'arg1' of type tensor<2x3xf32> is missing, expected --input or --random-inputs
// LITERAL: graph-interpret: error: input 'x': found '1.5', expected a value or a .npy file of type tensor<i8>
// RANGE: graph-interpret: error: input 'x': found '300', expected a value or a .npy file of type tensor<i8>
// RANK: graph-interpret: error: input 'arg1': found '1', expected a value or a .npy file of type tensor<2x3xf32>
// NOFILE: graph-interpret: error: input 'x': '{{.*}}none.npy': cannot open
// TYPE: graph-interpret: error: input 'arg1': '{{.*}}g.npy': found tensor<3xf64>, expected tensor<2x3xf32>
// OUTPUT: graph-interpret: error: --output: unknown name 'y', expected one of: result0
// WRITE: graph-interpret: error: output 'result0': '{{.*}}y.npy': cannot create
// EMPTY: graph-interpret: error: the module has no public function
func.func @f(%x: tensor<i8> {graph.name = "x"}, %y: tensor<2x3xf32>) -> tensor<i8> {
  return %x : tensor<i8>
}
func.func @g() -> tensor<3xf64> {
  %0 = graph.iota dim = 0 : tensor<3xf64>
  return %0 : tensor<3xf64>
}
func.func private @helper() -> tensor<3xf64> {
  %0 = graph.iota dim = 0 : tensor<3xf64>
  return %0 : tensor<3xf64>
}
