// RUN: graph-opt %s --graph-decompose --graph-fuse --split-input-file | FileCheck %s

// A chain of row reductions is one kernel.
// CHECK-LABEL: @softmax
// CHECK:         %[[R:.*]] = graph.fusion(%{{.*}}) : (tensor<64x128xf32>) -> tensor<64x128xf32>
// CHECK-COUNT-2: graph.reduce
// CHECK:         graph.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[R]]
func.func @softmax(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = graph.softmax %x dim = 1 : tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

// -----

// The residual addition joins the normalisation and is a second result.
// CHECK-LABEL: @residual_layer_norm
// CHECK:         %[[R:.*]]:2 = graph.fusion
// CHECK:           %[[SUM:.*]] = graph.add
// CHECK:           graph.yield %[[SUM]], %{{.*}}
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[R]]#0, %[[R]]#1
func.func @residual_layer_norm(%x: tensor<64x128xf32>, %f: tensor<64x128xf32>, %s: tensor<128xf32>, %b: tensor<128xf32>)
    -> (tensor<64x128xf32>, tensor<64x128xf32>) {
  %r = graph.add %x, %f : tensor<64x128xf32>
  %0 = graph.layer_norm %r, %s, %b epsilon = 1.0e-5 : tensor<64x128xf32>, tensor<128xf32>
  return %r, %0 : tensor<64x128xf32>, tensor<64x128xf32>
}

// -----

// Reductions of the same input over the same domain share a kernel.
// CHECK-LABEL: @siblings
// CHECK:         %[[R:.*]]:2 = graph.fusion(%{{.*}}, %{{.*}}) : (tensor<64x128xf32>, tensor<64x128xf32>) -> (tensor<128xf32>, tensor<128xf32>)
// CHECK:         return %[[R]]#0, %[[R]]#1
func.func @siblings(%x: tensor<64x128xf32>, %y: tensor<64x128xf32>) -> (tensor<128xf32>, tensor<128xf32>) {
  %p = graph.mul %x, %y : tensor<64x128xf32>
  %0 = graph.reduce sum, %p dims = [0] : tensor<64x128xf32> to tensor<128xf32>
  %1 = graph.reduce sum, %y dims = [0] : tensor<64x128xf32> to tensor<128xf32>
  return %0, %1 : tensor<128xf32>, tensor<128xf32>
}

// -----

// What surrounds dots is one kernel each: bias and gelu here. The broadcast bias
// is computed again rather than written.
// CHECK-LABEL: @between_dots
// CHECK:         %[[D:.*]] = graph.dot
// CHECK:         %[[F:.*]] = graph.fusion(%{{.*}}, %[[D]]) : (tensor<16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
// CHECK:           graph.broadcast
// CHECK:           graph.tanh
// CHECK:         graph.dot %[[F]]
// CHECK-NEXT:    return
func.func @between_dots(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>, %b: tensor<16xf32>, %v: tensor<16x4xf32>) -> tensor<8x4xf32> {
  %0 = graph.dot %x, %w batch = [] x [] contract = [1] x [0] : (tensor<8x4xf32>, tensor<4x16xf32>) to tensor<8x16xf32>
  %1 = graph.broadcast %b dims = [1] : tensor<16xf32> to tensor<8x16xf32>
  %2 = graph.add %0, %1 : tensor<8x16xf32>
  %3 = graph.gelu tanh, %2 : tensor<8x16xf32>
  %4 = graph.dot %3, %v batch = [] x [] contract = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) to tensor<8x4xf32>
  return %4 : tensor<8x4xf32>
}

// -----

// A cheap operation on a broadcast is repeated in both kernels: that moves less
// than its result.
// CHECK-LABEL: @repeated
// CHECK:         graph.fusion(%{{.*}}, %{{.*}}) : (tensor<512xbf16>, tensor<256x512xf32>)
// CHECK:           graph.cast
// CHECK:         graph.fusion(%{{.*}}, %{{.*}}) : (tensor<512xbf16>, tensor<256x512xf32>)
// CHECK:           graph.cast
func.func @repeated(%x: tensor<256x512xf32>, %y: tensor<256x512xf32>, %b: tensor<512xbf16>) -> (tensor<512xf32>, tensor<256xf32>) {
  %0 = graph.cast %b : tensor<512xbf16> to tensor<512xf32>
  %1 = graph.broadcast %0 dims = [1] : tensor<512xf32> to tensor<256x512xf32>
  %2 = graph.mul %x, %1 : tensor<256x512xf32>
  %3 = graph.reduce sum, %2 dims = [0] : tensor<256x512xf32> to tensor<512xf32>
  %4 = graph.mul %y, %1 : tensor<256x512xf32>
  %5 = graph.reduce sum, %4 dims = [1] : tensor<256x512xf32> to tensor<256xf32>
  return %3, %5 : tensor<512xf32>, tensor<256xf32>
}

// -----

// Fusing the first and the last addition would put the dot between them inside
// a cycle.
// CHECK-LABEL: @no_cycle
// CHECK:         %[[F:.*]] = graph.fusion
// CHECK:         %[[D:.*]] = graph.dot %[[F]], %[[F]]
// CHECK:         graph.fusion({{.*}}%[[D]]
func.func @no_cycle(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = graph.add %x, %x : tensor<64x64xf32>
  %1 = graph.dot %0, %0 batch = [] x [] contract = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) to tensor<64x64xf32>
  %2 = graph.add %0, %1 : tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}

// -----

// A reshape is no kernel: it names the same memory.
// CHECK-LABEL: @alias
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>
// CHECK-NEXT:    %[[R:.*]] = graph.reshape %[[X]]
// CHECK-NEXT:    return %[[R]]
func.func @alias(%x: tensor<8xf32>) -> tensor<2x4xf32> {
  %0 = graph.reshape %x : tensor<8xf32> to tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

// A use in a kernel that needs the result of another is moved behind it.
// CHECK-LABEL: @order
// CHECK:         %[[F:.*]]:2 = graph.fusion
// CHECK:         graph.dot %[[F]]#{{[01]}}
// CHECK:         return
func.func @order(%x: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64xf32>) {
  %0 = graph.exp %x : tensor<64x64xf32>
  %1 = graph.dot %0, %0 batch = [] x [] contract = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) to tensor<64x64xf32>
  %2 = graph.reduce sum, %0 dims = [1] : tensor<64x64xf32> to tensor<64xf32>
  return %1, %2 : tensor<64x64xf32>, tensor<64xf32>
}

// -----

// Adding the bias twice moves less than writing the sum and reading it again;
// computing the exponential twice does not pay.
// CHECK-LABEL: @recomputed
// CHECK:         %[[D:.*]] = graph.dot
// CHECK:         %[[F:.*]]:2 = graph.fusion(%{{.*}}, %[[D]])
// CHECK:           graph.add
// CHECK:           %[[E:.*]] = graph.exp
// CHECK:           graph.yield %[[E]], %{{.*}} : tensor<512x512xf32>, tensor<512x512xf32>
// CHECK:         graph.fusion(%{{.*}}, %[[D]], %{{.*}}, %[[F]]#0)
// CHECK:           graph.add
// CHECK-NOT:       graph.exp
// CHECK:           graph.yield
func.func @recomputed(%x: tensor<512x64xf32>, %w: tensor<64x512xf32>, %b: tensor<512xf32>, %v: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = graph.dot %x, %w batch = [] x [] contract = [1] x [0] : (tensor<512x64xf32>, tensor<64x512xf32>) to tensor<512x512xf32>
  %1 = graph.broadcast %b dims = [1] : tensor<512xf32> to tensor<512x512xf32>
  %2 = graph.add %0, %1 : tensor<512x512xf32>
  %3 = graph.exp %2 : tensor<512x512xf32>
  %4 = graph.mul %2, %3 : tensor<512x512xf32>
  %5 = graph.dot %4, %v batch = [] x [] contract = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) to tensor<512x512xf32>
  %6 = graph.mul %5, %2 : tensor<512x512xf32>
  %7 = graph.mul %6, %3 : tensor<512x512xf32>
  return %7 : tensor<512x512xf32>
}

// -----

// Small kernels of the same shape share a launch, whatever they read.
// CHECK-LABEL: @small
// CHECK:         %[[R:.*]]:2 = graph.fusion(%{{.*}}, %{{.*}})
// CHECK:         return %[[R]]#0, %[[R]]#1
func.func @small(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %0 = graph.reduce sum, %x dims = [0] : tensor<8x16xf32> to tensor<16xf32>
  %1 = graph.reduce sum, %y dims = [0] : tensor<8x16xf32> to tensor<16xf32>
  return %0, %1 : tensor<16xf32>, tensor<16xf32>
}
