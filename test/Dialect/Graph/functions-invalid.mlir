// RUN: graph-opt %s --verify-diagnostics --split-input-file

// expected-error@+1 {{found 'graph.name' = "", expected a non-empty string}}
func.func private @empty_name(tensor<f32> {graph.name = ""})

// -----

// expected-error@+1 {{found name "x" on arguments 0 and 2, expected different names}}
func.func private @name_twice(tensor<f32> {graph.name = "x"}, tensor<f32>,
                              tensor<f32> {graph.name = "x"})

// -----

// expected-error@+1 {{found name "x" on results 0 and 1, expected different names}}
func.func private @result_twice() -> (tensor<f32> {graph.name = "x"},
                                      tensor<f32> {graph.name = "x"})

// -----

// expected-error@+1 {{found 'graph.state' = true, expected a unit attribute}}
func.func private @state_value(tensor<f32> {graph.name = "x", graph.state = true})

// -----

// expected-error@+1 {{found 'graph.state' on argument 0 without a name, expected 'graph.name' beside it}}
func.func private @state_without_name(tensor<f32> {graph.state})

// -----

// expected-error@+1 {{found 'graph.state' on result 0 without a name, expected 'graph.name' beside it}}
func.func private @result_state_without_name() -> (tensor<f32> {graph.state})

// -----

// expected-error@+1 {{found attribute 'graph.nam' on argument 0, expected 'graph.name' or 'graph.state'}}
func.func private @unknown(tensor<f32> {graph.nam = "x"})

// -----

// expected-error@+1 {{found attribute 'graph.name', expected it on a function argument or result}}
func.func private @on_function() attributes {graph.name = "x"}
