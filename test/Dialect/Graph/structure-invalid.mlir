// RUN: graph-opt %s --verify-diagnostics --split-input-file

func.func @no_callee(%w: tensor<f32>) {
  // expected-error@+1 {{found no function @loss, expected the callee in this module}}
  %0:2 = graph.value_and_grad @loss(%w) wrt = [0] : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

func.func private @loss(tensor<f32>) -> tensor<f32>
func.func @operands(%w: tensor<2xf32>) {
  // expected-error@+1 {{found operands ('tensor<2xf32>'), expected the inputs ('tensor<f32>') of @loss}}
  %0:2 = graph.value_and_grad @loss(%w) wrt = [0] : (tensor<2xf32>) -> (tensor<f32>, tensor<2xf32>)
  return
}

// -----

func.func private @loss(tensor<f32>) -> tensor<2xf32>
func.func @no_scalar(%w: tensor<f32>) {
  // expected-error@+1 {{found results ('tensor<2xf32>') of @loss, expected a floating-point scalar first}}
  %0:2 = graph.value_and_grad @loss(%w) wrt = [0] : (tensor<f32>) -> (tensor<2xf32>, tensor<f32>)
  return
}

// -----

func.func private @loss(tensor<f32>) -> tensor<f32>
func.func @wrt_outside(%w: tensor<f32>) {
  // expected-error@+1 {{found operand 1 in wrt, expected one of 1}}
  %0:2 = graph.value_and_grad @loss(%w) wrt = [1] : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

func.func private @loss(tensor<i32>) -> tensor<f32>
func.func @wrt_integer(%w: tensor<i32>) {
  // expected-error@+1 {{found operand 0 of type 'tensor<i32>' in wrt, expected floating point}}
  %0:2 = graph.value_and_grad @loss(%w) wrt = [0] : (tensor<i32>) -> (tensor<f32>, tensor<i32>)
  return
}

// -----

func.func private @loss(tensor<f32>) -> tensor<f32>
func.func @results(%w: tensor<f32>) {
  // expected-error@+1 {{found results ('tensor<f32>'), expected ('tensor<f32>', 'tensor<f32>')}}
  %0 = graph.value_and_grad @loss(%w) wrt = [0] : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @fusion_arguments(%x: tensor<4xf32>) {
  // expected-error@+1 {{found block arguments ('tensor<3xf32>'), expected ('tensor<4xf32>')}}
  %0 = graph.fusion(%x) : (tensor<4xf32>) -> tensor<3xf32> {
  ^bb0(%a: tensor<3xf32>):
    graph.yield %a : tensor<3xf32>
  }
  return
}

// -----

func.func @fusion_yield(%x: tensor<4xf32>) {
  // expected-error@+1 {{found yielded ('tensor<4xf32>'), expected ('tensor<3xf32>')}}
  %0 = graph.fusion(%x) : (tensor<4xf32>) -> tensor<3xf32> {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  }
  return
}
