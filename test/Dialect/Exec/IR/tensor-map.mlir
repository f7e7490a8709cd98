// Tensor maps follow the buffers of a kernel; dispatches do not name them.
// RUN: graph-opt %s | graph-opt | FileCheck %s

// CHECK: exec.dispatch @kernels::@copy[1] ins(%{{.*}}) outs(%{{.*}})
exec.func @f() -> () {
  %0 = exec.alloc : !exec.buffer<256>
  exec.dispatch @kernels::@copy[1] ins(%0) outs(%0) : (!exec.buffer<256>) -> !exec.buffer<256>
}

gpu.module @kernels {
  // CHECK: exec.tensor_maps = [#exec.tensor_map<buffer = 0, offset = 0, element_type = bf16, sizes = [16, 8], strides = [32], box = [8, 4], swizzle = 128>
  gpu.func @copy(%x: memref<128xbf16>, %y: memref<128xbf16>, %map: i64) kernel
      attributes {exec.tensor_maps = [
        #exec.tensor_map<buffer = 0, offset = 0, element_type = bf16, sizes = [16, 8], strides = [32], box = [8, 4],
                         swizzle = 128>]} {
    gpu.return
  }
}
