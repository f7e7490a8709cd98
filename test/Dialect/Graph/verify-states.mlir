// RUN: graph-opt %s --graph-verify-states --verify-diagnostics --split-input-file

func.func private @init() -> (tensor<3xf32> {graph.name = "w", graph.state})
func.func private @step(tensor<3xf32> {graph.name = "w", graph.state})
    -> (tensor<3xf32> {graph.name = "w", graph.state})
// An input of the same name is no state.
func.func private @loss(tensor<2xf32> {graph.name = "w"})

// -----

// expected-note@+1 {{first used here}}
func.func private @init() -> (tensor<3xf32> {graph.name = "w", graph.state})
// expected-error@+1 {{found state "w" of type 'tensor<4xf32>', expected 'tensor<3xf32>'}}
func.func private @step(tensor<4xf32> {graph.name = "w", graph.state})
