// RUN: graph-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @float_identities
// CHECK-NEXT: return %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0
func.func @float_identities(%x: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
        tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = graph.constant dense<0.0> : tensor<4xf32>
  %negzero = graph.constant dense<-0.0> : tensor<4xf32>
  %one = graph.constant dense<1.0> : tensor<4xf32>
  %inf = graph.constant dense<0x7F800000> : tensor<4xf32>
  %0 = graph.add %x, %negzero : tensor<4xf32>
  %1 = graph.sub %x, %zero : tensor<4xf32>
  %2 = graph.mul %one, %x : tensor<4xf32>
  %3 = graph.div %x, %one : tensor<4xf32>
  %4 = graph.neg %x : tensor<4xf32>
  %5 = graph.neg %4 : tensor<4xf32>
  %6 = graph.pow %x, %one : tensor<4xf32>
  %7 = graph.max %x, %x : tensor<4xf32>
  %8 = graph.min %x, %inf : tensor<4xf32>
  return %0, %1, %2, %3, %5, %6, %7, %8
      : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
        tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -0 + 0 is 0, -0 - -0 is 0, inf * 0 and inf - inf are NaN, NaN is not NaN.
// CHECK-LABEL: @no_float_identities
// CHECK: graph.add
// CHECK: graph.sub
// CHECK: graph.mul
// CHECK: graph.sub
// CHECK: graph.compare
func.func @no_float_identities(%x: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>) {
  %zero = graph.constant dense<0.0> : tensor<4xf32>
  %negzero = graph.constant dense<-0.0> : tensor<4xf32>
  %0 = graph.add %x, %zero : tensor<4xf32>
  %1 = graph.sub %x, %negzero : tensor<4xf32>
  %2 = graph.mul %x, %zero : tensor<4xf32>
  %3 = graph.sub %x, %x : tensor<4xf32>
  %4 = graph.compare eq, %x, %x : tensor<4xf32> to tensor<4xi1>
  return %0, %1, %2, %3, %4
      : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>
}

// CHECK-LABEL: @integer_identities
// CHECK-DAG: %[[ZERO:.*]] = graph.constant dense<0> : tensor<4xi32>
// CHECK-DAG: %[[TRUE:.*]] = graph.constant dense<true> : tensor<4xi1>
// CHECK-NEXT: return %arg0, %[[ZERO]], %[[ZERO]], %arg0, %[[TRUE]]
func.func @integer_identities(%x: tensor<4xi32>)
    -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi1>) {
  %zero = graph.constant dense<0> : tensor<4xi32>
  %smallest = graph.constant dense<-2147483648> : tensor<4xi32>
  %0 = graph.add %x, %zero : tensor<4xi32>
  %1 = graph.mul %x, %zero : tensor<4xi32>
  %2 = graph.sub %x, %x : tensor<4xi32>
  %3 = graph.max %x, %smallest : tensor<4xi32>
  %4 = graph.compare le, %x, %x : tensor<4xi32> to tensor<4xi1>
  return %0, %1, %2, %3, %4
      : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi1>
}

// CHECK-LABEL: @selections
// CHECK-NEXT: %[[FALSE:.*]] = graph.constant dense<false>
// CHECK-NEXT: return %arg1, %arg2, %arg1, %arg0, %arg0, %arg0, %[[FALSE]]
func.func @selections(%p: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xi1>,
        tensor<4xi1>, tensor<4xi1>) {
  %true = graph.constant dense<true> : tensor<4xi1>
  %false = graph.constant dense<false> : tensor<4xi1>
  %0 = graph.select %true, %x, %y : tensor<4xf32>
  %1 = graph.select %false, %x, %y : tensor<4xf32>
  %2 = graph.select %p, %x, %x : tensor<4xf32>
  %3 = graph.select %p, %true, %false : tensor<4xi1>
  %4 = graph.compare eq, %p, %true : tensor<4xi1> to tensor<4xi1>
  %5 = graph.compare ne, %false, %p : tensor<4xi1> to tensor<4xi1>
  %6 = graph.compare lt, %x, %x : tensor<4xf32> to tensor<4xi1>
  return %0, %1, %2, %3, %4, %5, %6
      : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xi1>,
        tensor<4xi1>, tensor<4xi1>
}

// CHECK-LABEL: @movements
// CHECK-NEXT: return %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0
func.func @movements(%x: tensor<2x3xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
        tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
        tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = graph.transpose %x perm = [0, 1] : tensor<2x3xf32> to tensor<2x3xf32>
  %1 = graph.reshape %x : tensor<2x3xf32> to tensor<2x3xf32>
  %2 = graph.broadcast %x dims = [0, 1] : tensor<2x3xf32> to tensor<2x3xf32>
  %3 = graph.slice %x starts = [0, 0] limits = [2, 3] strides = [1, 1] : tensor<2x3xf32> to tensor<2x3xf32>
  %4 = graph.pad %x with 0.0 : f32 low = [0, 0] high = [0, 0] interior = [0, 0] : tensor<2x3xf32> to tensor<2x3xf32>
  %5 = graph.concat %x dim = 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %6 = graph.cast %x : tensor<2x3xf32> to tensor<2x3xf32>
  %7 = graph.reduce sum, %x dims = [] : tensor<2x3xf32> to tensor<2x3xf32>
  %t = graph.transpose %x perm = [1, 0] : tensor<2x3xf32> to tensor<3x2xf32>
  %8 = graph.transpose %t perm = [1, 0] : tensor<3x2xf32> to tensor<2x3xf32>
  %r = graph.reshape %x : tensor<2x3xf32> to tensor<6xf32>
  %9 = graph.reshape %r : tensor<6xf32> to tensor<2x3xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9
      : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
        tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
        tensor<2x3xf32>, tensor<2x3xf32>
}
