// A conversion to a narrow float rounds once, wherever it is done. Through f32
// every one of these would become a tie and then go the other way.
//
// RUN: graph-compile %s -o %t.gx
// RUN: graph-run call %t.gx casts --input x=1.0039062500009095 --input y=-1.0004882812509095 \
// RUN:     --input i=33685505 --input j=4629700416936869889 | FileCheck %s
// RUN: graph-run call %t.gx casts --input x=1.0117187499990905 --input y=-1.0014648437490905 \
// RUN:     --input i=-33947647 --input j=-4665729213955833855 | FileCheck %s --check-prefix=BELOW
// RUN: graph-run call %t.gx casts --input x=1e300 --input y=65519.9999999 \
// RUN:     --input i=2147483647 --input j=9223372036854775807 | FileCheck %s --check-prefix=LARGE
// RUN: graph-run call %t.gx casts --input x=nan --input y=-1e-300 \
// RUN:     --input i=0 --input j=-1 | FileCheck %s --check-prefix=SPECIAL
// RUN: graph-interpret %s --entry casts --input x=1.0039062500009095 --input y=-1.0004882812509095 \
// RUN:     --input i=33685505 --input j=4629700416936869889 | FileCheck %s --check-prefix=INTERPRET
// RUN: graph-run call %t.gx narrow --input x=1.0039062500009095 --input y=-1.0004882812509095 \
// RUN:   | FileCheck %s --check-prefix=LITERAL
// RUN: graph-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK:      bf16: tensor<f64> = 1.0078125
// CHECK-NEXT: f16: tensor<f64> = -1.0009765625
// CHECK-NEXT: i32: tensor<i64> = 33816576
// CHECK-NEXT: i64: tensor<i64> = 4647714815446351872
// BELOW:      bf16: tensor<f64> = 1.0078125
// BELOW-NEXT: f16: tensor<f64> = -1.0009765625
// BELOW-NEXT: i32: tensor<i64> = -33816576
// BELOW-NEXT: i64: tensor<i64> = -4647714815446351872
// LARGE:      bf16: tensor<f64> = inf
// LARGE-NEXT: f16: tensor<f64> = 65504
// LARGE-NEXT: i32: tensor<i64> = 2147483648
// LARGE-NEXT: i64: tensor<i64> = 9223372036854775807
// SPECIAL:      bf16: tensor<f64> = nan
// SPECIAL-NEXT: f16: tensor<f64> = -0
// SPECIAL-NEXT: i32: tensor<i64> = 0
// SPECIAL-NEXT: i64: tensor<i64> = -1
// INTERPRET:      bf16:
// INTERPRET-NEXT: 1.00781{{$}}
// INTERPRET:      f16:
// INTERPRET-NEXT: -1.00098{{$}}
// LITERAL:      bf16: tensor<f64> = 1.0078125
// LITERAL-NEXT: f16: tensor<f64> = -1.0009765625
func.func @casts(%x: tensor<f64> {graph.name = "x"}, %y: tensor<f64> {graph.name = "y"},
                 %i: tensor<i32> {graph.name = "i"}, %j: tensor<i64> {graph.name = "j"})
    -> (tensor<f64> {graph.name = "bf16"}, tensor<f64> {graph.name = "f16"},
        tensor<i64> {graph.name = "i32"}, tensor<i64> {graph.name = "i64"}) {
  %0 = graph.cast %x : tensor<f64> to tensor<bf16>
  %1 = graph.cast %0 : tensor<bf16> to tensor<f64>
  %2 = graph.cast %y : tensor<f64> to tensor<f16>
  %3 = graph.cast %2 : tensor<f16> to tensor<f64>
  %4 = graph.cast %i : tensor<i32> to tensor<bf16>
  %5 = graph.cast %4 : tensor<bf16> to tensor<i64>
  %6 = graph.cast %j : tensor<i64> to tensor<bf16>
  %7 = graph.cast %6 : tensor<bf16> to tensor<i64>
  return %1, %3, %5, %7 : tensor<f64>, tensor<f64>, tensor<i64>, tensor<i64>
}

// Literals on the command line are numbers of f64.
func.func @narrow(%x: tensor<bf16> {graph.name = "x"}, %y: tensor<f16> {graph.name = "y"})
    -> (tensor<f64> {graph.name = "bf16"}, tensor<f64> {graph.name = "f16"}) {
  %0 = graph.cast %x : tensor<bf16> to tensor<f64>
  %1 = graph.cast %y : tensor<f16> to tensor<f64>
  return %0, %1 : tensor<f64>, tensor<f64>
}

// FOLD-LABEL: func @constants
// FOLD-DAG:     graph.constant dense<1.007810e+00> : tensor<bf16>
// FOLD-DAG:     graph.constant dense<-1.000980e+00> : tensor<f16>
// FOLD-DAG:     graph.constant dense<3.381660e+07> : tensor<bf16>
// FOLD-DAG:     graph.constant dense<4.647710e+18> : tensor<bf16>
func.func @constants() -> (tensor<bf16>, tensor<f16>, tensor<bf16>, tensor<bf16>) {
  %x = graph.constant dense<1.0039062500009095> : tensor<f64>
  %0 = graph.cast %x : tensor<f64> to tensor<bf16>
  %y = graph.constant dense<-1.0004882812509095> : tensor<f64>
  %1 = graph.cast %y : tensor<f64> to tensor<f16>
  %i = graph.constant dense<33685505> : tensor<i32>
  %2 = graph.cast %i : tensor<i32> to tensor<bf16>
  %j = graph.constant dense<4629700416936869889> : tensor<i64>
  %3 = graph.cast %j : tensor<i64> to tensor<bf16>
  return %0, %1, %2, %3 : tensor<bf16>, tensor<f16>, tensor<bf16>, tensor<bf16>
}

// There and back is where it started, if nothing was lost on the way.
// FOLD-LABEL: func @there_and_back
// FOLD-SAME:    %[[H:.*]]: tensor<4xbf16>, %[[F:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<4xi8>
// FOLD-NEXT:    %[[N:.*]] = graph.cast %[[F]]
// FOLD-NEXT:    %[[W:.*]] = graph.cast %[[N]]
// FOLD-NEXT:    return %[[H]], %[[W]], %[[I]]
func.func @there_and_back(%h: tensor<4xbf16>, %f: tensor<4xf32>, %i: tensor<4xi8>)
    -> (tensor<4xbf16>, tensor<4xf32>, tensor<4xi8>) {
  %0 = graph.cast %h : tensor<4xbf16> to tensor<4xf32>
  %1 = graph.cast %0 : tensor<4xf32> to tensor<4xbf16>
  %2 = graph.cast %f : tensor<4xf32> to tensor<4xbf16>
  %3 = graph.cast %2 : tensor<4xbf16> to tensor<4xf32>
  %4 = graph.cast %i : tensor<4xi8> to tensor<4xi64>
  %5 = graph.cast %4 : tensor<4xi64> to tensor<4xi8>
  return %1, %3, %5 : tensor<4xbf16>, tensor<4xf32>, tensor<4xi8>
}
