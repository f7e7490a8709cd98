// RUN: graph-opt %s --graph-decompose | FileCheck %s
// RUN: graph-opt %s --graph-decompose=keep=graph.softmax | FileCheck %s --check-prefix=KEEP

// CHECK-LABEL: @relu
// CHECK: %[[ZERO:.*]] = graph.constant dense<0.0
// CHECK: graph.max %arg0, %[[ZERO]] : tensor<4xbf16>
func.func @relu(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = graph.relu %x : tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// CHECK-LABEL: @silu_in_f32
// CHECK: %[[X:.*]] = graph.cast %arg0 : tensor<4xbf16> to tensor<4xf32>
// CHECK: %[[L:.*]] = graph.logistic %[[X]]
// CHECK: %[[Y:.*]] = graph.mul %[[X]], %[[L]]
// CHECK: graph.cast %[[Y]] : tensor<4xf32> to tensor<4xbf16>
func.func @silu_in_f32(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = graph.silu %x : tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// CHECK-LABEL: @gelu
// CHECK: graph.constant dense<0.707106769>
// CHECK: graph.erf
// CHECK: graph.constant dense<4.471500e-02>
// CHECK: graph.constant dense<0.797884583>
// CHECK: graph.tanh
// CHECK-NOT: graph.gelu
func.func @gelu(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.gelu erf, %x : tensor<4xf32>
  %1 = graph.gelu tanh, %x : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @softmax
// CHECK: graph.reduce max, %arg0 dims = [0] : tensor<3x4xf64> to tensor<4xf64>
// CHECK: %[[Z:.*]] = graph.sub %arg0
// CHECK: %[[E:.*]] = graph.exp %[[Z]]
// CHECK: graph.reduce sum, %[[E]] dims = [0]
// CHECK: graph.div %[[E]]
// KEEP-LABEL: @softmax
// KEEP: graph.softmax
func.func @softmax(%x: tensor<3x4xf64>) -> tensor<3x4xf64> {
  %0 = graph.softmax %x dim = 0 : tensor<3x4xf64>
  return %0 : tensor<3x4xf64>
}

// CHECK-LABEL: @log_softmax
// CHECK: %[[Z:.*]] = graph.sub %arg0
// CHECK: graph.exp %[[Z]]
// CHECK: graph.log
// CHECK: graph.sub %[[Z]]
func.func @log_softmax(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = graph.log_softmax %x dim = 1 : tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// CHECK-LABEL: @layer_norm
// CHECK: %[[C:.*]] = graph.sub %arg0
// CHECK: %[[S:.*]] = graph.mul %[[C]], %[[C]]
// CHECK: graph.reduce sum, %[[S]] dims = [1]
// CHECK: graph.rsqrt
func.func @layer_norm(%x: tensor<3x4xf32>, %s: tensor<4xf32>, %b: tensor<4xf32>)
    -> tensor<3x4xf32> {
  %0 = graph.layer_norm %x, %s, %b epsilon = 1.0e-5 : tensor<3x4xf32>, tensor<4xf32>
  return %0 : tensor<3x4xf32>
}

// The target's element is picked by a reduction; a target outside the classes
// picks nothing.
// CHECK-LABEL: @cross_entropy
// CHECK: %[[POSITION:.*]] = graph.iota dim = 1 : tensor<3x4xi64>
// CHECK: %[[IS:.*]] = graph.compare eq, %[[POSITION]]
// CHECK: graph.log
// CHECK: %[[NEG:.*]] = graph.neg
// CHECK: %[[ZERO:.*]] = graph.constant dense<0.0
// CHECK: %[[PICKED:.*]] = graph.select %[[IS]], %[[NEG]], %[[ZERO]]
// CHECK: graph.reduce sum, %[[PICKED]] dims = [1]
func.func @cross_entropy(%x: tensor<3x4xf32>, %t: tensor<3xi64>) -> tensor<3xf32> {
  %0 = graph.cross_entropy %x, %t : tensor<3x4xf32>, tensor<3xi64> to tensor<3xf32>
  return %0 : tensor<3xf32>
}

// A row without keys: its maximum is finite, its sum not zero.
// CHECK-LABEL: @attention
// CHECK: graph.dot %arg0, %arg1 batch = [0] x [0] contract = [2] x [2]
// CHECK: graph.compare le
// CHECK: %[[INF:.*]] = graph.constant dense<0xFF800000>
// CHECK: graph.select %{{.*}}, %{{.*}}, %[[INF]]
// CHECK: graph.constant dense<-3.40282347E+38>
// CHECK: graph.max
// CHECK: graph.exp
// CHECK: graph.constant dense<1.0
// CHECK: graph.max
// CHECK: %[[W:.*]] = graph.div
// CHECK: graph.dot %[[W]], %arg2 batch = [0] x [0] contract = [2] x [1]
func.func @attention(%q: tensor<2x3x4xf32>, %k: tensor<2x5x4xf32>,
                     %v: tensor<2x5x6xf32>) -> tensor<2x3x6xf32> {
  %0, %lse = graph.attention causal %q, %k, %v scale = 0.5
      : (tensor<2x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x6xf32>) to tensor<2x3x6xf32>
  return %0 : tensor<2x3x6xf32>
}

// CHECK-LABEL: @attention_grad
// CHECK: graph.dot %arg0, %arg1 batch = [0] x [0] contract = [2] x [2]
// CHECK: %[[L:.*]] = graph.reshape %arg4 : tensor<2x3xf32> to tensor<2x3x1xf32>
// CHECK: graph.max %[[L]]
// CHECK: graph.exp
// CHECK: graph.mul %arg5, %arg3
// CHECK: graph.reduce sum
// CHECK: graph.dot %arg5, %arg2 batch = [0] x [0] contract = [2] x [2]
// CHECK: graph.dot %[[S:.*]], %arg1 batch = [0] x [0] contract = [2] x [1]
// CHECK: graph.dot %[[S]], %arg0 batch = [0] x [0] contract = [1] x [1]
// CHECK: graph.dot %{{.*}}, %arg5 batch = [0] x [0] contract = [1] x [1]
func.func @attention_grad(%q: tensor<2x3x4xf32>, %k: tensor<2x5x4xf32>,
                          %v: tensor<2x5x6xf32>, %y: tensor<2x3x6xf32>,
                          %lse: tensor<2x3xf32>, %g: tensor<2x3x6xf32>)
    -> (tensor<2x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x6xf32>) {
  %0:3 = graph.attention_grad %q, %k, %v result %y log_sum_exp %lse cotangent %g scale = 0.5
      : (tensor<2x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x6xf32>) to tensor<2x3x6xf32>
  return %0#0, %0#1, %0#2 : tensor<2x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x6xf32>
}
