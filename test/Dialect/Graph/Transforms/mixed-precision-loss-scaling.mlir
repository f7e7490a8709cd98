// RUN: graph-opt %s --graph-mixed-precision="type=f16 initial-scale=1024 growth-interval=3" | FileCheck %s

// CHECK-LABEL: func @init
// CHECK-SAME:    tensor<f32> {graph.name = "loss_scale", graph.state}
// CHECK-SAME:    tensor<i32> {graph.name = "good_steps", graph.state}
// CHECK-DAG:     %[[SCALE:.*]] = graph.constant dense<1.024000e+03> : tensor<f32>
// CHECK-DAG:     %[[GOOD:.*]] = graph.constant dense<0> : tensor<i32>
// CHECK:         return %{{.*}}, %{{.*}}, %[[SCALE]], %[[GOOD]]
func.func @init() -> (tensor<4xf32> {graph.name = "w", graph.state},
                      tensor<i64> {graph.name = "step", graph.state}) {
  %0 = graph.constant dense<1.0> : tensor<4xf32>
  %1 = graph.constant dense<0> : tensor<i64>
  return %0, %1 : tensor<4xf32>, tensor<i64>
}

// A function that initialises something else.
// CHECK-LABEL: func @init_other
// CHECK-NOT:     loss_scale
func.func @init_other() -> (tensor<4xf32> {graph.name = "other", graph.state}) {
  %0 = graph.constant dense<1.0> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func private @loss(
// CHECK:         graph.dot {{.*}}f16
func.func private @loss(%w: tensor<4xf32>, %x: tensor<4xf32>) -> (tensor<f32>, tensor<f32>) {
  %0 = graph.dot %w, %x batch = [] x [] contract = [0] x [0] : (tensor<4xf32>, tensor<4xf32>) to tensor<f32>
  return %0, %0 : tensor<f32>, tensor<f32>
}

// CHECK-LABEL: func private @loss_scaled
// CHECK-SAME:    %[[W:.*]]: tensor<4xf32>, %[[X:.*]]: tensor<4xf32>, %[[SCALE:.*]]: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>)
// CHECK-NEXT:    %[[L:.*]]:2 = call @loss(%[[W]], %[[X]])
// CHECK-NEXT:    %[[S:.*]] = graph.mul %[[L]]#0, %[[SCALE]]
// CHECK-NEXT:    return %[[S]], %[[L]]#0, %[[L]]#1

// CHECK-LABEL: func @step
// CHECK-SAME:    %[[W:.*]]: tensor<4xf32> {graph.name = "w", graph.state}, %[[X:[^:]*]]: tensor<4xf32>,
// CHECK-SAME:    %[[SCALE:.*]]: tensor<f32> {graph.name = "loss_scale", graph.state}, %[[STEP:[^:]*]]: tensor<i64> {graph.name = "step", graph.state}, %[[GOOD:.*]]: tensor<i32> {graph.name = "good_steps", graph.state}
// CHECK-SAME:    -> (tensor<f32>, tensor<4xf32> {graph.name = "w", graph.state}, tensor<i64> {graph.name = "step", graph.state}, tensor<f32> {graph.name = "loss_scale", graph.state}, tensor<i32> {graph.name = "good_steps", graph.state})
// CHECK:         %[[VG:.*]]:4 = graph.value_and_grad @loss_scaled(%[[W]], %[[X]], %[[SCALE]]) wrt = [0]
// CHECK:         %[[INVERSE:.*]] = graph.div %{{.*}}, %[[SCALE]]
// CHECK:         %[[G:.*]] = graph.mul %[[VG]]#3, %{{.*}}
// CHECK-NEXT:    %[[ABS:.*]] = graph.abs %[[G]]
// CHECK-NEXT:    %[[MAX:.*]] = graph.reduce max, %[[ABS]]
// CHECK:         %[[FINITE:.*]] = graph.compare lt, %[[MAX]]
// CHECK:         %[[NEW:.*]] = graph.sub %[[W]], %[[G]]
// CHECK:         %[[KEPT:.*]] = graph.select %{{.*}}, %[[NEW]], %[[W]]
// The counter was written and never read.
// CHECK:         %[[KEPT_STEP:.*]] = graph.select %[[FINITE]], %{{.*}}, %[[STEP]]
// CHECK:         %[[COUNT:.*]] = graph.add %[[GOOD]], %{{.*}}
// CHECK:         %[[INTERVAL:.*]] = graph.constant dense<3>
// CHECK-NEXT:    %[[GROWS:.*]] = graph.compare ge, %[[COUNT]], %[[INTERVAL]]
// CHECK:         %[[GROWN:.*]] = graph.select %[[GROWS]], %{{.*}}, %[[SCALE]]
// CHECK:         %[[NEW_SCALE:.*]] = graph.select %[[FINITE]], %[[GROWN]], %{{.*}}
// CHECK:         %[[GOOD_STEPS:.*]] = graph.select %[[FINITE]]
// CHECK:         return %[[VG]]#1, %[[KEPT]], %[[KEPT_STEP]], %[[NEW_SCALE]], %[[GOOD_STEPS]]
func.func @step(%w: tensor<4xf32> {graph.name = "w", graph.state}, %x: tensor<4xf32>)
    -> (tensor<f32>, tensor<4xf32> {graph.name = "w", graph.state}, tensor<i64> {graph.name = "step", graph.state}) {
  %0:3 = graph.value_and_grad @loss(%w, %x) wrt = [0] : (tensor<4xf32>, tensor<4xf32>) -> (tensor<f32>, tensor<f32>, tensor<4xf32>)
  %1 = graph.sub %w, %0#2 : tensor<4xf32>
  %2 = graph.constant dense<7> : tensor<i64>
  return %0#0, %1, %2 : tensor<f32>, tensor<4xf32>, tensor<i64>
}

// Gradients of two losses, for the caller: scaled with the scale as it is.
// CHECK-LABEL: func @gradients
// CHECK-SAME:    %[[SCALE:[^:]*]]: tensor<f32> {graph.name = "loss_scale", graph.state}) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-COUNT-2: graph.value_and_grad @loss_scaled(%{{.*}}, %{{.*}}, %[[SCALE]])
// CHECK-NOT:     graph.select
func.func @gradients(%w: tensor<4xf32> {graph.name = "w", graph.state}, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:3 = graph.value_and_grad @loss(%w, %x) wrt = [0] : (tensor<4xf32>, tensor<4xf32>) -> (tensor<f32>, tensor<f32>, tensor<4xf32>)
  %1:3 = graph.value_and_grad @loss(%x, %w) wrt = [0] : (tensor<4xf32>, tensor<4xf32>) -> (tensor<f32>, tensor<f32>, tensor<4xf32>)
  return %0#2, %1#2 : tensor<4xf32>, tensor<4xf32>
}
