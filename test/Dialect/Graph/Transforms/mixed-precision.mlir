// RUN: graph-opt %s --graph-mixed-precision --split-input-file | FileCheck %s

// Products and what follows them are bf16; a value is cast once; the sum is f32.
// CHECK-LABEL: func private @loss
// CHECK-SAME:    %[[W:.*]]: tensor<4x4xf32>, %[[B:.*]]: tensor<4xf32>, %[[X:.*]]: tensor<8x4xf32>
// CHECK-DAG:     %[[XL:.*]] = graph.cast %[[X]] : tensor<8x4xf32> to tensor<8x4xbf16>
// CHECK-DAG:     %[[BL:.*]] = graph.cast %[[B]] : tensor<4xf32> to tensor<4xbf16>
// CHECK-DAG:     %[[WL:.*]] = graph.cast %[[W]] : tensor<4x4xf32> to tensor<4x4xbf16>
// CHECK:         %[[D:.*]] = graph.dot %[[XL]], %[[WL]]
// CHECK:         %[[BIAS:.*]] = graph.broadcast %[[BL]] dims = [1] : tensor<4xbf16> to tensor<8x4xbf16>
// CHECK-NEXT:    %[[A:.*]] = graph.add %[[D]], %[[BIAS]] : tensor<8x4xbf16>
// CHECK-NEXT:    %[[G:.*]] = graph.gelu tanh, %[[A]] : tensor<8x4xbf16>
// CHECK-NEXT:    %[[D2:.*]] = graph.dot %[[G]], %[[WL]]
// CHECK-NEXT:    %[[D2W:.*]] = graph.cast %[[D2]] : tensor<8x4xbf16> to tensor<8x4xf32>
// CHECK-NEXT:    %[[D3:.*]] = graph.dot %[[XL]], %[[WL]]
// CHECK-NEXT:    %[[S:.*]] = graph.add %[[D2]], %[[D3]] : tensor<8x4xbf16>
// CHECK-NEXT:    %[[SW:.*]] = graph.cast %[[S]] : tensor<8x4xbf16> to tensor<8x4xf32>
// CHECK-NEXT:    %[[R:.*]] = graph.add %[[D2W]], %[[X]] : tensor<8x4xf32>
// CHECK-NEXT:    graph.add %[[R]], %[[SW]] : tensor<8x4xf32>
// CHECK-NEXT:    graph.reduce sum, %{{.*}} to tensor<f32>
// CHECK-NEXT:    return %{{.*}} : tensor<f32>
func.func private @loss(%w: tensor<4x4xf32>, %b: tensor<4xf32>, %x: tensor<8x4xf32>) -> tensor<f32> {
  %0 = graph.dot %x, %w batch = [] x [] contract = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) to tensor<8x4xf32>
  %1 = graph.broadcast %b dims = [1] : tensor<4xf32> to tensor<8x4xf32>
  %2 = graph.add %0, %1 : tensor<8x4xf32>
  %3 = graph.gelu tanh, %2 : tensor<8x4xf32>
  %4 = graph.dot %3, %w batch = [] x [] contract = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) to tensor<8x4xf32>
  %5 = graph.dot %x, %w batch = [] x [] contract = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) to tensor<8x4xf32>
  %6 = graph.add %4, %5 : tensor<8x4xf32>
  %7 = graph.add %4, %x : tensor<8x4xf32>
  %8 = graph.add %7, %6 : tensor<8x4xf32>
  %9 = graph.reduce sum, %8 dims = [0, 1] : tensor<8x4xf32> to tensor<f32>
  return %9 : tensor<f32>
}

// What the step does with the gradient is no part of the model.
// CHECK-LABEL: func @step
// CHECK-NEXT:    graph.value_and_grad
// CHECK-NEXT:    graph.dot {{.*}} : (tensor<4x4xf32>, tensor<4x4xf32>) to tensor<4x4xf32>
// CHECK-NEXT:    return
func.func @step(%w: tensor<4x4xf32>, %b: tensor<4xf32>, %x: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %0:2 = graph.value_and_grad @loss(%w, %b, %x) wrt = [0] : (tensor<4x4xf32>, tensor<4xf32>, tensor<8x4xf32>) -> (tensor<f32>, tensor<4x4xf32>)
  %1 = graph.dot %0#1, %w batch = [] x [] contract = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) to tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// Where no derivative is taken, every function is a model, except those that
// initialise states.
// CHECK-LABEL: func @infer
// CHECK:         graph.dot {{.*}}bf16
// CHECK-NEXT:    %[[Y:.*]] = graph.cast {{.*}} to tensor<4x4xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @infer(%w: tensor<4x4xf32> {graph.name = "w", graph.state}) -> tensor<4x4xf32> {
  %0 = graph.dot %w, %w batch = [] x [] contract = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) to tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
// CHECK-LABEL: func @init
// CHECK-NOT:     bf16
func.func @init(%key: tensor<i64>) -> (tensor<4x4xf32> {graph.name = "w", graph.state}) {
  %0 = graph.random_normal %key : tensor<i64> to tensor<4x4xf32>
  %1 = graph.dot %0, %0 batch = [] x [] contract = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) to tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// Norms, softmax, losses and exponentials stay f32; attention is bf16.
// CHECK-LABEL: func @classes
// CHECK:         graph.attention {{.*}} : (tensor<8x4xbf16>, tensor<8x4xbf16>, tensor<8x4xbf16>) to tensor<8x4xbf16>
// CHECK:         graph.layer_norm {{.*}} : tensor<8x4xf32>
// CHECK:         graph.softmax {{.*}} : tensor<8x4xf32>
// CHECK:         graph.exp {{.*}} : tensor<8x4xf32>
// CHECK:         graph.cross_entropy {{.*}} : tensor<8x4xf32>
// CHECK:         graph.transpose {{.*}} : tensor<8x4xbf16>
// CHECK:         graph.compare lt, {{.*}} : tensor<8x4xbf16>
// CHECK:         graph.select {{.*}} : tensor<8x4xbf16>
func.func @classes(%q: tensor<8x4xf32>, %s: tensor<4xf32>, %m: tensor<8x8xi1>, %t: tensor<8xi32>)
    -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<4x8xf32>, tensor<8x4xf32>) {
  %0, %lse = graph.attention %q, %q, %q mask %m : tensor<8x8xi1> scale = 0.5 : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) to tensor<8x4xf32>
  %1 = graph.layer_norm %0, %s, %s epsilon = 1.0e-5 : tensor<8x4xf32>, tensor<4xf32>
  %2 = graph.softmax %0 dim = 1 : tensor<8x4xf32>
  %3 = graph.exp %0 : tensor<8x4xf32>
  %4 = graph.cross_entropy %0, %t : tensor<8x4xf32>, tensor<8xi32> to tensor<8xf32>
  %5 = graph.transpose %0 perm = [1, 0] : tensor<8x4xf32> to tensor<4x8xf32>
  %zero = graph.constant dense<0.0> : tensor<8x4xf32>
  %6 = graph.compare lt, %0, %zero : tensor<8x4xf32> to tensor<8x4xi1>
  %7 = graph.select %6, %0, %zero : tensor<8x4xf32>
  return %1, %2, %3, %4, %5, %7 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<4x8xf32>, tensor<8x4xf32>
}

// -----

// Numbers adapt themselves, unless they would overflow or vanish; so does a
// padding that needs no rounding.
// CHECK-LABEL: func @numbers
// CHECK:         graph.mul {{.*}} : tensor<4x4xbf16>
// CHECK:         graph.add {{.*}} : tensor<4x4xf32>
// CHECK:         graph.pad {{.*}} with 0.000000e+00 : bf16 {{.*}} : tensor<4x4xbf16> to tensor<5x5xbf16>
// CHECK:         graph.pad {{.*}} with 1.000000e-01 : f32 {{.*}} : tensor<4x4xf32> to tensor<5x5xf32>
func.func @numbers(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<5x5xf32>, tensor<5x5xf32>) {
  %0 = graph.dot %x, %x batch = [] x [] contract = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) to tensor<4x4xf32>
  %tenth = graph.constant dense<0.1> : tensor<f32>
  %tenths = graph.broadcast %tenth dims = [] : tensor<f32> to tensor<4x4xf32>
  %1 = graph.mul %0, %tenths : tensor<4x4xf32>
  %largest = graph.constant dense<0x7F7FFFFF> : tensor<4x4xf32>
  %2 = graph.add %0, %largest : tensor<4x4xf32>
  %3 = graph.pad %0 with 0.0 : f32 low = [1, 1] high = [0, 0] interior = [0, 0] : tensor<4x4xf32> to tensor<5x5xf32>
  %4 = graph.pad %0 with 0.1 : f32 low = [1, 1] high = [0, 0] interior = [0, 0] : tensor<4x4xf32> to tensor<5x5xf32>
  return %1, %2, %3, %4 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<5x5xf32>, tensor<5x5xf32>
}

// -----

// f64, integers and what was written in a low precision are left alone; of the
// last, no copy in f32 is cast back.
// CHECK-LABEL: func @untouched
// CHECK-SAME:    %{{.*}}: tensor<4x4xf64>, %{{.*}}: tensor<4x4xi32>, %[[H:.*]]: tensor<4x4xbf16>
// CHECK-NEXT:    graph.dot {{.*}} : (tensor<4x4xf64>, tensor<4x4xf64>) to tensor<4x4xf64>
// CHECK-NEXT:    graph.dot {{.*}} : (tensor<4x4xi32>, tensor<4x4xi32>) to tensor<4x4xi32>
// CHECK-NEXT:    graph.dot %[[H]], %[[H]]
// CHECK-NEXT:    graph.cast %[[H]]
// CHECK-NEXT:    graph.dot %[[H]], %[[H]]
func.func @untouched(%d: tensor<4x4xf64>, %i: tensor<4x4xi32>, %h: tensor<4x4xbf16>)
    -> (tensor<4x4xf64>, tensor<4x4xi32>, tensor<4x4xbf16>, tensor<4x4xf32>) {
  %0 = graph.dot %d, %d batch = [] x [] contract = [1] x [0] : (tensor<4x4xf64>, tensor<4x4xf64>) to tensor<4x4xf64>
  %1 = graph.dot %i, %i batch = [] x [] contract = [1] x [0] : (tensor<4x4xi32>, tensor<4x4xi32>) to tensor<4x4xi32>
  %2 = graph.dot %h, %h batch = [] x [] contract = [1] x [0] : (tensor<4x4xbf16>, tensor<4x4xbf16>) to tensor<4x4xbf16>
  %3 = graph.cast %h : tensor<4x4xbf16> to tensor<4x4xf32>
  %4 = graph.dot %3, %3 batch = [] x [] contract = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) to tensor<4x4xf32>
  return %0, %1, %2, %4 : tensor<4x4xf64>, tensor<4x4xi32>, tensor<4x4xbf16>, tensor<4x4xf32>
}

// -----

// Functions keep their types, those called and those differentiated inside.
// CHECK-LABEL: func private @square
// CHECK-SAME:    -> tensor<4x4xf32>
// CHECK:         graph.dot {{.*}}bf16
func.func private @square(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.dot %x, %x batch = [] x [] contract = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) to tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
// CHECK-LABEL: func private @inner
// CHECK:         call @square(%{{.*}}) : (tensor<4x4xf32>) -> tensor<4x4xf32>
func.func private @inner(%x: tensor<4x4xf32>) -> tensor<f32> {
  %0 = func.call @square(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = graph.reduce sum, %0 dims = [0, 1] : tensor<4x4xf32> to tensor<f32>
  return %1 : tensor<f32>
}
// CHECK-LABEL: func private @outer
// CHECK:         %[[D:.*]] = graph.dot {{.*}}bf16
// CHECK-NEXT:    %[[W:.*]] = graph.cast %[[D]]
// CHECK-NEXT:    graph.value_and_grad @inner(%[[W]]){{.*}} : (tensor<4x4xf32>) -> (tensor<f32>, tensor<4x4xf32>)
// CHECK:         graph.dot {{.*}}bf16
func.func private @outer(%x: tensor<4x4xf32>) -> tensor<f32> {
  %0 = graph.dot %x, %x batch = [] x [] contract = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) to tensor<4x4xf32>
  %1:2 = graph.value_and_grad @inner(%0) wrt = [0] : (tensor<4x4xf32>) -> (tensor<f32>, tensor<4x4xf32>)
  %2 = graph.dot %1#1, %x batch = [] x [] contract = [1, 0] x [1, 0] : (tensor<4x4xf32>, tensor<4x4xf32>) to tensor<f32>
  return %2 : tensor<f32>
}
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0:2 = graph.value_and_grad @outer(%x) wrt = [0] : (tensor<4x4xf32>) -> (tensor<f32>, tensor<4x4xf32>)
  return %0#1 : tensor<4x4xf32>
}
