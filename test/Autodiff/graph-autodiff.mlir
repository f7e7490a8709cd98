// The expansion itself: calls, nesting, activity, order of accumulation.
// RUN: graph-opt %s --graph-autodiff --split-input-file | FileCheck %s

// Only the path from wrt to the first result is differentiated.
func.func private @affine(%w: tensor<3xf32>, %x: tensor<3xf32>)
    -> (tensor<f32>, tensor<3xf32>) {
  %y = graph.mul %w, %x : tensor<3xf32>
  %unused = graph.exp %y : tensor<3xf32>
  %loss = graph.reduce sum, %y dims = [0] : tensor<3xf32> to tensor<f32>
  return %loss, %unused : tensor<f32>, tensor<3xf32>
}
// CHECK-LABEL: func @value_and_grad(
// CHECK-SAME:    %[[W:.*]]: tensor<3xf32>, %[[X:.*]]: tensor<3xf32>
// CHECK:         %[[Y:.*]] = graph.mul %[[W]], %[[X]]
// CHECK:         %[[EXP:.*]] = graph.exp %[[Y]]
// CHECK:         %[[LOSS:.*]] = graph.reduce sum, %[[Y]]
// CHECK:         %[[ONE:.*]] = graph.constant dense<1.000000e+00> : tensor<f32>
// CHECK:         %[[G:.*]] = graph.broadcast %[[ONE]]
// CHECK:         %[[DW:.*]] = graph.mul %[[G]], %[[X]]
// CHECK-NEXT:    return %[[LOSS]], %[[EXP]], %[[DW]]
func.func @value_and_grad(%w: tensor<3xf32>, %x: tensor<3xf32>)
    -> (tensor<f32>, tensor<3xf32>, tensor<3xf32>) {
  %0:3 = graph.value_and_grad @affine(%w, %x) wrt = [0]
      : (tensor<3xf32>, tensor<3xf32>)
      -> (tensor<f32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2 : tensor<f32>, tensor<3xf32>, tensor<3xf32>
}

// -----

// One value passed twice is two variables: d/da (a * b), not d/dx (x * x).
func.func private @product(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = graph.mul %a, %b : tensor<f32>
  return %0 : tensor<f32>
}
// CHECK-LABEL: func @same_operand_twice(
// CHECK-SAME:    %[[X:.*]]: tensor<f32>
// CHECK:         graph.mul %[[X]], %[[X]]
// CHECK:         %[[ONE:.*]] = graph.constant dense<1.0
// CHECK-NEXT:    %[[DA:.*]] = graph.mul %[[ONE]], %[[X]]
// CHECK-NEXT:    return %[[DA]]
func.func @same_operand_twice(%x: tensor<f32>) -> tensor<f32> {
  %0:2 = graph.value_and_grad @product(%x, %x) wrt = [0]
      : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#1 : tensor<f32>
}

// CHECK-LABEL: func @same_wrt_twice(
// CHECK-SAME:    %[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>
// CHECK:         graph.constant
// CHECK-NEXT:    %[[DA:.*]] = graph.mul %{{.*}}, %[[B]]
// CHECK-NEXT:    return %[[DA]], %[[DA]]
func.func @same_wrt_twice(%a: tensor<f32>, %b: tensor<f32>)
    -> (tensor<f32>, tensor<f32>) {
  %0:3 = graph.value_and_grad @product(%a, %b) wrt = [0, 0]
      : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>)
  return %0#1, %0#2 : tensor<f32>, tensor<f32>
}

// -----

// An operand without influence has the gradient zero; so has one that acts
// through an integer only.
func.func private @through_integer(%x: tensor<2xf32>, %y: tensor<f32>)
    -> tensor<f32> {
  %0 = graph.cast %x : tensor<2xf32> to tensor<2xi32>
  %1 = graph.cast %0 : tensor<2xi32> to tensor<2xf32>
  %2 = graph.reduce sum, %1 dims = [0] : tensor<2xf32> to tensor<f32>
  return %2 : tensor<f32>
}
// CHECK-LABEL: func @no_influence(
// CHECK:         graph.reduce
// CHECK-NEXT:    %[[DX:.*]] = graph.constant dense<0.000000e+00> : tensor<2xf32>
// CHECK-NEXT:    %[[DY:.*]] = graph.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    return %[[DX]], %[[DY]]
func.func @no_influence(%x: tensor<2xf32>, %y: tensor<f32>)
    -> (tensor<2xf32>, tensor<f32>) {
  %0:3 = graph.value_and_grad @through_integer(%x, %y) wrt = [0, 1]
      : (tensor<2xf32>, tensor<f32>)
      -> (tensor<f32>, tensor<2xf32>, tensor<f32>)
  return %0#1, %0#2 : tensor<2xf32>, tensor<f32>
}

// -----

// The result is the operand itself.
func.func private @identity(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
// CHECK-LABEL: func @identity_gradient(
// CHECK-SAME:    %[[X:.*]]: tensor<f32>
// CHECK-NEXT:    %[[ONE:.*]] = graph.constant dense<1.0
// CHECK-NEXT:    return %[[X]], %[[ONE]]
func.func @identity_gradient(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0:2 = graph.value_and_grad @identity(%x) wrt = [0]
      : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#0, %0#1 : tensor<f32>, tensor<f32>
}

// -----

// Calls in the callee are inlined, as often as they occur.
func.func private @double(%x: tensor<f32>) -> tensor<f32> {
  %0 = graph.add %x, %x : tensor<f32>
  return %0 : tensor<f32>
}
func.func private @quadruple(%x: tensor<f32>) -> tensor<f32> {
  %0 = func.call @double(%x) : (tensor<f32>) -> tensor<f32>
  %1 = func.call @double(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
// CHECK-LABEL: func @calls(
// CHECK-SAME:    %[[X:.*]]: tensor<f32>
// CHECK-NEXT:    %[[Y:.*]] = graph.add %[[X]], %[[X]]
// CHECK-NEXT:    graph.add %[[Y]], %[[Y]]
// CHECK-NEXT:    %[[ONE:.*]] = graph.constant
// CHECK-NEXT:    %[[GY:.*]] = graph.add %[[ONE]], %[[ONE]]
// CHECK-NEXT:    %[[GX:.*]] = graph.add %[[GY]], %[[GY]]
// CHECK-NEXT:    return %[[GX]]
func.func @calls(%x: tensor<f32>) -> tensor<f32> {
  %0:2 = graph.value_and_grad @quadruple(%x) wrt = [0]
      : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#1 : tensor<f32>
}

// -----

// The last user contributes first; of one user, its operands in order.
func.func private @three_users(%x: tensor<f32>, %a: tensor<f32>,
                               %b: tensor<f32>) -> tensor<f32> {
  %0 = graph.mul %x, %a : tensor<f32>
  %1 = graph.mul %0, %x : tensor<f32>
  %2 = graph.mul %x, %b : tensor<f32>
  %3 = graph.add %1, %2 : tensor<f32>
  return %3 : tensor<f32>
}
// CHECK-LABEL: func @accumulation_order(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<f32>, %[[A:[^:]*]]: tensor<f32>, %[[B:[^:]*]]:
// CHECK:         %[[XA:.*]] = graph.mul %[[X]], %[[A]]
// CHECK:         %[[ONE:.*]] = graph.constant
// CHECK-NEXT:    %[[G2:.*]] = graph.mul %[[ONE]], %[[B]]
// CHECK-NEXT:    %[[GXA:.*]] = graph.mul %[[ONE]], %[[X]]
// CHECK-NEXT:    %[[G1:.*]] = graph.mul %[[ONE]], %[[XA]]
// CHECK-NEXT:    %[[SUM:.*]] = graph.add %[[G2]], %[[G1]]
// CHECK-NEXT:    %[[G0:.*]] = graph.mul %[[GXA]], %[[A]]
// CHECK-NEXT:    %[[DX:.*]] = graph.add %[[SUM]], %[[G0]]
// CHECK-NEXT:    return %[[DX]]
func.func @accumulation_order(%x: tensor<f32>, %a: tensor<f32>,
                              %b: tensor<f32>) -> tensor<f32> {
  %0:2 = graph.value_and_grad @three_users(%x, %a, %b) wrt = [0]
      : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#1 : tensor<f32>
}

// -----

// Nested use, also through a call.
func.func private @cube(%x: tensor<f64>) -> tensor<f64> {
  %0 = graph.mul %x, %x : tensor<f64>
  %1 = graph.mul %0, %x : tensor<f64>
  return %1 : tensor<f64>
}
func.func private @first(%x: tensor<f64>) -> tensor<f64> {
  %0:2 = graph.value_and_grad @cube(%x) wrt = [0]
      : (tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}
func.func private @call_first(%x: tensor<f64>) -> tensor<f64> {
  %0 = func.call @first(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func private @second(%x: tensor<f64>) -> tensor<f64> {
  %0:2 = graph.value_and_grad @call_first(%x) wrt = [0]
      : (tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}
// CHECK-LABEL: func private @second(
// CHECK-NOT:   {{call|value_and_grad}}
// CHECK-LABEL: func @third_derivative(
// CHECK-NOT:   {{call|value_and_grad}}
func.func @third_derivative(%x: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %0:2 = graph.value_and_grad @second(%x) wrt = [0]
      : (tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#0, %0#1 : tensor<f64>, tensor<f64>
}
