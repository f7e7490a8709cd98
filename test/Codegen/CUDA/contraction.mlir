// Kernels of matrix products: which unit multiplies, how tiles are copied.
// RUN: graph-opt %s -split-input-file --graph-emit-kernels=target=cuda:sm_80 | FileCheck %s
// RUN: graph-opt %s -split-input-file --graph-emit-kernels=target=cuda:sm_80+tf32 | FileCheck %s --check-prefix=TF32
// RUN: graph-opt %s -split-input-file --graph-emit-kernels=target=cuda:sm_90a | FileCheck %s --check-prefix=SM90A

// f32 is multiplied exactly unless tf32 is allowed.
// CHECK-LABEL: gpu.module @kernels
// CHECK: exec.shared_bytes
// CHECK: nvvm.cp.async.shared.global {{.*}}, 16, cache = cg :
// CHECK: nvvm.cp.async.commit.group
// CHECK: scf.for
// CHECK: nvvm.cp.async.wait.group 2
// CHECK: gpu.barrier
// CHECK-NOT: nvvm.mma.sync
// CHECK: math.fma
// TF32-LABEL: gpu.module @kernels
// TF32: nvvm.convert.float.to.tf32
// TF32: nvvm.mma.sync {{.*}}tf32{{.*}}k = 8
func.func @f32(%x: tensor<64x32xf32>, %w: tensor<32x64xf32>) -> tensor<64x64xf32> {
  %0 = graph.fusion(%x, %w) : (tensor<64x32xf32>, tensor<32x64xf32>) -> tensor<64x64xf32> {
  ^bb0(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>):
    %1 = graph.dot %a, %b batch = [] x [] contract = [1] x [0] : (tensor<64x32xf32>, tensor<32x64xf32>) to tensor<64x64xf32>
    graph.yield %1 : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}

// -----

// bf16: a is read by rows, b by columns; relu is applied to what was rounded.
// CHECK-LABEL: gpu.module @kernels
// CHECK: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<row>
// CHECK: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<col>
// CHECK: nvvm.mma.sync {{.*}}bf16{{.*}}k = 16
// CHECK: arith.maximumf
// On sm_90a the last warp tells the TMA unit what to copy, and mbarriers say
// when a place in shared memory is full (first) and free again.
// SM90A-LABEL: func.func @bf16
// SM90A: gpu.func {{.*}}, %[[A:.*]]: !llvm.ptr, %[[B:.*]]: !llvm.ptr) kernel
// SM90A-SAME: exec.shared_bytes = 98352
// SM90A-SAME: exec.tensor_maps = [
// SM90A-SAME: #exec.tensor_map<buffer = 0, offset = 0, element_type = bf16, sizes = [512, 2048], strides = [1024], box = [64, 128], swizzle = 128>
// SM90A-SAME: #exec.tensor_map<buffer = 1, offset = 0, element_type = bf16, sizes = [2048, 512], strides = [4096], box = [64, 64], swizzle = 128>
// SM90A-SAME: known_block_size = array<i32: 288, 1, 1>
// SM90A-COUNT-6: nvvm.mbarrier.init
// SM90A: nvvm.fence.mbarrier.init
// SM90A: gpu.barrier
// SM90A: scf.for
// SM90A: nvvm.mbarrier.try_wait
// SM90A: nvvm.wgmma.fence.aligned
// SM90A-COUNT-4: nvvm.wgmma.mma_async
// SM90A: nvvm.wgmma.wait.group.sync.aligned 0
// SM90A: nvvm.mbarrier.arrive %
// SM90A: nvvm.barrier id = %{{.*}} number_of_threads = %
// SM90A: } else {
// SM90A: scf.for
// SM90A: nvvm.mbarrier.try_wait
// SM90A: nvvm.mbarrier.arrive.expect_tx
// SM90A: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[A]],
// SM90A-COUNT-2: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[B]],
func.func @bf16(%x: tensor<2048x512xbf16>, %w: tensor<512x2048xbf16>) -> tensor<2048x2048xbf16> {
  %0 = graph.fusion(%x, %w) : (tensor<2048x512xbf16>, tensor<512x2048xbf16>) -> tensor<2048x2048xbf16> {
  ^bb0(%a: tensor<2048x512xbf16>, %b: tensor<512x2048xbf16>):
    %zero = graph.constant dense<0.0> : tensor<2048x2048xbf16>
    %1 = graph.dot %a, %b batch = [] x [] contract = [1] x [0] : (tensor<2048x512xbf16>, tensor<512x2048xbf16>) to tensor<2048x2048xbf16>
    %2 = graph.max %1, %zero : tensor<2048x2048xbf16>
    graph.yield %2 : tensor<2048x2048xbf16>
  }
  return %0 : tensor<2048x2048xbf16>
}

// -----

// Rows of odd length: single elements, which are too small to be copied
// asynchronously.
// CHECK-LABEL: gpu.module @kernels
// CHECK-NOT: nvvm.cp.async.shared.global
// CHECK: llvm.load {{.*}} -> i16
// CHECK: llvm.store {{.*}} : i16
func.func @odd(%x: tensor<33x7xf16>, %w: tensor<7x9xf16>) -> tensor<33x9xf16> {
  %0 = graph.fusion(%x, %w) : (tensor<33x7xf16>, tensor<7x9xf16>) -> tensor<33x9xf16> {
  ^bb0(%a: tensor<33x7xf16>, %b: tensor<7x9xf16>):
    %1 = graph.dot %a, %b batch = [] x [] contract = [1] x [0] : (tensor<33x7xf16>, tensor<7x9xf16>) to tensor<33x9xf16>
    graph.yield %1 : tensor<33x9xf16>
  }
  return %0 : tensor<33x9xf16>
}

// -----

// Rows that TMA cannot read are copied by all threads.
// SM90A-LABEL: func.func @unaligned
// SM90A-NOT: tensor_map
// SM90A: nvvm.cp.async.shared.global
// SM90A: nvvm.fence.proxy
// SM90A: nvvm.wgmma.mma_async
func.func @unaligned(%x: tensor<2048x508xbf16>, %w: tensor<508x2048xbf16>) -> tensor<2048x2048xbf16> {
  %0 = graph.fusion(%x, %w) : (tensor<2048x508xbf16>, tensor<508x2048xbf16>) -> tensor<2048x2048xbf16> {
  ^bb0(%a: tensor<2048x508xbf16>, %b: tensor<508x2048xbf16>):
    %1 = graph.dot %a, %b batch = [] x [] contract = [1] x [0] : (tensor<2048x508xbf16>, tensor<508x2048xbf16>) to tensor<2048x2048xbf16>
    graph.yield %1 : tensor<2048x2048xbf16>
  }
  return %0 : tensor<2048x2048xbf16>
}

// -----

// An operand that is computed: loaded before the tile of an earlier step is
// multiplied, rounded and stored to shared memory behind that. The other one is
// copied.
// CHECK-LABEL: gpu.module @kernels
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK: vector.load {{.*}} : memref<8192xf32>, vector<4xf32>
// CHECK: nvvm.cp.async.shared.global
// CHECK: nvvm.mma.sync
// CHECK: llvm.store {{.*}} : vector<4xi16>
// SM90A-LABEL: func.func @prologue
// SM90A-NOT: wgmma
// SM90A: nvvm.mma.sync
func.func @prologue(%x: tensor<64x128xf32>, %w: tensor<128x64xbf16>) -> tensor<64x64xbf16> {
  %0 = graph.fusion(%x, %w) : (tensor<64x128xf32>, tensor<128x64xbf16>) -> tensor<64x64xbf16> {
  ^bb0(%a: tensor<64x128xf32>, %b: tensor<128x64xbf16>):
    %1 = graph.cast %a : tensor<64x128xf32> to tensor<64x128xbf16>
    %2 = graph.dot %1, %b batch = [] x [] contract = [1] x [0] : (tensor<64x128xbf16>, tensor<128x64xbf16>) to tensor<64x64xbf16>
    graph.yield %2 : tensor<64x64xbf16>
  }
  return %0 : tensor<64x64xbf16>
}
