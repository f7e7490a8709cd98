// Where a function has a kink, the derivative is a convention: the table of
// docs/autodiff.md, executed in both modes.
// RUN: graph-opt %s --graph-autodiff | graph-interpret --entry=conventions | FileCheck %s --check-prefixes=BOTH,TORCH
// RUN: graph-opt %s --graph-autodiff=subgradient=torch | graph-interpret --entry=conventions | FileCheck %s --check-prefixes=BOTH,TORCH
// RUN: graph-opt %s --graph-autodiff=subgradient=jax | graph-interpret --entry=conventions | FileCheck %s --check-prefixes=BOTH,JAX
// RUN: not graph-opt %s --graph-autodiff=subgradient=left 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: Cannot find option named 'left'

!s = tensor<f64>
!x = tensor<3xf64>

func.func private @relu(%x: !s) -> !s {
  %0 = graph.relu %x : !s
  return %0 : !s
}
func.func private @abs(%x: !s) -> !s {
  %0 = graph.abs %x : !s
  return %0 : !s
}
func.func private @max(%x: !s, %y: !s) -> !s {
  %0 = graph.max %x, %y : !s
  return %0 : !s
}
func.func private @min(%x: !s, %y: !s) -> !s {
  %0 = graph.min %x, %y : !s
  return %0 : !s
}
func.func private @sqrt(%x: !s) -> !s {
  %0 = graph.sqrt %x : !s
  return %0 : !s
}
func.func private @pow(%x: !s, %y: !s) -> !s {
  %0 = graph.pow %x, %y : !s
  return %0 : !s
}
func.func private @reduce_max(%x: !x) -> !s {
  %0 = graph.reduce max, %x dims = [0] : !x to !s
  return %0 : !s
}
func.func private @reduce_min(%x: !x) -> !s {
  %0 = graph.reduce min, %x dims = [0] : !x to !s
  return %0 : !s
}
func.func private @reduce_prod(%x: !x) -> !s {
  %0 = graph.reduce prod, %x dims = [0] : !x to !s
  return %0 : !s
}

func.func @conventions()
    -> (!s {graph.name = "relu at 0"}, !s {graph.name = "abs at 0"},
        !s {graph.name = "max tie, left"}, !s {graph.name = "max tie, right"},
        !s {graph.name = "min tie, left"}, !s {graph.name = "min tie, right"},
        !s {graph.name = "max of nan, left"}, !s {graph.name = "max of nan, right"},
        !s {graph.name = "sqrt at 0"},
        !s {graph.name = "0^0, base"}, !s {graph.name = "0^0, exponent"},
        !s {graph.name = "0^2, base"}, !s {graph.name = "0^2, exponent"},
        !x {graph.name = "reduce max tie"}, !x {graph.name = "reduce min tie"},
        !x {graph.name = "prod with a zero"}, !x {graph.name = "prod with two zeros"}) {
  %zero = graph.constant dense<0.0> : !s
  %one = graph.constant dense<1.0> : !s
  %two = graph.constant dense<2.0> : !s
  %nan = graph.constant dense<0x7FF8000000000000> : !s
  %tie = graph.constant dense<[4.0, -4.0, 4.0]> : !x
  %low_tie = graph.constant dense<[-4.0, -4.0, 4.0]> : !x
  %one_zero = graph.constant dense<[2.0, 0.0, 3.0]> : !x
  %two_zeros = graph.constant dense<[0.0, 0.0, 3.0]> : !x

  // BOTH:       relu at 0:
  // BOTH-NEXT:  {{^}}0{{$}}
  %0:2 = graph.value_and_grad @relu(%zero) wrt = [0] : (!s) -> (!s, !s)
  // BOTH-NEXT:  abs at 0:
  // TORCH-NEXT: {{^}}0{{$}}
  // JAX-NEXT:   {{^}}1{{$}}
  %1:2 = graph.value_and_grad @abs(%zero) wrt = [0] : (!s) -> (!s, !s)
  // BOTH-NEXT:  max tie, left:
  // BOTH-NEXT:  {{^}}0.5{{$}}
  // BOTH-NEXT:  max tie, right:
  // BOTH-NEXT:  {{^}}0.5{{$}}
  %2:3 = graph.value_and_grad @max(%one, %one) wrt = [0, 1] : (!s, !s) -> (!s, !s, !s)
  // BOTH-NEXT:  min tie, left:
  // BOTH-NEXT:  {{^}}0.5{{$}}
  // BOTH-NEXT:  min tie, right:
  // BOTH-NEXT:  {{^}}0.5{{$}}
  %3:3 = graph.value_and_grad @min(%one, %one) wrt = [0, 1] : (!s, !s) -> (!s, !s, !s)
  // BOTH-NEXT:  max of nan, left:
  // BOTH-NEXT:  {{^}}1{{$}}
  // BOTH-NEXT:  max of nan, right:
  // BOTH-NEXT:  {{^}}1{{$}}
  %4:3 = graph.value_and_grad @max(%nan, %one) wrt = [0, 1] : (!s, !s) -> (!s, !s, !s)
  // BOTH-NEXT:  sqrt at 0:
  // BOTH-NEXT:  {{^}}inf{{$}}
  %5:2 = graph.value_and_grad @sqrt(%zero) wrt = [0] : (!s) -> (!s, !s)
  // BOTH-NEXT:  0^0, base:
  // TORCH-NEXT: {{^}}0{{$}}
  // JAX-NEXT:   {{^}}nan{{$}}
  // BOTH-NEXT:  0^0, exponent:
  // BOTH-NEXT:  {{^}}0{{$}}
  %6:3 = graph.value_and_grad @pow(%zero, %zero) wrt = [0, 1] : (!s, !s) -> (!s, !s, !s)
  // BOTH-NEXT:  0^2, base:
  // BOTH-NEXT:  {{^}}0{{$}}
  // BOTH-NEXT:  0^2, exponent:
  // BOTH-NEXT:  {{^}}0{{$}}
  %7:3 = graph.value_and_grad @pow(%zero, %two) wrt = [0, 1] : (!s, !s) -> (!s, !s, !s)
  // BOTH-NEXT:  reduce max tie:
  // BOTH-NEXT:  [0.5, 0, 0.5]
  %8:2 = graph.value_and_grad @reduce_max(%tie) wrt = [0] : (!x) -> (!s, !x)
  // BOTH-NEXT:  reduce min tie:
  // BOTH-NEXT:  [0.5, 0.5, 0]
  %9:2 = graph.value_and_grad @reduce_min(%low_tie) wrt = [0] : (!x) -> (!s, !x)
  // BOTH-NEXT:  prod with a zero:
  // BOTH-NEXT:  [0, 6, 0]
  %10:2 = graph.value_and_grad @reduce_prod(%one_zero) wrt = [0] : (!x) -> (!s, !x)
  // BOTH-NEXT:  prod with two zeros:
  // BOTH-NEXT:  [0, 0, 0]
  %11:2 = graph.value_and_grad @reduce_prod(%two_zeros) wrt = [0] : (!x) -> (!s, !x)

  return %0#1, %1#1, %2#1, %2#2, %3#1, %3#2, %4#1, %4#2, %5#1, %6#1, %6#2,
         %7#1, %7#2, %8#1, %9#1, %10#1, %11#1
      : !s, !s, !s, !s, !s, !s, !s, !s, !s, !s, !s, !s, !s, !x, !x, !x, !x
}
