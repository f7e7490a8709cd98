// Every pass from a training step to its kernels keeps the results.

// RUN: gpt-graph --layers=1 --heads=2 --width=8 --context=6 --batch=2 --vocab=11 -o %t.mlir
// RUN: graph-opt %t.mlir --verify-semantics --graph-autodiff --inline --symbol-dce \
// RUN:     --canonicalize --cse --graph-decompose --canonicalize --cse \
// RUN:     --graph-prepare-dots --graph-split-reductions --graph-fuse \
// RUN:   | FileCheck %s
// CHECK: func.func @train_step
// CHECK: graph.fusion
