// RUN: graph-opt %s --graph-mixed-precision=type=f16 --split-input-file --verify-diagnostics \
// RUN:     --allow-unregistered-dialect

func.func private @loss(%w: tensor<f32>) -> tensor<f32> {
  return %w : tensor<f32>
}
// expected-error @+1 {{writes no state, expected a training step: the loss scale is a state that it updates}}
func.func @gradient(%w: tensor<f32>) -> tensor<f32> {
  %0:2 = graph.value_and_grad @loss(%w) wrt = [0] : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#1 : tensor<f32>
}

// -----

func.func private @loss(%w: tensor<f32>) -> tensor<f32> {
  return %w : tensor<f32>
}
// expected-error @+1 {{found no public function that initialises its states, expected one that writes them and reads none: it is to set the loss scale}}
func.func @step(%w: tensor<f32> {graph.name = "w", graph.state}) -> (tensor<f32> {graph.name = "w", graph.state}) {
  %0:2 = graph.value_and_grad @loss(%w) wrt = [0] : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#1 : tensor<f32>
}

// -----

func.func private @loss(%w: tensor<f32>) -> tensor<f32> {
  return %w : tensor<f32>
}
func.func private @inner(%w: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{is differentiated itself, expected one derivative: f16 does not scale inner losses, bf16 need not}}
  %0:2 = graph.value_and_grad @loss(%w) wrt = [0] : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#1 : tensor<f32>
}
func.func @step(%w: tensor<f32> {graph.name = "w", graph.state}) -> (tensor<f32> {graph.name = "w", graph.state}) {
  %0:2 = graph.value_and_grad @inner(%w) wrt = [0] : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#1 : tensor<f32>
}

// -----

func.func private @loss(%w: tensor<f32>) -> tensor<f32> {
  return %w : tensor<f32>
}
func.func private @gradient(%w: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{found in a private function, expected a public one: inline the calls before}}
  %0:2 = graph.value_and_grad @loss(%w) wrt = [0] : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#1 : tensor<f32>
}
func.func @step(%w: tensor<f32> {graph.name = "w", graph.state}) -> (tensor<f32> {graph.name = "w", graph.state}) {
  %0 = func.call @gradient(%w) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func private @loss(%w: tensor<f16>) -> tensor<f16> {
  return %w : tensor<f16>
}
func.func @init() -> (tensor<f16> {graph.name = "w", graph.state}) {
  %0 = graph.constant dense<1.0> : tensor<f16>
  return %0 : tensor<f16>
}
func.func @step(%w: tensor<f16> {graph.name = "w", graph.state}) -> (tensor<f16> {graph.name = "w", graph.state}) {
  // expected-error @+1 {{found loss of type 'tensor<f16>', expected f32 or f64: a scaled loss would overflow}}
  %0:2 = graph.value_and_grad @loss(%w) wrt = [0] : (tensor<f16>) -> (tensor<f16>, tensor<f16>)
  return %0#1 : tensor<f16>
}

// -----

func.func private @loss(%w: tensor<f32>) -> tensor<f32> {
  return %w : tensor<f32>
}
// expected-error @+1 {{found the name "loss_scale", expected another: loss scaling has a state of it}}
func.func @step(%w: tensor<f32> {graph.name = "w", graph.state}, %s: tensor<f32> {graph.name = "loss_scale"})
    -> (tensor<f32> {graph.name = "w", graph.state}) {
  %0:2 = graph.value_and_grad @loss(%w) wrt = [0] : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#1 : tensor<f32>
}

// -----

// expected-error @+1 {{found 2 blocks, expected one: mixed precision follows values through straight-line code}}
func.func @blocks(%x: tensor<f32>) -> tensor<f32> {
  "test.branch"()[^bb1] : () -> ()
^bb1:
  return %x : tensor<f32>
}
