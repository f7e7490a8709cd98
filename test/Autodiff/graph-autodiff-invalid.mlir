// RUN: graph-opt %s --graph-autodiff --split-input-file --verify-diagnostics

func.func private @without_rule(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{'arith.addf' op has no derivative, expected an operation with a VJP rule}}
  %0 = arith.addf %x, %x : tensor<f32>
  return %0 : tensor<f32>
}
func.func @op_without_derivative(%x: tensor<f32>) -> tensor<f32> {
  // expected-note @below {{it is on the path to the first result of the function that is differentiated here}}
  %0:2 = graph.value_and_grad @without_rule(%x) wrt = [0]
      : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#1 : tensor<f32>
}

// -----

// Off the path it does not matter.
func.func private @beside(%x: tensor<f32>, %y: tensor<f32>)
    -> (tensor<f32>, tensor<f32>) {
  %0 = arith.addf %y, %y : tensor<f32>
  %1 = graph.mul %x, %0 : tensor<f32>
  %2 = arith.mulf %1, %1 : tensor<f32>
  return %1, %2 : tensor<f32>, tensor<f32>
}
func.func @op_off_the_path(%x: tensor<f32>) -> tensor<f32> {
  %0:3 = graph.value_and_grad @beside(%x, %x) wrt = [0]
      : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>)
  return %0#2 : tensor<f32>
}

// -----

// expected-note @below {{@endless is defined here}}
func.func private @endless(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{'graph.value_and_grad' op calls @endless recursively, expected a function that ends: a graph has no condition to stop at}}
  %0:2 = graph.value_and_grad @endless(%x) wrt = [0]
      : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#1 : tensor<f32>
}

// -----

// expected-note @below {{@ping is defined here}}
func.func private @ping(%x: tensor<f32>) -> tensor<f32> {
  %0 = func.call @pong(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @pong(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{'func.call' op calls @ping recursively, expected a function that ends}}
  %0 = func.call @ping(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func private @elsewhere(%x: tensor<f32>) -> tensor<f32>
func.func @no_body(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{'graph.value_and_grad' op cannot differentiate @elsewhere: found 0 blocks, expected one}}
  %0:2 = graph.value_and_grad @elsewhere(%x) wrt = [0]
      : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#1 : tensor<f32>
}

// -----

func.func @unknown_callee(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{found no function @nowhere, expected the callee in this module}}
  %0:2 = graph.value_and_grad @nowhere(%x) wrt = [0]
      : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#1 : tensor<f32>
}

// -----

func.func private @vector(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @not_a_scalar(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{found results ('tensor<2xf32>') of @vector, expected a floating-point scalar first}}
  %0:2 = graph.value_and_grad @vector(%x) wrt = [0]
      : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %0#1 : tensor<2xf32>
}

// -----

func.func private @of_integer(%x: tensor<f32>, %i: tensor<i32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @integer_wrt(%x: tensor<f32>, %i: tensor<i32>) -> tensor<i32> {
  // expected-error @below {{found operand 1 of type 'tensor<i32>' in wrt, expected floating point}}
  %0:2 = graph.value_and_grad @of_integer(%x, %i) wrt = [1]
      : (tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
  return %0#1 : tensor<i32>
}
