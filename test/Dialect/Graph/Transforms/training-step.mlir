// A training step of twelve layers, thousands of operations: what remains in a
// function beside kernels is dots, reshapes and constants.

// RUN: gpt-graph --layers=12 --heads=4 --width=64 --context=16 --batch=2 --vocab=64 -o %t.mlir
// RUN: graph-opt %t.mlir --graph-autodiff --inline --symbol-dce --canonicalize \
// RUN:     --cse --graph-decompose --canonicalize --cse --graph-prepare-dots \
// RUN:     --graph-split-reductions --graph-fuse -o %t.fused.mlir
// RUN: FileCheck --strict-whitespace %s < %t.fused.mlir

// Two levels of indentation are the body of a function, three that of a fusion.
// CHECK-NOT: {{^    %.* = graph\.(add|broadcast|cast|div|exp|gather|mul|pad|reduce|scatter_add|select|slice|sub|transpose) }}
// CHECK: {{^    %.* = graph\.fusion}}
// CHECK-NOT: {{^    %.* = graph\.(add|broadcast|cast|div|exp|gather|mul|pad|reduce|scatter_add|select|slice|sub|transpose) }}
