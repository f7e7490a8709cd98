// Whatever a result is (a constant of any type, an argument, a value twice, of
// size 0), the caller receives it.
//
// RUN: graph-compile %s -o %t.gx
// RUN: graph-run call %t.gx constants | FileCheck %s --check-prefix=CONSTANTS
// RUN: graph-run call %t.gx others --input x=2.5 | FileCheck %s --check-prefix=OTHERS
// RUN: graph-run call %t.gx nothing

// CONSTANTS: f64: tensor<2xf64> = [0.1, -inf]
// CONSTANTS: f32: tensor<2xf32> = [1.5, nan]
// CONSTANTS: bf16: tensor<2xbf16> = [1.5, -2]
// CONSTANTS: f16: tensor<2xf16> = [0.5, 65504]
// CONSTANTS: i1: tensor<3xi1> = [1, 0, 1]
// CONSTANTS: i8: tensor<2xi8> = [-128, 127]
// CONSTANTS: i16: tensor<2xi16> = [-3, 300]
// CONSTANTS: i32: tensor<2xi32> = [-4, 70000]
// CONSTANTS: i64: tensor<2xi64> = [-5, 5000000000]
// CONSTANTS: splat: tensor<2xi1> = [1, 1]
// CONSTANTS: scalar: tensor<f32> = 3
func.func @constants() -> (
    tensor<2xf64> {graph.name = "f64"}, tensor<2xf32> {graph.name = "f32"},
    tensor<2xbf16> {graph.name = "bf16"}, tensor<2xf16> {graph.name = "f16"},
    tensor<3xi1> {graph.name = "i1"}, tensor<2xi8> {graph.name = "i8"},
    tensor<2xi16> {graph.name = "i16"}, tensor<2xi32> {graph.name = "i32"},
    tensor<2xi64> {graph.name = "i64"}, tensor<2xi1> {graph.name = "splat"},
    tensor<f32> {graph.name = "scalar"}) {
  %0 = graph.constant dense<[0.1, 0xFFF0000000000000]> : tensor<2xf64>
  %1 = graph.constant dense<[1.5, 0x7FC00000]> : tensor<2xf32>
  %2 = graph.constant dense<[1.5, -2.0]> : tensor<2xbf16>
  %3 = graph.constant dense<[0.5, 65504.0]> : tensor<2xf16>
  %4 = graph.constant dense<[true, false, true]> : tensor<3xi1>
  %5 = graph.constant dense<[-128, 127]> : tensor<2xi8>
  %6 = graph.constant dense<[-3, 300]> : tensor<2xi16>
  %7 = graph.constant dense<[-4, 70000]> : tensor<2xi32>
  %8 = graph.constant dense<[-5, 5000000000]> : tensor<2xi64>
  %9 = graph.constant dense<true> : tensor<2xi1>
  %10 = graph.constant dense<3.0> : tensor<f32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10
      : tensor<2xf64>, tensor<2xf32>, tensor<2xbf16>, tensor<2xf16>, tensor<3xi1>,
        tensor<2xi8>, tensor<2xi16>, tensor<2xi32>, tensor<2xi64>, tensor<2xi1>, tensor<f32>
}

// OTHERS: result0: tensor<f32> = 2.5
// OTHERS: result1: tensor<f32> = 5
// OTHERS: result2: tensor<f32> = 5
// OTHERS: result3: tensor<0x3xf32> = []
// OTHERS: result4: tensor<i1> = 1
func.func @others(%x: tensor<f32> {graph.name = "x"})
    -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<0x3xf32>, tensor<i1>) {
  %0 = graph.add %x, %x : tensor<f32>
  %1 = graph.broadcast %x dims = [] : tensor<f32> to tensor<0x3xf32>
  %2 = graph.compare gt, %0, %x : tensor<f32> to tensor<i1>
  return %x, %0, %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<0x3xf32>, tensor<i1>
}

func.func @nothing() {
  return
}
