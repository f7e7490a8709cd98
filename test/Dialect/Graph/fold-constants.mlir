// RUN: graph-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @arithmetic
// CHECK-DAG: %[[ADD:.*]] = graph.constant dense<[4.000000e+00, 6.000000e+00]>
// CHECK-DAG: %[[SUB:.*]] = graph.constant dense<-2.000000e+00>
// CHECK-DAG: %[[MUL:.*]] = graph.constant dense<[3.000000e+00, 8.000000e+00]>
// CHECK-DAG: %[[DIV:.*]] = graph.constant dense<[0.333333343, 5.000000e-01]>
// CHECK: return %[[ADD]], %[[SUB]], %[[MUL]], %[[DIV]]
func.func @arithmetic() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %x = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = graph.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %0 = graph.add %x, %y : tensor<2xf32>
  %1 = graph.sub %x, %y : tensor<2xf32>
  %2 = graph.mul %x, %y : tensor<2xf32>
  %3 = graph.div %x, %y : tensor<2xf32>
  return %0, %1, %2, %3 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// 256 + 1 has no bf16; the even neighbour is 256.
// CHECK-LABEL: @rounds_to_bf16
// CHECK: graph.constant dense<2.560000e+02> : tensor<bf16>
func.func @rounds_to_bf16() -> tensor<bf16> {
  %x = graph.constant dense<256.0> : tensor<bf16>
  %y = graph.constant dense<1.0> : tensor<bf16>
  %0 = graph.add %x, %y : tensor<bf16>
  return %0 : tensor<bf16>
}

// CHECK-LABEL: @integer_division
// CHECK: graph.constant dense<[-2, -1, -128]> : tensor<3xi8>
func.func @integer_division() -> tensor<3xi8> {
  %x = graph.constant dense<[-7, 5, -128]> : tensor<3xi8>
  %y = graph.constant dense<[3, 0, -1]> : tensor<3xi8>
  %0 = graph.div %x, %y : tensor<3xi8>
  return %0 : tensor<3xi8>
}

// NaN wins in max and min, 0 is above -0.
// CHECK-LABEL: @max_and_min
// CHECK-DAG: %[[MAX:.*]] = graph.constant dense<[0x7FC00000, 0.000000e+00, 3.000000e+00]>
// CHECK-DAG: %[[MIN:.*]] = graph.constant dense<[0x7FC00000, -0.000000e+00, 2.000000e+00]>
// CHECK: return %[[MAX]], %[[MIN]]
func.func @max_and_min() -> (tensor<3xf32>, tensor<3xf32>) {
  %x = graph.constant dense<[0x7FC00000, -0.0, 3.0]> : tensor<3xf32>
  %y = graph.constant dense<[1.0, 0.0, 2.0]> : tensor<3xf32>
  %0 = graph.max %x, %y : tensor<3xf32>
  %1 = graph.min %x, %y : tensor<3xf32>
  return %0, %1 : tensor<3xf32>, tensor<3xf32>
}

// CHECK-LABEL: @comparisons_with_nan
// CHECK-DAG: %[[EQ:.*]] = graph.constant dense<[false, true]>
// CHECK-DAG: %[[NE:.*]] = graph.constant dense<[true, false]>
// CHECK: return %[[EQ]], %[[NE]], %[[EQ]]
func.func @comparisons_with_nan() -> (tensor<2xi1>, tensor<2xi1>, tensor<2xi1>) {
  %x = graph.constant dense<[0x7FC00000, 3.0]> : tensor<2xf32>
  %y = graph.constant dense<[0x7FC00000, 3.0]> : tensor<2xf32>
  %0 = graph.compare eq, %x, %y : tensor<2xf32> to tensor<2xi1>
  %1 = graph.compare ne, %x, %y : tensor<2xf32> to tensor<2xi1>
  %2 = graph.compare le, %x, %y : tensor<2xf32> to tensor<2xi1>
  return %0, %1, %2 : tensor<2xi1>, tensor<2xi1>, tensor<2xi1>
}

// CHECK-LABEL: @select
// CHECK: graph.constant dense<[1.000000e+00, 2.000000e+00]>
func.func @select() -> tensor<2xf32> {
  %p = graph.constant dense<[true, false]> : tensor<2xi1>
  %x = graph.constant dense<1.0> : tensor<2xf32>
  %y = graph.constant dense<2.0> : tensor<2xf32>
  %0 = graph.select %p, %x, %y : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: @casts
// CHECK-DAG: %[[INT:.*]] = graph.constant dense<[0, 127, -128, -2]> : tensor<4xi8>
// CHECK-DAG: %[[BOOL:.*]] = graph.constant dense<true> : tensor<4xi1>
// CHECK-DAG: %[[ONE:.*]] = graph.constant dense<1> : tensor<4xi32>
// CHECK-DAG: %[[WIDE:.*]] = graph.constant dense<[0, 127, -128, -2]> : tensor<4xi64>
// CHECK-DAG: %[[FLOAT:.*]] = graph.constant dense<[0.000000e+00, 1.270000e+02, -1.280000e+02, -2.000000e+00]> : tensor<4xbf16>
// CHECK: return %[[INT]], %[[BOOL]], %[[ONE]], %[[WIDE]], %[[FLOAT]]
func.func @casts() -> (tensor<4xi8>, tensor<4xi1>, tensor<4xi32>, tensor<4xi64>, tensor<4xbf16>) {
  %x = graph.constant dense<[0x7FC00000, 300.0, -1.0e10, -2.9]> : tensor<4xf32>
  %0 = graph.cast %x : tensor<4xf32> to tensor<4xi8>
  %1 = graph.cast %x : tensor<4xf32> to tensor<4xi1>
  %2 = graph.cast %1 : tensor<4xi1> to tensor<4xi32>
  %3 = graph.cast %0 : tensor<4xi8> to tensor<4xi64>
  %4 = graph.cast %0 : tensor<4xi8> to tensor<4xbf16>
  return %0, %1, %2, %3, %4 : tensor<4xi8>, tensor<4xi1>, tensor<4xi32>, tensor<4xi64>, tensor<4xbf16>
}

// Functions are folded for splats, of any size.
// CHECK-LABEL: @functions
// CHECK: %[[HALF:.*]] = graph.constant dense<5.000000e-01> : tensor<1000000xf32>
// CHECK: %[[EXP:.*]] = graph.exp
// CHECK: return %[[HALF]], %[[EXP]]
func.func @functions() -> (tensor<1000000xf32>, tensor<2xf32>) {
  %x = graph.constant dense<4.0> : tensor<1000000xf32>
  %y = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = graph.rsqrt %x : tensor<1000000xf32>
  %1 = graph.exp %y : tensor<2xf32>
  return %0, %1 : tensor<1000000xf32>, tensor<2xf32>
}

// CHECK-LABEL: @movements
// CHECK-DAG: %[[B:.*]] = graph.constant dense<{{\[}}[1, 1], [2, 2]{{\]}}> : tensor<2x2xi32>
// CHECK-DAG: %[[T:.*]] = graph.constant dense<{{\[}}[1, 2], [1, 2]{{\]}}> : tensor<2x2xi32>
// CHECK-DAG: %[[R:.*]] = graph.constant dense<[1, 1, 2, 2]> : tensor<4xi32>
// CHECK-DAG: %[[S:.*]] = graph.constant dense<[1, 2]> : tensor<2xi32>
// CHECK-DAG: %[[P:.*]] = graph.constant dense<[9, 1, 9, 2, 9, 9]> : tensor<6xi32>
// CHECK-DAG: %[[C:.*]] = graph.constant dense<[1, 2, 1, 1, 2, 2]> : tensor<6xi32>
// CHECK: return %[[B]], %[[T]], %[[R]], %[[S]], %[[P]], %[[C]]
func.func @movements() -> (tensor<2x2xi32>, tensor<2x2xi32>, tensor<4xi32>,
                           tensor<2xi32>, tensor<6xi32>, tensor<6xi32>) {
  %x = graph.constant dense<[1, 2]> : tensor<2xi32>
  %0 = graph.broadcast %x dims = [0] : tensor<2xi32> to tensor<2x2xi32>
  %1 = graph.transpose %0 perm = [1, 0] : tensor<2x2xi32> to tensor<2x2xi32>
  %2 = graph.reshape %0 : tensor<2x2xi32> to tensor<4xi32>
  %3 = graph.slice %2 starts = [1] limits = [4] strides = [2] : tensor<4xi32> to tensor<2xi32>
  %4 = graph.pad %3 with 9 : i32 low = [1] high = [2] interior = [1] : tensor<2xi32> to tensor<6xi32>
  %5 = graph.concat %3, %2 dim = 0 : (tensor<2xi32>, tensor<4xi32>) -> tensor<6xi32>
  return %0, %1, %2, %3, %4, %5 : tensor<2x2xi32>, tensor<2x2xi32>, tensor<4xi32>,
                                  tensor<2xi32>, tensor<6xi32>, tensor<6xi32>
}

// CHECK-LABEL: @reductions
// CHECK-DAG: %[[SUM:.*]] = graph.constant dense<[3, 7]> : tensor<2xi32>
// CHECK-DAG: %[[PROD:.*]] = graph.constant dense<[3, 8]> : tensor<2xi32>
// CHECK-DAG: %[[MAX:.*]] = graph.constant dense<4> : tensor<i32>
// CHECK-DAG: %[[ANY:.*]] = graph.constant dense<true> : tensor<i1>
// CHECK: return %[[SUM]], %[[PROD]], %[[MAX]], %[[ANY]]
func.func @reductions() -> (tensor<2xi32>, tensor<2xi32>, tensor<i32>, tensor<i1>) {
  %x = graph.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %p = graph.constant dense<[true, false]> : tensor<2xi1>
  %0 = graph.reduce sum, %x dims = [1] : tensor<2x2xi32> to tensor<2xi32>
  %1 = graph.reduce prod, %x dims = [0] : tensor<2x2xi32> to tensor<2xi32>
  %2 = graph.reduce max, %x dims = [0, 1] : tensor<2x2xi32> to tensor<i32>
  %3 = graph.reduce max, %p dims = [0] : tensor<2xi1> to tensor<i1>
  return %0, %1, %2, %3 : tensor<2xi32>, tensor<2xi32>, tensor<i32>, tensor<i1>
}

// 300 ones added in bf16 would stop at 256; the nearest bf16 to 300 is 300.
// CHECK-LABEL: @accumulates_in_f32
// CHECK: graph.constant dense<3.000000e+02> : tensor<bf16>
func.func @accumulates_in_f32() -> tensor<bf16> {
  %x = graph.constant dense<1.0> : tensor<300xbf16>
  %0 = graph.reduce sum, %x dims = [0] : tensor<300xbf16> to tensor<bf16>
  return %0 : tensor<bf16>
}

// More than 64 KiB that are no splat are left to the program.
// CHECK-LABEL: @too_large
// CHECK: graph.broadcast
func.func @too_large() -> tensor<2x16384xf32> {
  %x = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = graph.broadcast %x dims = [0] : tensor<2xf32> to tensor<2x16384xf32>
  return %0 : tensor<2x16384xf32>
}

// CHECK-LABEL: @empty
// CHECK: graph.add
// CHECK: graph.reduce
func.func @empty() -> (tensor<0xf32>, tensor<f32>) {
  %x = graph.constant dense<> : tensor<0xf32>
  %0 = graph.add %x, %x : tensor<0xf32>
  %1 = graph.reduce max, %x dims = [0] : tensor<0xf32> to tensor<f32>
  return %0, %1 : tensor<0xf32>, tensor<f32>
}
