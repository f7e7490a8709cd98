// RUN: graph-compile %s --emit=graph | FileCheck %s --check-prefix=GRAPH
// RUN: graph-compile %s --emit=kernels | FileCheck %s --check-prefix=KERNELS
// RUN: graph-compile %s --emit=exec | FileCheck %s --check-prefix=EXEC
// RUN: graph-compile %s --emit=exec | graph-opt > /dev/null
// RUN: graph-compile %s --emit=llvm --cpu=x86-64-v3 | FileCheck %s --check-prefix=LLVM
// RUN: graph-compile - -o - < %s > %t.stdin.gx
// RUN: graph-compile %s -o %t.gx
// RUN: graph-compile %s -o %t2.gx 2>&1 | FileCheck %s --check-prefix=MEMORY
// The bytes depend on the input alone.
// RUN: cmp %t.gx %t2.gx

func.func @f(%x: tensor<8xf32> {graph.name = "x"}) -> (tensor<8xf32> {graph.name = "y"}) {
  %0 = graph.add %x, %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// GRAPH: func.func @f
// GRAPH: graph.add

// KERNELS: func.func @add_0(%{{.*}}: memref<8xf32>, %{{.*}}: memref<8xf32>, %{{.*}}: index)
// KERNELS: arith.addf

// EXEC: exec.func @f(x: tensor<8xf32>) -> (y: tensor<8xf32>)
// EXEC-SAME: plan <arena = 0, max_live = 0, lower_bound = 0>
// EXEC: exec.dispatch @kernels::@add_0[1]
// EXEC: func.func private @add_0(memref<8xf32>, memref<8xf32>, index)

// LLVM: define void @add_0(ptr {{.*}}, i64 {{.*}})
// LLVM: fadd <8 x float>
// LLVM: "target-cpu"="x86-64-v3"

// MEMORY: planned scratch memory
// MEMORY-NEXT: f {{ *}}0 {{ *}}0 {{ *}}0
