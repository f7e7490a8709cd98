// RUN: not graph-opt %s --graph-mixed-precision="type=f16 initial-scale=3" 2>&1 | FileCheck %s --check-prefix=SCALE
// SCALE: found initial-scale 3.0{{.*}}, expected a power of two from 2^-126 to 2^126
// RUN: not graph-opt %s --graph-mixed-precision="type=f16 growth-interval=0" 2>&1 | FileCheck %s --check-prefix=INTERVAL
// INTERVAL: found growth-interval 0, expected at least 1
// RUN: graph-opt %s --graph-mixed-precision=type=f16 | FileCheck %s

// A module without a derivative has nothing to scale.
// CHECK-LABEL: func @square
// CHECK-NOT:     loss_scale
// CHECK:         graph.dot {{.*}}f16
func.func @square(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.dot %x, %x batch = [] x [] contract = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) to tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
