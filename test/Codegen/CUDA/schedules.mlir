// One kernel of every schedule for a GPU: which threads take what.
// RUN: graph-opt %s -split-input-file --graph-emit-kernels=target=cuda:sm_80 | FileCheck %s

// 16 bytes per thread, 256 threads.
// CHECK-LABEL: gpu.module @kernels
// CHECK: gpu.func @kernel_0(%[[X:.*]]: memref<4096xf32>, %[[Y:.*]]: memref<4096xf32>) kernel
// CHECK-SAME: exec.index_bits = 32
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>
// CHECK: %[[THREAD:.*]] = gpu.thread_id x
// CHECK: vector.load %[[X]]{{.*}}alignment = 16{{.*}} vector<4xf32>
// CHECK: vector.store {{.*}}%[[Y]]{{.*}}alignment = 16
func.func @pointwise(%x: tensor<4096xf32>) -> tensor<4096xf32> {
  %0 = graph.fusion(%x) : (tensor<4096xf32>) -> tensor<4096xf32> {
  ^bb0(%a: tensor<4096xf32>):
    %1 = graph.exp %a : tensor<4096xf32>
    graph.yield %1 : tensor<4096xf32>
  }
  return %0 : tensor<4096xf32>
}

// -----

// Short rows: a warp each, no barrier.
// CHECK-LABEL: gpu.module @kernels
// CHECK: known_block_size = array<i32: 128, 1, 1>
// CHECK-NOT: gpu.barrier
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK-NOT: gpu.barrier
func.func @short_rows(%x: tensor<64x128xf32>) -> tensor<64xf32> {
  %0 = graph.fusion(%x) : (tensor<64x128xf32>) -> tensor<64xf32> {
  ^bb0(%a: tensor<64x128xf32>):
    %1 = graph.reduce sum, %a dims = [1] : tensor<64x128xf32> to tensor<64xf32>
    graph.yield %1 : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}

// -----

// Long rows: a workgroup each; its warps meet in shared memory.
// CHECK-LABEL: gpu.module @kernels
// CHECK: workgroup(%[[MEMORY:.*]] : memref<8xf32, #gpu.address_space<workgroup>>
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: memref.store {{.*}}%[[MEMORY]]
// CHECK: gpu.barrier
// CHECK-COUNT-8: memref.load %[[MEMORY]]
// CHECK: gpu.barrier
func.func @long_rows(%x: tensor<4x4096xf32>) -> tensor<4xf32> {
  %0 = graph.fusion(%x) : (tensor<4x4096xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4x4096xf32>):
    %1 = graph.reduce max, %a dims = [1] : tensor<4x4096xf32> to tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// Columns: a warp's threads take neighbouring columns, eight warps some rows.
// CHECK-LABEL: gpu.module @kernels
// CHECK: workgroup(%[[MEMORY:.*]] : memref<1024xf32, #gpu.address_space<workgroup>>
// CHECK: known_block_size = array<i32: 256, 1, 1>
// CHECK: scf.for
// CHECK: vector.store {{.*}}%[[MEMORY]]
// CHECK: gpu.barrier
// CHECK-COUNT-8: vector.load %[[MEMORY]]
func.func @columns(%x: tensor<512x256xf32>) -> tensor<256xf32> {
  %0 = graph.fusion(%x) : (tensor<512x256xf32>) -> tensor<256xf32> {
  ^bb0(%a: tensor<512x256xf32>):
    %1 = graph.reduce sum, %a dims = [0] : tensor<512x256xf32> to tensor<256xf32>
    graph.yield %1 : tensor<256xf32>
  }
  return %0 : tensor<256xf32>
}

// -----

// Tiles of 32 by 32 in shared memory, each row one element longer.
// CHECK-LABEL: gpu.module @kernels
// CHECK: workgroup(%[[TILE:.*]] : memref<1056xf32, #gpu.address_space<workgroup>>
// CHECK-COUNT-4: memref.store {{.*}}%[[TILE]]
// CHECK: gpu.barrier
// CHECK-COUNT-4: memref.load %[[TILE]]
func.func @transpose(%x: tensor<64x96xf32>) -> tensor<96x64xf32> {
  %0 = graph.fusion(%x) : (tensor<64x96xf32>) -> tensor<96x64xf32> {
  ^bb0(%a: tensor<64x96xf32>):
    %1 = graph.transpose %a perm = [1, 0] : tensor<64x96xf32> to tensor<96x64xf32>
    graph.yield %1 : tensor<96x64xf32>
  }
  return %0 : tensor<96x64xf32>
}
