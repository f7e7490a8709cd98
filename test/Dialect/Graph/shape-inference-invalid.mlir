// RUN: graph-opt %s --verify-diagnostics --split-input-file

func.func @inferred_result(%x: tensor<2x3xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{inferred type(s) 'tensor<3x2xf32>' are incompatible with return type(s) of operation 'tensor<2x3xf32>'}}
  %0 = graph.transpose %x perm = [1, 0] : tensor<2x3xf32> to tensor<2x3xf32>
  return
}

// -----

func.func @perm_count(%x: tensor<2x3xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{found 1 entries in perm, expected one for each of 2 dimensions}}
  %0 = graph.transpose %x perm = [0] : tensor<2x3xf32> to tensor<2x3xf32>
  return
}

// -----

func.func @perm_outside(%x: tensor<2x3xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{found perm dimension 2, expected one in [0, 2)}}
  %0 = graph.transpose %x perm = [0, 2] : tensor<2x3xf32> to tensor<2x3xf32>
  return
}

// -----

func.func @perm_twice(%x: tensor<2x3xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{found perm dimension 0 twice, expected it once}}
  %0 = graph.transpose %x perm = [0, 0] : tensor<2x3xf32> to tensor<2x2xf32>
  return
}

// -----

func.func @slice_range(%x: tensor<8xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{found [2, 9) of dimension 0, expected a range in [0, 8)}}
  %0 = graph.slice %x starts = [2] limits = [9] strides = [1] : tensor<8xf32> to tensor<7xf32>
  return
}

// -----

func.func @slice_stride(%x: tensor<8xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{found stride 0 of dimension 0, expected at least 1}}
  %0 = graph.slice %x starts = [2] limits = [8] strides = [0] : tensor<8xf32> to tensor<6xf32>
  return
}

// -----

func.func @pad_value(%x: tensor<8xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{found padding value of type 'i32', expected 'f32'}}
  %0 = graph.pad %x with 0 : i32 low = [1] high = [0] interior = [0] : tensor<8xf32> to tensor<9xf32>
  return
}

// -----

func.func @pad_negative(%x: tensor<8xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{found padding -1, 0, 0 of dimension 0, expected no negative number}}
  %0 = graph.pad %x with 0.0 : f32 low = [-1] high = [0] interior = [0] : tensor<8xf32> to tensor<7xf32>
  return
}

// -----

func.func @pad_overflow(%x: tensor<8xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{found padding 9223372036854775807, 0, 0 of dimension 0, expected a padded size below 2^63}}
  %0 = graph.pad %x with 0.0 : f32 low = [9223372036854775807] high = [0] interior = [0] : tensor<8xf32> to tensor<7xf32>
  return
}

// -----

func.func @concat_none() {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{found no operand, expected at least one}}
  %0 = "graph.concat"() {dim = 0 : i64} : () -> tensor<7xf32>
  return
}

// -----

func.func @concat_dim(%x: tensor<8xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{found concatenated dimension 1, expected one in [0, 1)}}
  %0 = graph.concat %x, %x dim = 1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @concat_shape(%x: tensor<8x2xf32>, %y: tensor<8x3xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{found operand of type 'tensor<8x3xf32>', expected 'tensor<8x2xf32>' with any size of dimension 0}}
  %0 = graph.concat %x, %y dim = 0 : (tensor<8x2xf32>, tensor<8x3xf32>) -> tensor<16x2xf32>
  return
}

// -----

func.func @concat_overflow(%x: tensor<5000000000000000000x0xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{found operands that are too large together, expected a size below 2^63}}
  %0 = graph.concat %x, %x dim = 0 : (tensor<5000000000000000000x0xf32>, tensor<5000000000000000000x0xf32>) -> tensor<0x0xf32>
  return
}

// -----

func.func @gather_rank(%t: tensor<f32>, %i: tensor<3xi64>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{found table of rank 0, expected at least 1}}
  %0 = graph.gather fill %t[%i] : tensor<f32>[tensor<3xi64>] to tensor<3xf32>
  return
}

// -----

func.func @gather_clip(%t: tensor<0x2xf32>, %i: tensor<3xi64>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{found no row in 'tensor<0x2xf32>', expected at least one to clip an index to}}
  %0 = graph.gather clip %t[%i] : tensor<0x2xf32>[tensor<3xi64>] to tensor<3x2xf32>
  return
}

// -----

func.func @scatter_rank(%t: tensor<f32>, %i: tensor<3xi64>, %u: tensor<3xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{found init of rank 0, expected at least 1}}
  %0 = graph.scatter_add fill %t[%i], %u : tensor<f32>[tensor<3xi64>], tensor<3xf32> to tensor<f32>
  return
}

// -----

func.func @scatter_updates(%t: tensor<5x2xf32>, %i: tensor<3xi64>, %u: tensor<3xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{found updates of type 'tensor<3xf32>', expected 'tensor<3x2xf32>'}}
  %0 = graph.scatter_add fill %t[%i], %u : tensor<5x2xf32>[tensor<3xi64>], tensor<3xf32> to tensor<5x2xf32>
  return
}

// -----

func.func @reduce_dims(%x: tensor<8xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{found reduced dimension 1, expected one in [0, 1)}}
  %0 = graph.reduce sum, %x dims = [1] : tensor<8xf32> to tensor<8xf32>
  return
}

// -----

func.func @dot_element_type(%x: tensor<2x3xf32>, %y: tensor<3x4xf64>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{found rhs of element type 'f64', expected 'f32' of lhs}}
  %0 = graph.dot %x, %y batch = [] x [] contract = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf64>) to tensor<2x4xf32>
  return
}

// -----

func.func @dot_batch_count(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{found 0 batch dimensions of rhs, expected 1 as of lhs}}
  %0 = graph.dot %x, %y batch = [0] x [] contract = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) to tensor<2x4xf32>
  return
}

// -----

func.func @dot_contract_count(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{found 2 contracted dimensions of rhs, expected 1 as of lhs}}
  %0 = graph.dot %x, %y batch = [] x [] contract = [1] x [0, 1] : (tensor<2x3xf32>, tensor<3x4xf32>) to tensor<2x4xf32>
  return
}

// -----

func.func @dot_lhs_dims(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{found lhs dimension 2, expected one in [0, 2)}}
  %0 = graph.dot %x, %y batch = [] x [] contract = [2] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) to tensor<2x4xf32>
  return
}

// -----

func.func @dot_rhs_dims(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{found rhs dimension -1, expected one in [0, 2)}}
  %0 = graph.dot %x, %y batch = [] x [] contract = [1] x [-1] : (tensor<2x3xf32>, tensor<3x4xf32>) to tensor<2x4xf32>
  return
}

// -----

func.func @dot_sizes(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{found dimension 1 of rhs of size 4, expected 3 of dimension 1 of lhs}}
  %0 = graph.dot %x, %y batch = [] x [] contract = [1] x [1] : (tensor<2x3xf32>, tensor<3x4xf32>) to tensor<2x4xf32>
  return
}

// -----

func.func @cross_entropy_rank(%x: tensor<f32>, %t: tensor<i64>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{found logits of rank 0, expected at least 1}}
  %0 = graph.cross_entropy %x, %t : tensor<f32>, tensor<i64> to tensor<f32>
  return
}

// -----

func.func @cross_entropy_targets(%x: tensor<2x3xf32>, %t: tensor<3xi64>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{found targets of type 'tensor<3xi64>', expected 'tensor<2xi64>'}}
  %0 = graph.cross_entropy %x, %t : tensor<2x3xf32>, tensor<3xi64> to tensor<2xf32>
  return
}

// -----

func.func @attention_rank(%q: tensor<2xf32>, %k: tensor<2xf32>, %v: tensor<2xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{found query, key and value of ranks 1, 1 and 1, expected one rank of at least 2}}
  %0, %lse = graph.attention %q, %k, %v scale = 1.0 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) to tensor<2x2xf32>
  return
}

// -----

func.func @attention_batch(%q: tensor<2x3x4xf32>, %k: tensor<3x3x4xf32>, %v: tensor<2x3x4xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{found query, key and value of types 'tensor<2x3x4xf32>', 'tensor<3x3x4xf32>' and 'tensor<2x3x4xf32>', expected the same leading dimensions}}
  %0, %lse = graph.attention %q, %k, %v scale = 1.0 : (tensor<2x3x4xf32>, tensor<3x3x4xf32>, tensor<2x3x4xf32>) to tensor<2x2xf32>
  return
}

// -----

func.func @attention_head(%q: tensor<3x4xf32>, %k: tensor<3x5xf32>, %v: tensor<3x4xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{found key of head size 5, expected 4 of the query}}
  %0, %lse = graph.attention %q, %k, %v scale = 1.0 : (tensor<3x4xf32>, tensor<3x5xf32>, tensor<3x4xf32>) to tensor<2x2xf32>
  return
}

// -----

func.func @attention_length(%q: tensor<3x4xf32>, %k: tensor<3x4xf32>, %v: tensor<5x4xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{found value of length 5, expected 3 of the key}}
  %0, %lse = graph.attention %q, %k, %v scale = 1.0 : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<5x4xf32>) to tensor<2x2xf32>
  return
}

// -----

func.func @attention_mask(%q: tensor<3x4xf32>, %m: tensor<2x3xi1>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{found mask of type 'tensor<2x3xi1>', expected the trailing dimensions of 'tensor<3x3xi1>'}}
  %0, %lse = graph.attention %q, %q, %q mask %m : tensor<2x3xi1> scale = 1.0 : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) to tensor<3x4xf32>
  return
}

// -----

func.func @attention_grad_head(%q: tensor<3x4xf32>, %k: tensor<3x5xf32>, %l: tensor<3xf32>) {
  // expected-error@+1 {{found key of head size 5, expected 4 of the query}}
  %0:3 = graph.attention_grad %q, %k, %q result %q log_sum_exp %l cotangent %q scale = 1.0 : (tensor<3x4xf32>, tensor<3x5xf32>, tensor<3x4xf32>) to tensor<3x4xf32>
  return
}

// -----

func.func @attention_grad_result(%q: tensor<3x4xf32>, %v: tensor<3x5xf32>, %l: tensor<3xf32>) {
  // expected-error@+1 {{found result of type 'tensor<3x4xf32>', expected 'tensor<3x5xf32>'}}
  %0:3 = graph.attention_grad %q, %q, %v result %q log_sum_exp %l cotangent %q scale = 1.0 : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x5xf32>) to tensor<3x4xf32>
  return
}
