// RUN: graph-opt %s --verify-diagnostics --split-input-file

func.func @operand_type(%x: tensor<4xi32>) {
  // expected-error@+1 {{operand #0 must be tensor of static shape, below 2^63 bytes, of floating-point element}}
  %0 = "graph.exp"(%x) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @dynamic_shape(%x: tensor<?xf32>) {
  // expected-error@+1 {{operand #0 must be tensor of static shape}}
  %0 = graph.neg %x : tensor<?xf32>
  return
}

// -----

func.func @encoding(%x: tensor<4xf32, 1 : i32>) {
  // expected-error@+1 {{operand #0 must be tensor of static shape}}
  %0 = graph.neg %x : tensor<4xf32, 1 : i32>
  return
}

// -----

func.func @too_many_bytes(%x: tensor<f32>) {
  // expected-error@+1 {{result #0 must be tensor of static shape, below 2^63 bytes}}
  %0 = graph.broadcast %x dims = [] : tensor<f32> to tensor<4611686018427387904xf32>
  return
}

// -----

func.func @key_type(%key: tensor<2xi64>) {
  // expected-error@+1 {{found key of type 'tensor<2xi64>', expected tensor<i64>}}
  %0 = graph.random_normal %key : tensor<2xi64> to tensor<2xf32>
  return
}

// -----

func.func @iota_dim() {
  // expected-error@+1 {{found dimension 2, expected one in [0, 2)}}
  %0 = graph.iota dim = 2 : tensor<2x3xi32>
  return
}

// -----

func.func @select_predicate(%p: tensor<3xi1>, %x: tensor<4xf32>) {
  // expected-error@+1 {{predicate is i1 of the result's shape}}
  %0 = "graph.select"(%p, %x, %x) : (tensor<3xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @cast_shape(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same shape for all operands and results}}
  %0 = graph.cast %x : tensor<4xf32> to tensor<3xi32>
  return
}

// -----

func.func @broadcast_element_type(%x: tensor<3xf32>) {
  // expected-error@+1 {{found result of element type 'i32', expected 'f32'}}
  %0 = graph.broadcast %x dims = [1] : tensor<3xf32> to tensor<2x3xi32>
  return
}

// -----

func.func @broadcast_count(%x: tensor<3xf32>) {
  // expected-error@+1 {{found 0 entries in dims, expected one for each of 1 operand dimensions}}
  %0 = graph.broadcast %x dims = [] : tensor<3xf32> to tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_order(%x: tensor<3x3xf32>) {
  // expected-error@+1 {{found dims entry 0, expected one in [2, 2)}}
  %0 = graph.broadcast %x dims = [1, 0] : tensor<3x3xf32> to tensor<3x3xf32>
  return
}

// -----

func.func @broadcast_size(%x: tensor<3xf32>) {
  // expected-error@+1 {{found result dimension 0 of size 2, expected 3 of operand dimension 0}}
  %0 = graph.broadcast %x dims = [0] : tensor<3xf32> to tensor<2x3xf32>
  return
}

// -----

func.func @reshape_element_type(%x: tensor<3xf32>) {
  // expected-error@+1 {{found result of element type 'f64', expected 'f32'}}
  %0 = graph.reshape %x : tensor<3xf32> to tensor<3x1xf64>
  return
}

// -----

func.func @reshape_count(%x: tensor<3xf32>) {
  // expected-error@+1 {{found result of 4 elements, expected 3}}
  %0 = graph.reshape %x : tensor<3xf32> to tensor<2x2xf32>
  return
}

// -----

func.func @reduce_bool(%x: tensor<3xi1>) {
  // expected-error@+1 {{found sum of i1, expected max, min or a cast before it}}
  %0 = graph.reduce sum, %x dims = [0] : tensor<3xi1> to tensor<i1>
  return
}

// -----

func.func @softmax_dim(%x: tensor<3xf32>) {
  // expected-error@+1 {{found dimension 1, expected one in [0, 1)}}
  %0 = graph.softmax %x dim = 1 : tensor<3xf32>
  return
}

// -----

func.func @layer_norm_rank(%x: tensor<f32>, %s: tensor<1xf32>) {
  // expected-error@+1 {{found operand of rank 0, expected at least 1}}
  %0 = graph.layer_norm %x, %s, %s epsilon = 1.0e-5 : tensor<f32>, tensor<1xf32>
  return
}

// -----

func.func @layer_norm_scale(%x: tensor<2x3xf32>, %s: tensor<2xf32>) {
  // expected-error@+1 {{found scale and bias of type 'tensor<2xf32>', expected 'tensor<3xf32>'}}
  %0 = graph.layer_norm %x, %s, %s epsilon = 1.0e-5 : tensor<2x3xf32>, tensor<2xf32>
  return
}

// -----

func.func @log_sum_exp(%q: tensor<3x4xbf16>, %l: tensor<3xbf16>) {
  // expected-error@+1 {{log_sum_exp has the query's rows and is at least f32}}
  %0:3 = "graph.attention_grad"(%q, %q, %q, %q, %l, %q) {scale = 1.0} : (tensor<3x4xbf16>, tensor<3x4xbf16>, tensor<3x4xbf16>, tensor<3x4xbf16>, tensor<3xbf16>, tensor<3x4xbf16>) -> (tensor<3x4xbf16>, tensor<3x4xbf16>, tensor<3x4xbf16>)
  return
}
