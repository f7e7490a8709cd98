// RUN: graph-opt %s --graph-split-reductions --split-input-file | FileCheck %s

// CHECK-LABEL: @columns
// CHECK-SAME:    %[[X:.*]]: tensor<2048x128xf32>
// CHECK:         %[[R:.*]] = graph.reshape %[[X]] : tensor<2048x128xf32> to tensor<8x256x128xf32>
// CHECK:         %[[P:.*]] = graph.reduce sum, %[[R]] dims = [1]
// CHECK:         graph.reduce sum, %[[P]] dims = [0] : tensor<8x128xf32> to tensor<128xf32>
func.func @columns(%x: tensor<2048x128xf32>) -> tensor<128xf32> {
  %0 = graph.reduce sum, %x dims = [0] : tensor<2048x128xf32> to tensor<128xf32>
  return %0 : tensor<128xf32>
}

// -----

// CHECK-LABEL: @to_scalar
// CHECK:         graph.reduce max, %{{.*}} dims = [1, 2] : tensor<16x64x512xf32> to tensor<16xf32>
// CHECK:         graph.reduce max, %{{.*}} dims = [0] : tensor<16xf32> to tensor<f32>
func.func @to_scalar(%x: tensor<1024x512xf32>) -> tensor<f32> {
  %0 = graph.reduce max, %x dims = [0, 1] : tensor<1024x512xf32> to tensor<f32>
  return %0 : tensor<f32>
}

// -----

// The kept dimension before the one that is cut stays in front.
// CHECK-LABEL: @few_rows
// CHECK:         graph.reduce sum, %{{.*}} dims = [0, 3] : tensor<2x3x20x25000xf32> to tensor<3x20xf32>
// CHECK:         graph.reduce sum, %{{.*}} dims = [1] : tensor<3x20xf32> to tensor<3xf32>
func.func @few_rows(%x: tensor<2x3x500000xf32>) -> tensor<3xf32> {
  %0 = graph.reduce sum, %x dims = [0, 2] : tensor<2x3x500000xf32> to tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// Rounded once, after the second stage.
// CHECK-LABEL: @bf16
// CHECK:         graph.cast %{{.*}} : tensor<1048576xbf16> to tensor<1048576xf32>
// CHECK-COUNT-2: graph.reduce
// CHECK:         graph.cast %{{.*}} : tensor<f32> to tensor<bf16>
func.func @bf16(%x: tensor<1048576xbf16>) -> tensor<bf16> {
  %0 = graph.reduce sum, %x dims = [0] : tensor<1048576xbf16> to tensor<bf16>
  return %0 : tensor<bf16>
}

// -----

// Many rows, little work, no divisor, no elements.
// CHECK-LABEL: @untouched
// CHECK-NOT:     graph.reshape
func.func @untouched(%a: tensor<2048x512xf32>, %b: tensor<128x128xf32>, %c: tensor<1000003xf32>, %d: tensor<0x128xf32>)
    -> (tensor<2048xf32>, tensor<f32>, tensor<f32>, tensor<128xf32>) {
  %0 = graph.reduce sum, %a dims = [1] : tensor<2048x512xf32> to tensor<2048xf32>
  %1 = graph.reduce sum, %b dims = [0, 1] : tensor<128x128xf32> to tensor<f32>
  %2 = graph.reduce sum, %c dims = [0] : tensor<1000003xf32> to tensor<f32>
  %3 = graph.reduce sum, %d dims = [0] : tensor<0x128xf32> to tensor<128xf32>
  return %0, %1, %2, %3 : tensor<2048xf32>, tensor<f32>, tensor<f32>, tensor<128xf32>
}
