// RUN: graph-opt %s --graph-emit-kernels | FileCheck %s

// Dimensions that are used as one are one loop, cut into workgroups.
// CHECK-LABEL: func.func @kernel_0
// CHECK-SAME:    %[[X:.*]]: memref<131072xf32>, %[[Y:.*]]: memref<131072xf32>, %{{.*}}: index
// CHECK-SAME:    workgroups = 24
// CHECK:         scf.for
// CHECK:           vector.load %[[X]]
// CHECK:           math.exp %{{.*}} : vector<8xf32>
// CHECK:           vector.store %{{.*}}, %[[Y]]
func.func @pointwise(%x: tensor<1024x128xf32>) -> tensor<1024x128xf32> {
  %r = graph.fusion(%x) : (tensor<1024x128xf32>) -> tensor<1024x128xf32> {
  ^bb0(%a: tensor<1024x128xf32>):
    %0 = graph.exp %a : tensor<1024x128xf32>
    graph.yield %0 : tensor<1024x128xf32>
  }
  return %r : tensor<1024x128xf32>
}

// Three phases; the exponentials are kept in a row buffer.
// CHECK-LABEL: func.func @kernel_1
// CHECK:         %[[BUFFER:.*]] = memref.alloca() {alignment = 64 : i64} : memref<64xf32>
// CHECK:         arith.maximumf
// CHECK:         math.exp
// CHECK:         vector.store %{{.*}}, %[[BUFFER]]
// CHECK:         vector.load %[[BUFFER]]
// CHECK-NOT:     math.exp
// CHECK:         arith.divf
func.func @softmax(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %r = graph.fusion(%x) : (tensor<8x64xf32>) -> tensor<8x64xf32> {
  ^bb0(%a: tensor<8x64xf32>):
    %0 = graph.reduce max, %a dims = [1] : tensor<8x64xf32> to tensor<8xf32>
    %1 = graph.broadcast %0 dims = [0] : tensor<8xf32> to tensor<8x64xf32>
    %2 = graph.sub %a, %1 : tensor<8x64xf32>
    %3 = graph.exp %2 : tensor<8x64xf32>
    %4 = graph.reduce sum, %3 dims = [1] : tensor<8x64xf32> to tensor<8xf32>
    %5 = graph.broadcast %4 dims = [0] : tensor<8xf32> to tensor<8x64xf32>
    %6 = graph.div %3, %5 : tensor<8x64xf32>
    graph.yield %6 : tensor<8x64xf32>
  }
  return %r : tensor<8x64xf32>
}

// Accumulators of neighbouring columns are carried through the loop over rows.
// CHECK-LABEL: func.func @kernel_2
// CHECK:         scf.for
// CHECK:           scf.for {{.*}} iter_args({{.*}}) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
func.func @column_sum(%x: tensor<100x64xf32>) -> tensor<64xf32> {
  %r = graph.fusion(%x) : (tensor<100x64xf32>) -> tensor<64xf32> {
  ^bb0(%a: tensor<100x64xf32>):
    %0 = graph.reduce sum, %a dims = [0] : tensor<100x64xf32> to tensor<64xf32>
    graph.yield %0 : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}

// Squares are transposed in registers.
// CHECK-LABEL: func.func @kernel_3
// CHECK-COUNT-8: vector.load
// CHECK-COUNT-24: vector.shuffle
// CHECK:         vector.store
func.func @transpose(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %r = graph.fusion(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32> {
  ^bb0(%a: tensor<64x64xf32>):
    %0 = graph.transpose %a perm = [1, 0] : tensor<64x64xf32> to tensor<64x64xf32>
    graph.yield %0 : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}

// Rows outside the table are not read and not written.
// CHECK-LABEL: func.func @kernel_4
// CHECK:         scf.if
// CHECK:           arith.addf
func.func @scatter(%t: tensor<5x8xf32>, %i: tensor<3xi32>, %u: tensor<3x8xf32>)
    -> tensor<5x8xf32> {
  %r = graph.fusion(%t, %i, %u)
      : (tensor<5x8xf32>, tensor<3xi32>, tensor<3x8xf32>) -> tensor<5x8xf32> {
  ^bb0(%a: tensor<5x8xf32>, %b: tensor<3xi32>, %c: tensor<3x8xf32>):
    %0 = graph.scatter_add fill %a[%b], %c
        : tensor<5x8xf32>[tensor<3xi32>], tensor<3x8xf32> to tensor<5x8xf32>
    graph.yield %0 : tensor<5x8xf32>
  }
  return %r : tensor<5x8xf32>
}
