// RUN: graph-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{state: found 'tensor<?xf32>', expected a tensor of static shape of integers or floats}}
exec.state @w "w" : tensor<?xf32>

// -----

// expected-error @below {{found two inputs named 'x'}}
exec.func @f(x: tensor<f32>, x: tensor<f32>) -> () {
}

// -----

// expected-error @below {{output 'y': found 'tensor<?xf32>', expected a tensor of static shape}}
exec.func @f() -> (y: tensor<?xf32>) {
}

// -----

exec.func @f() -> () {
  // expected-error @below {{found in an exec.func, expected operations of the exec dialect only}}
  %0 = arith.constant 0 : i32
}

// -----

exec.func @f() -> () plan <arena = 0, max_live = 0, lower_bound = 0> {
  // expected-error @below {{found in a function with a memory plan, expected exec.arena}}
  %0 = exec.alloc : !exec.buffer<4>
}

// -----

exec.func @f() -> () {
  // expected-error @below {{found a buffer of -4 bytes, expected 0 or more}}
  %0 = exec.alloc : !exec.buffer<-4>
}

// -----

exec.func @f(x: tensor<2xf32>) -> () {
  // expected-error @below {{found a buffer of 4 bytes, expected 8 for 'tensor<2xf32>'}}
  %0 = exec.input "x" : !exec.buffer<4>
}

// -----

exec.func @f(x: tensor<2xf32>) -> () {
  // expected-error @below {{found 'y', expected an input of the function}}
  %0 = exec.input "y" : !exec.buffer<8>
}

// -----

exec.func @f(x: tensor<2xf32>) -> () {
  // expected-error @below {{found 'x', expected an output of the function}}
  %0 = exec.output "x" : !exec.buffer<8>
}

// -----

exec.func @f() -> () {
  // expected-error @below {{found @w, expected the name of an exec.state}}
  %0 = exec.state_ref @w : !exec.buffer<8>
}

// -----

exec.func @f() -> () {
  // expected-error @below {{found @c, expected the name of an exec.constant}}
  %0 = exec.constant_ref @c : !exec.buffer<8>
}

// -----

exec.func @f() -> () {
  // expected-error @below {{found in a function without a memory plan}}
  %0 = exec.arena 0 : !exec.buffer<8>
}

// -----

exec.func @f() -> () plan <arena = 64, max_live = 64, lower_bound = 64> {
  // expected-error @below {{found 32 bytes at offset 48, expected a range inside 64 bytes}}
  %0 = exec.arena 48 : !exec.buffer<32>
}

// -----

exec.func @f() -> () {
  %0 = exec.alloc : !exec.buffer<8>
  // expected-error @below {{found 8 bytes at offset -4, expected a range inside 8 bytes}}
  %1 = exec.view %0[-4] : !exec.buffer<8> to !exec.buffer<8>
}

// -----

exec.func @f(x: tensor<2xf32>) -> () {
  %x = exec.input "x" : !exec.buffer<8>
  %0 = exec.alloc : !exec.buffer<8>
  // expected-error @below {{found a write to exec.input, expected memory that may be written}}
  exec.copy %0 to %x : !exec.buffer<8>
}

// -----

exec.func @f() -> () {
  // expected-error @below {{found @kernels::@k, expected the name of a kernel}}
  exec.dispatch @kernels::@k[1] ins() outs() : () -> ()
}

// -----

exec.func @f() -> () {
  // expected-error @below {{found a kernel without the number of the workgroup as its last parameter}}
  exec.dispatch @kernels::@k[1] ins() outs() : () -> ()
}
module @kernels {
  func.func private @k(memref<2xf32>)
}

// -----

exec.func @f() -> () {
  // expected-error @below {{found 0 buffers, expected 1}}
  exec.dispatch @kernels::@k[1] ins() outs() : () -> ()
}
module @kernels {
  func.func private @k(memref<2xf32>, index)
}

// -----

exec.func @f() -> () {
  %0 = exec.alloc : !exec.buffer<8>
  // expected-error @below {{found a kernel with a parameter of type 'memref<?xf32>', expected a memref of static shape}}
  exec.dispatch @kernels::@k[1] ins() outs(%0) : () -> !exec.buffer<8>
}
module @kernels {
  func.func private @k(memref<?xf32>, index)
}

// -----

exec.func @f() -> () {
  %0 = exec.alloc : !exec.buffer<4>
  // expected-error @below {{found a buffer of 4 bytes, expected 8 for 'memref<2xf32>'}}
  exec.dispatch @kernels::@k[1] ins() outs(%0) : () -> !exec.buffer<4>
}
module @kernels {
  func.func private @k(memref<2xf32>, index)
}

// -----

exec.func @f() -> () {
  // expected-error @below {{found -1 workgroups, expected 0 or more}}
  exec.dispatch @kernels::@k[-1] ins() outs() : () -> ()
}
module @kernels {
  func.func private @k(index)
}

// -----

exec.func @f() -> () {
  // expected-error @below {{found 1 lists in in_place, expected 0}}
  exec.dispatch @kernels::@k[1] ins() outs() in_place = [[0]] : () -> ()
}
module @kernels {
  func.func private @k(index)
}

// -----

exec.func @f() -> () {
  %0 = exec.alloc : !exec.buffer<8>
  // expected-error @below {{found operand 0 in in_place, expected less than 0}}
  exec.dispatch @kernels::@k[1] ins() outs(%0) in_place = [[0]] : () -> !exec.buffer<8>
}
module @kernels {
  func.func private @k(memref<2xf32>, index)
}

// -----

exec.func @f() -> () {
  %0 = exec.alloc : !exec.buffer<16>
  // expected-error @below {{found extent -1, expected 0 or more}}
  exec.gemm f32 batch = [] m = -1 n = 2 k = 2
      %0 strides = [2, 1], %0 strides = [2, 1] into %0 strides = [2, 1]
      : !exec.buffer<16>, !exec.buffer<16>, !exec.buffer<16>
}

// -----

exec.func @f() -> () {
  %0 = exec.alloc : !exec.buffer<16>
  // expected-error @below {{operand 'b': found 1 strides, expected 2}}
  exec.gemm f32 batch = [] m = 2 n = 2 k = 2
      %0 strides = [2, 1], %0 strides = [1] into %0 strides = [2, 1]
      : !exec.buffer<16>, !exec.buffer<16>, !exec.buffer<16>
}

// -----

exec.func @f() -> () {
  %0 = exec.alloc : !exec.buffer<16>
  // expected-error @below {{operand 'a': found stride -2, expected 0 or more}}
  exec.gemm f32 batch = [] m = 2 n = 2 k = 2
      %0 strides = [-2, 1], %0 strides = [2, 1] into %0 strides = [2, 1]
      : !exec.buffer<16>, !exec.buffer<16>, !exec.buffer<16>
}

// -----

exec.func @f() -> () {
  %0 = exec.alloc : !exec.buffer<16>
  // expected-error @below {{operand 'c': found 16 bytes, expected at least 20}}
  exec.gemm f32 batch = [] m = 2 n = 2 k = 2
      %0 strides = [2, 1], %0 strides = [2, 1] into %0 strides = [3, 1]
      : !exec.buffer<16>, !exec.buffer<16>, !exec.buffer<16>
}

// -----

exec.func @f() -> () {
  %0 = exec.alloc : !exec.buffer<64>
  // expected-error @below {{operand 'a': found strides 4 and 2, expected one to be 1}}
  exec.gemm f32 batch = [] m = 2 n = 2 k = 2
      %0 strides = [4, 2], %0 strides = [2, 1] into %0 strides = [2, 1]
      : !exec.buffer<64>, !exec.buffer<64>, !exec.buffer<64>
}

// -----

exec.func @f() -> () {
  %0 = exec.alloc : !exec.buffer<16>
  %1 = exec.alloc : !exec.buffer<8>
  // expected-error @below {{found 0 extra ins, expected 1}}
  exec.gemm f32 batch = [] m = 2 n = 2 k = 2
      %0 strides = [2, 1], %0 strides = [2, 1] into %0 strides = [2, 1]
      epilogue bias
      : !exec.buffer<16>, !exec.buffer<16>, !exec.buffer<16>
}

// -----

exec.func @f() -> () {
  %0 = exec.alloc : !exec.buffer<16>
  %1 = exec.alloc : !exec.buffer<8>
  // expected-error @below {{found 1 extra outs, expected at most 0}}
  exec.gemm f32 batch = [] m = 2 n = 2 k = 2
      %0 strides = [2, 1], %0 strides = [2, 1] into %0 strides = [2, 1]
      epilogue relu outs(%0 : !exec.buffer<16>)
      : !exec.buffer<16>, !exec.buffer<16>, !exec.buffer<16>
}

// -----

exec.func @f() -> () {
  %0 = exec.alloc : !exec.buffer<16>
  %1 = exec.alloc : !exec.buffer<8>
  // expected-error @below {{found 1 batch dimensions beside extra operands, expected none}}
  exec.gemm f32 batch = [1] m = 2 n = 2 k = 2
      %0 strides = [4, 2, 1], %0 strides = [4, 2, 1] into %0 strides = [4, 2, 1]
      epilogue bias ins(%1 : !exec.buffer<8>)
      : !exec.buffer<16>, !exec.buffer<16>, !exec.buffer<16>
}

// -----

exec.func @f() -> () {
  %0 = exec.alloc : !exec.buffer<16>
  %1 = exec.alloc : !exec.buffer<8>
  // expected-error @below {{found an extra operand of 16 bytes, expected 8}}
  exec.gemm f32 batch = [] m = 2 n = 2 k = 2
      %0 strides = [2, 1], %0 strides = [2, 1] into %0 strides = [2, 1]
      epilogue bias ins(%0 : !exec.buffer<16>)
      : !exec.buffer<16>, !exec.buffer<16>, !exec.buffer<16>
}

// -----

exec.func @f() -> () {
  %0 = exec.alloc : !exec.buffer<16>
  %1 = exec.alloc : !exec.buffer<8>
  // expected-error @below {{found an extra operand of 8 bytes, expected 16}}
  exec.gemm f32 batch = [] m = 2 n = 2 k = 2
      %0 strides = [2, 1], %0 strides = [2, 1] into %0 strides = [2, 1]
      epilogue dgelu ins(%1 : !exec.buffer<8>)
      : !exec.buffer<16>, !exec.buffer<16>, !exec.buffer<16>
}

// -----

exec.func @f() -> () {
  %0 = exec.alloc : !exec.buffer<16>
  // expected-error @below {{found 0 extra outs, expected the sums of an operand}}
  exec.gemm f32 batch = [] m = 2 n = 2 k = 2
      %0 strides = [2, 1], %0 strides = [2, 1] into %0 strides = [2, 1]
      epilogue bgrad_a
      : !exec.buffer<16>, !exec.buffer<16>, !exec.buffer<16>
}

// -----

exec.func @f() -> () {
  %0 = exec.alloc : !exec.buffer<16>
  // expected-error @below {{found an extra operand of 16 bytes, expected 8}}
  exec.gemm f32 batch = [] m = 2 n = 2 k = 2
      %0 strides = [2, 1], %0 strides = [2, 1] into %0 strides = [2, 1]
      epilogue bgrad_b outs(%0 : !exec.buffer<16>)
      : !exec.buffer<16>, !exec.buffer<16>, !exec.buffer<16>
}

// -----

exec.func @f() -> () {
  %0 = exec.alloc : !exec.buffer<16>
  // expected-error @below {{found 2 buffers, expected 3}}
  exec.gemm f32 batch = [] m = 2 n = 2 k = 2
      %0 strides = [2, 1], %0 strides = [2, 1] into %0 strides = [2, 1]
      kernel @kernels::@k[1] ins(%0 : !exec.buffer<16>)
      : !exec.buffer<16>, !exec.buffer<16>, !exec.buffer<16>
}
module @kernels {
  func.func private @k(memref<4xf32>, memref<4xf32>, memref<4xf32>, index)
}

// -----

exec.func @f() -> () {
  %0 = exec.alloc : !exec.buffer<8>
  // expected-error @below {{found 2 buffers, expected 1}}
  exec.dispatch @kernels::@k[1] ins(%0) outs(%0) : (!exec.buffer<8>) -> !exec.buffer<8>
}
gpu.module @kernels {
  gpu.func @k(%x: memref<2xf32>, %map: i64) kernel
      attributes {exec.tensor_maps = [
        #exec.tensor_map<buffer = 0, offset = 0, element_type = f32, sizes = [2], strides = [], box = [4], swizzle = 0>]} {
    gpu.return
  }
}
