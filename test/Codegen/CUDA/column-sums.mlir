// A thread has at most 16 sums of columns, so that its registers hold them: many
// sums take narrower vectors.
// RUN: graph-opt %s --split-input-file --graph-emit-kernels=target=cuda:sm_90 | FileCheck %s

// CHECK-LABEL: gpu.module @kernels
// CHECK: vector.load {{.*}} : memref<65536xf32>, vector<4xf32>
func.func @few(%x: tensor<64x1024xf32>) -> (tensor<1024xf32>, tensor<1024xf32>) {
  %0:2 = graph.fusion(%x) : (tensor<64x1024xf32>) -> (tensor<1024xf32>, tensor<1024xf32>) {
  ^bb0(%a: tensor<64x1024xf32>):
    %k0 = graph.constant dense<2.0> : tensor<64x1024xf32>
    %k1 = graph.constant dense<3.0> : tensor<64x1024xf32>
    %m0 = graph.mul %a, %k0 : tensor<64x1024xf32>
    %s0 = graph.reduce sum, %m0 dims = [0] : tensor<64x1024xf32> to tensor<1024xf32>
    %m1 = graph.mul %a, %k1 : tensor<64x1024xf32>
    %s1 = graph.reduce sum, %m1 dims = [0] : tensor<64x1024xf32> to tensor<1024xf32>
    graph.yield %s0, %s1 : tensor<1024xf32>, tensor<1024xf32>
  }
  return %0#0, %0#1 : tensor<1024xf32>, tensor<1024xf32>
}

// -----

// CHECK-LABEL: gpu.module @kernels
// CHECK: vector.load {{.*}} : memref<65536xf32>, vector<2xf32>
func.func @many(%x: tensor<64x1024xf32>) -> (tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>) {
  %0:5 = graph.fusion(%x) : (tensor<64x1024xf32>) -> (tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>) {
  ^bb0(%a: tensor<64x1024xf32>):
    %k0 = graph.constant dense<2.0> : tensor<64x1024xf32>
    %k1 = graph.constant dense<3.0> : tensor<64x1024xf32>
    %k2 = graph.constant dense<4.0> : tensor<64x1024xf32>
    %k3 = graph.constant dense<5.0> : tensor<64x1024xf32>
    %k4 = graph.constant dense<6.0> : tensor<64x1024xf32>
    %m0 = graph.mul %a, %k0 : tensor<64x1024xf32>
    %s0 = graph.reduce sum, %m0 dims = [0] : tensor<64x1024xf32> to tensor<1024xf32>
    %m1 = graph.mul %a, %k1 : tensor<64x1024xf32>
    %s1 = graph.reduce sum, %m1 dims = [0] : tensor<64x1024xf32> to tensor<1024xf32>
    %m2 = graph.mul %a, %k2 : tensor<64x1024xf32>
    %s2 = graph.reduce sum, %m2 dims = [0] : tensor<64x1024xf32> to tensor<1024xf32>
    %m3 = graph.mul %a, %k3 : tensor<64x1024xf32>
    %s3 = graph.reduce sum, %m3 dims = [0] : tensor<64x1024xf32> to tensor<1024xf32>
    %m4 = graph.mul %a, %k4 : tensor<64x1024xf32>
    %s4 = graph.reduce sum, %m4 dims = [0] : tensor<64x1024xf32> to tensor<1024xf32>
    graph.yield %s0, %s1, %s2, %s3, %s4 : tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>
  }
  return %0#0, %0#1, %0#2, %0#3, %0#4 : tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>
}
