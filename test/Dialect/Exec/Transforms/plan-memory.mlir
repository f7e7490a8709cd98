// RUN: graph-opt %s --exec-plan-memory | FileCheck %s

exec.state @w "w" : tensor<16xf32>
exec.state @v "v" : tensor<16xf32>

// A chain needs two buffers at a time; the third takes the first one's place.
// CHECK-LABEL: exec.func @chain
// CHECK-SAME: plan <arena = 128, max_live = 128, lower_bound = 128>
exec.func @chain(x: tensor<16xf32>) -> (y: tensor<16xf32>) {
  // CHECK: %[[X:.*]] = exec.input "x"
  %x = exec.input "x" : !exec.buffer<64>
  // CHECK: %[[Y:.*]] = exec.output "y"
  %y = exec.output "y" : !exec.buffer<64>
  // CHECK: %[[A:.*]] = exec.arena 0
  %a = exec.alloc : !exec.buffer<64>
  // CHECK: %[[B:.*]] = exec.arena 64
  %b = exec.alloc : !exec.buffer<64>
  // CHECK: %[[C:.*]] = exec.arena 0
  %c = exec.alloc : !exec.buffer<64>
  %d = exec.alloc : !exec.buffer<64>
  // CHECK: ins(%[[X]]) outs(%[[A]])
  exec.dispatch @kernels::@unary[1] ins(%x) outs(%a) : (!exec.buffer<64>) -> !exec.buffer<64>
  // CHECK: ins(%[[A]]) outs(%[[B]])
  exec.dispatch @kernels::@unary[1] ins(%a) outs(%b) : (!exec.buffer<64>) -> !exec.buffer<64>
  // CHECK: ins(%[[B]]) outs(%[[C]])
  exec.dispatch @kernels::@unary[1] ins(%b) outs(%c) : (!exec.buffer<64>) -> !exec.buffer<64>
  // The result is written where the caller wants it.
  // CHECK: ins(%[[C]]) outs(%[[Y]])
  exec.dispatch @kernels::@unary[1] ins(%c) outs(%d) : (!exec.buffer<64>) -> !exec.buffer<64>
  // CHECK-NOT: exec.copy
  exec.copy %d to %y : !exec.buffer<64>
}

// A kernel that reads each element before it writes it needs no second buffer.
// CHECK-LABEL: exec.func @in_place
// CHECK-SAME: plan <arena = 64, max_live = 64, lower_bound = 64>
exec.func @in_place(x: tensor<16xf32>) -> (y: tensor<16xf32>) {
  %x = exec.input "x" : !exec.buffer<64>
  %y = exec.output "y" : !exec.buffer<64>
  // CHECK: exec.arena 0
  %a = exec.alloc : !exec.buffer<64>
  // CHECK: exec.arena 0
  %b = exec.alloc : !exec.buffer<64>
  %c = exec.alloc : !exec.buffer<64>
  exec.dispatch @kernels::@unary[1] ins(%x) outs(%a) in_place = [[0]] : (!exec.buffer<64>) -> !exec.buffer<64>
  exec.dispatch @kernels::@unary[1] ins(%a) outs(%b) in_place = [[0]] : (!exec.buffer<64>) -> !exec.buffer<64>
  exec.dispatch @kernels::@unary[1] ins(%b) outs(%c) in_place = [[0]] : (!exec.buffer<64>) -> !exec.buffer<64>
  exec.copy %c to %y : !exec.buffer<64>
}

// The update of w runs in place, after the other reader of its old value.
// CHECK-LABEL: exec.func @update
// CHECK-SAME: plan <arena = 0,
exec.func @update(g: tensor<16xf32>) -> (y: tensor<16xf32>) {
  %g = exec.input "g" : !exec.buffer<64>
  // CHECK: %[[W:.*]] = exec.state_ref @w
  %w = exec.state_ref @w : !exec.buffer<64>
  // CHECK: %[[Y:.*]] = exec.output "y"
  %y = exec.output "y" : !exec.buffer<64>
  %w1 = exec.alloc : !exec.buffer<64>
  %r = exec.alloc : !exec.buffer<64>
  // CHECK: exec.dispatch @kernels::@unary[1] ins(%[[W]]) outs(%[[Y]])
  // CHECK-NEXT: exec.dispatch @kernels::@binary[1] ins(%[[W]], %{{.*}}) outs(%[[W]])
  exec.dispatch @kernels::@binary[1] ins(%w, %g) outs(%w1) in_place = [[0]] : (!exec.buffer<64>, !exec.buffer<64>) -> !exec.buffer<64>
  exec.dispatch @kernels::@unary[1] ins(%w) outs(%r) : (!exec.buffer<64>) -> !exec.buffer<64>
  // CHECK-NOT: exec.copy
  exec.copy %w1 to %w : !exec.buffer<64>
  exec.copy %r to %y : !exec.buffer<64>
}

// A kernel that reads the old value elsewhere writes to scratch memory.
// CHECK-LABEL: exec.func @not_in_place
exec.func @not_in_place() -> () {
  // CHECK: %[[W:.*]] = exec.state_ref @w
  %w = exec.state_ref @w : !exec.buffer<64>
  // CHECK: %[[A:.*]] = exec.arena 0
  %a = exec.alloc : !exec.buffer<64>
  // CHECK: ins(%[[W]]) outs(%[[A]])
  exec.dispatch @kernels::@unary[1] ins(%w) outs(%a) : (!exec.buffer<64>) -> !exec.buffer<64>
  // CHECK: exec.copy %[[A]] to %[[W]]
  exec.copy %a to %w : !exec.buffer<64>
}

// A reader of the old value needs the new one: the old value must stay.
// CHECK-LABEL: exec.func @old_after_new
exec.func @old_after_new() -> (y: tensor<16xf32>) {
  // CHECK: %[[W:.*]] = exec.state_ref @w
  %w = exec.state_ref @w : !exec.buffer<64>
  %y = exec.output "y" : !exec.buffer<64>
  %a = exec.alloc : !exec.buffer<64>
  %b = exec.alloc : !exec.buffer<64>
  // CHECK: ins(%[[W]]) outs(%[[A:.*]]) in_place
  exec.dispatch @kernels::@unary[1] ins(%w) outs(%a) in_place = [[0]] : (!exec.buffer<64>) -> !exec.buffer<64>
  // CHECK: ins(%[[W]], %[[A]])
  exec.dispatch @kernels::@binary[1] ins(%w, %a) outs(%b) in_place = [[0, 1]] : (!exec.buffer<64>, !exec.buffer<64>) -> !exec.buffer<64>
  // CHECK: exec.copy %[[A]] to %[[W]]
  exec.copy %a to %w : !exec.buffer<64>
  exec.copy %b to %y : !exec.buffer<64>
}

// Two states exchange their values through one temporary.
// CHECK-LABEL: exec.func @swap
exec.func @swap() -> () {
  // CHECK-DAG: %[[W:.*]] = exec.state_ref @w
  %w = exec.state_ref @w : !exec.buffer<64>
  // CHECK-DAG: %[[V:.*]] = exec.state_ref @v
  %v = exec.state_ref @v : !exec.buffer<64>
  %a = exec.alloc : !exec.buffer<64>
  %b = exec.alloc : !exec.buffer<64>
  // CHECK: exec.copy %[[V]] to %[[B:.*]] :
  // CHECK-NEXT: exec.copy %[[W]] to %[[V]] :
  // CHECK-NEXT: exec.copy %[[B]] to %[[W]] :
  exec.copy %w to %a : !exec.buffer<64>
  exec.copy %v to %b : !exec.buffer<64>
  exec.copy %a to %v : !exec.buffer<64>
  exec.copy %b to %w : !exec.buffer<64>
}

// A value that goes to two outputs is computed into one and copied.
// CHECK-LABEL: exec.func @two_outputs
exec.func @two_outputs(x: tensor<16xf32>) -> (y: tensor<16xf32>, z: tensor<16xf32>) {
  %x = exec.input "x" : !exec.buffer<64>
  // CHECK: %[[Y:.*]] = exec.output "y"
  %y = exec.output "y" : !exec.buffer<64>
  // CHECK: %[[Z:.*]] = exec.output "z"
  %z = exec.output "z" : !exec.buffer<64>
  %a = exec.alloc : !exec.buffer<64>
  // CHECK: outs(%[[Y]])
  exec.dispatch @kernels::@unary[1] ins(%x) outs(%a) : (!exec.buffer<64>) -> !exec.buffer<64>
  // CHECK-NEXT: exec.copy %[[Y]] to %[[Z]]
  exec.copy %a to %y : !exec.buffer<64>
  exec.copy %a to %z : !exec.buffer<64>
}

// Each large buffer is reduced before the next one is made.
// CHECK-LABEL: exec.func @free_early
// CHECK-SAME: max_live = 128
exec.func @free_early(x: tensor<16xf32>) -> (y: tensor<i8>, z: tensor<i8>) {
  %x = exec.input "x" : !exec.buffer<64>
  %y = exec.output "y" : !exec.buffer<1>
  %z = exec.output "z" : !exec.buffer<1>
  %a = exec.alloc : !exec.buffer<64>
  %b = exec.alloc : !exec.buffer<64>
  %a1 = exec.alloc : !exec.buffer<64>
  %b1 = exec.alloc : !exec.buffer<64>
  %a2 = exec.alloc : !exec.buffer<1>
  %b2 = exec.alloc : !exec.buffer<1>
  exec.dispatch @kernels::@unary[1] ins(%x) outs(%a) : (!exec.buffer<64>) -> !exec.buffer<64>
  exec.dispatch @kernels::@unary[1] ins(%x) outs(%b) : (!exec.buffer<64>) -> !exec.buffer<64>
  exec.dispatch @kernels::@unary[1] ins(%a) outs(%a1) : (!exec.buffer<64>) -> !exec.buffer<64>
  exec.dispatch @kernels::@unary[1] ins(%b) outs(%b1) : (!exec.buffer<64>) -> !exec.buffer<64>
  exec.dispatch @kernels::@reduce[1] ins(%a1) outs(%a2) : (!exec.buffer<64>) -> !exec.buffer<1>
  exec.dispatch @kernels::@reduce[1] ins(%b1) outs(%b2) : (!exec.buffer<64>) -> !exec.buffer<1>
  exec.copy %a2 to %y : !exec.buffer<1>
  exec.copy %b2 to %z : !exec.buffer<1>
}

// Nothing writes an empty buffer.
// CHECK-LABEL: exec.func @empty
// CHECK: exec.copy
exec.func @empty() -> (y: tensor<0xf32>) {
  %y = exec.output "y" : !exec.buffer<0>
  %a = exec.alloc : !exec.buffer<0>
  exec.copy %a to %y : !exec.buffer<0>
}

module @kernels {
  func.func private @unary(memref<16xf32>, memref<16xf32>, index)
  func.func private @binary(memref<16xf32>, memref<16xf32>, memref<16xf32>, index)
  func.func private @reduce(memref<16xf32>, memref<i8>, index)
}
