// RUN: graph-opt %s | FileCheck %s
// RUN: graph-opt %s > %t.once
// RUN: graph-opt %t.once | diff %t.once -
// RUN: graph-opt %s --mlir-print-op-generic | graph-opt | diff %t.once -
// RUN: graph-opt %s --emit-bytecode | graph-opt | diff %t.once -

// Every operation survives its custom form, its generic form and bytecode.

// CHECK-LABEL: @sources
func.func @sources(%key: tensor<i64>) {
  // CHECK: graph.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  %0 = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  // CHECK: graph.constant dense_resource<blob> : tensor<2xf32>
  %1 = graph.constant dense_resource<blob> : tensor<2xf32>
  // CHECK: graph.iota dim = 0 : tensor<2x0xi8>
  %2 = graph.iota dim = 0 : tensor<2x0xi8>
  // CHECK: graph.random_uniform %{{.*}} {stream = 3 : i64} : tensor<i64> to tensor<2xbf16>
  %3 = graph.random_uniform %key {stream = 3 : i64} : tensor<i64> to tensor<2xbf16>
  // CHECK: graph.random_normal %{{.*}} : tensor<i64> to tensor<f64>
  %4 = graph.random_normal %key : tensor<i64> to tensor<f64>
  return
}

// CHECK-LABEL: @elementwise
func.func @elementwise(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // CHECK: graph.neg %{{.*}} : tensor<4xf32>
  %0 = graph.neg %x : tensor<4xf32>
  %1 = graph.abs %x : tensor<4xf32>
  %2 = graph.exp %x : tensor<4xf32>
  %3 = graph.log %x : tensor<4xf32>
  %4 = graph.sqrt %x : tensor<4xf32>
  %5 = graph.rsqrt %x : tensor<4xf32>
  %6 = graph.tanh %x : tensor<4xf32>
  %7 = graph.erf %x : tensor<4xf32>
  %8 = graph.logistic %x : tensor<4xf32>
  %9 = graph.sin %x : tensor<4xf32>
  %10 = graph.cos %x : tensor<4xf32>
  // CHECK: graph.add %{{.*}}, %{{.*}} : tensor<4xf32>
  %11 = graph.add %x, %y : tensor<4xf32>
  %12 = graph.sub %x, %y : tensor<4xf32>
  %13 = graph.mul %x, %y : tensor<4xf32>
  %14 = graph.div %x, %y : tensor<4xf32>
  %15 = graph.max %x, %y : tensor<4xf32>
  %16 = graph.min %x, %y : tensor<4xf32>
  %17 = graph.pow %x, %y : tensor<4xf32>
  // CHECK: graph.compare lt, %{{.*}}, %{{.*}} : tensor<4xf32> to tensor<4xi1>
  %18 = graph.compare lt, %x, %y : tensor<4xf32> to tensor<4xi1>
  // CHECK: graph.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xf32>
  %19 = graph.select %18, %x, %y : tensor<4xf32>
  // CHECK: graph.cast %{{.*}} : tensor<4xf32> to tensor<4xi16>
  %20 = graph.cast %x : tensor<4xf32> to tensor<4xi16>
  return
}

// CHECK-LABEL: @movements
func.func @movements(%x: tensor<2x3xf32>, %e: tensor<0xf32>, %s: tensor<f32>, %i: tensor<4xi32>) {
  // CHECK: graph.broadcast %{{.*}} dims = [] : tensor<f32> to tensor<2x3xf32>
  %0 = graph.broadcast %s dims = [] : tensor<f32> to tensor<2x3xf32>
  // CHECK: graph.reshape %{{.*}} : tensor<2x3xf32> to tensor<6x1xf32>
  %1 = graph.reshape %x : tensor<2x3xf32> to tensor<6x1xf32>
  // CHECK: graph.transpose %{{.*}} perm = [1, 0] : tensor<2x3xf32> to tensor<3x2xf32>
  %2 = graph.transpose %x perm = [1, 0] : tensor<2x3xf32> to tensor<3x2xf32>
  // CHECK: graph.slice %{{.*}} starts = [0, 1] limits = [2, 3] strides = [1, 2] : tensor<2x3xf32> to tensor<2x1xf32>
  %3 = graph.slice %x starts = [0, 1] limits = [2, 3] strides = [1, 2] : tensor<2x3xf32> to tensor<2x1xf32>
  // CHECK: graph.pad %{{.*}} with 1.000000e+00 : f32 low = [1] high = [2] interior = [3] : tensor<0xf32> to tensor<3xf32>
  %4 = graph.pad %e with 1.0 : f32 low = [1] high = [2] interior = [3] : tensor<0xf32> to tensor<3xf32>
  // CHECK: graph.concat %{{.*}}, %{{.*}} dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %5 = graph.concat %x, %0 dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  // CHECK: graph.gather clip %{{.*}}[%{{.*}}] : tensor<2x3xf32>[tensor<4xi32>] to tensor<4x3xf32>
  %6 = graph.gather clip %x[%i] : tensor<2x3xf32>[tensor<4xi32>] to tensor<4x3xf32>
  // CHECK: graph.scatter_add fill %{{.*}}[%{{.*}}], %{{.*}} : tensor<2x3xf32>[tensor<4xi32>], tensor<4x3xf32> to tensor<2x3xf32>
  %7 = graph.scatter_add fill %x[%i], %6 : tensor<2x3xf32>[tensor<4xi32>], tensor<4x3xf32> to tensor<2x3xf32>
  return
}

// CHECK-LABEL: @contractions
func.func @contractions(%x: tensor<2x3xf32>) {
  // CHECK: graph.reduce max, %{{.*}} dims = [0, 1] : tensor<2x3xf32> to tensor<f32>
  %0 = graph.reduce max, %x dims = [0, 1] : tensor<2x3xf32> to tensor<f32>
  // CHECK: graph.dot %{{.*}}, %{{.*}} batch = [0] x [0] contract = [1] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>) to tensor<2xf32>
  %1 = graph.dot %x, %x batch = [0] x [0] contract = [1] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>) to tensor<2xf32>
  return
}

// CHECK-LABEL: @composites
func.func @composites(%x: tensor<4x3xf32>, %w: tensor<3xf32>, %t: tensor<4xi64>, %m: tensor<4xi1>) {
  // CHECK: graph.relu %{{.*}} : tensor<4x3xf32>
  %0 = graph.relu %x : tensor<4x3xf32>
  // CHECK: graph.silu %{{.*}} : tensor<4x3xf32>
  %1 = graph.silu %x : tensor<4x3xf32>
  // CHECK: graph.gelu erf, %{{.*}} : tensor<4x3xf32>
  %2 = graph.gelu erf, %x : tensor<4x3xf32>
  // CHECK: graph.softmax %{{.*}} dim = 1 : tensor<4x3xf32>
  %3 = graph.softmax %x dim = 1 : tensor<4x3xf32>
  // CHECK: graph.log_softmax %{{.*}} dim = 0 : tensor<4x3xf32>
  %4 = graph.log_softmax %x dim = 0 : tensor<4x3xf32>
  // CHECK: graph.layer_norm %{{.*}}, %{{.*}}, %{{.*}} epsilon = {{.*}} : tensor<4x3xf32>, tensor<3xf32>
  %5 = graph.layer_norm %x, %w, %w epsilon = 1.0e-5 : tensor<4x3xf32>, tensor<3xf32>
  // CHECK: graph.cross_entropy %{{.*}}, %{{.*}} : tensor<4x3xf32>, tensor<4xi64> to tensor<4xf32>
  %6 = graph.cross_entropy %x, %t : tensor<4x3xf32>, tensor<4xi64> to tensor<4xf32>
  // CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} : tensor<4xi1> scale = 5.000000e-01 : (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>) to tensor<4x3xf32>
  %7, %lse = graph.attention %x, %x, %x mask %m : tensor<4xi1> scale = 0.5 : (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>) to tensor<4x3xf32>
  // CHECK: graph.attention causal %{{.*}}, %{{.*}}, %{{.*}} scale = 5.000000e-01 :
  %8, %lse_8 = graph.attention causal %x, %x, %x scale = 0.5 : (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>) to tensor<4x3xf32>
  // CHECK: graph.attention_grad %{{.*}}, %{{.*}}, %{{.*}} result %{{.*}} log_sum_exp %{{.*}} cotangent %{{.*}} mask %{{.*}} : tensor<4xi1> scale = 5.000000e-01 : (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>) to tensor<4x3xf32>
  %9:3 = graph.attention_grad %x, %x, %x result %7 log_sum_exp %lse cotangent %x mask %m : tensor<4xi1> scale = 0.5 : (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>) to tensor<4x3xf32>
  // CHECK: graph.attention_grad causal %{{.*}}, %{{.*}}, %{{.*}} result %{{.*}} log_sum_exp %{{.*}} cotangent %{{.*}} scale = 5.000000e-01 :
  %10:3 = graph.attention_grad causal %x, %x, %x result %8 log_sum_exp %lse_8 cotangent %x scale = 0.5 : (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>) to tensor<4x3xf32>
  return
}

func.func private @loss(tensor<3xf32>) -> tensor<f32>

// CHECK-LABEL: @structure
func.func @structure(%x: tensor<3xf32>) {
  // CHECK: graph.value_and_grad @loss(%{{.*}}) wrt = [0] : (tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>)
  %0:2 = graph.value_and_grad @loss(%x) wrt = [0] : (tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>)
  // CHECK: graph.fusion(%{{.*}}) : (tensor<3xf32>) -> tensor<3xf32> {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<3xf32>):
  // CHECK-NEXT: %[[E:.*]] = graph.exp %[[A]]
  // CHECK-NEXT: graph.yield %[[E]] : tensor<3xf32>
  %1 = graph.fusion(%x) : (tensor<3xf32>) -> tensor<3xf32> {
  ^bb0(%a: tensor<3xf32>):
    %2 = graph.exp %a : tensor<3xf32>
    graph.yield %2 : tensor<3xf32>
  }
  return
}

{-#
  dialect_resources: {
    builtin: {
      blob: "0x040000000000803F00000040"
    }
  }
#-}
