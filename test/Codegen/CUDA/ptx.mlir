// What a GPU is handed: wide accesses, no function of a device library, no
// contraction into fused multiply-adds.
// RUN: graph-compile %s --quiet --target=cuda:sm_80 --emit=ptx | FileCheck %s --check-prefixes=CHECK,SM80 --implicit-check-not=__nv '--implicit-check-not=fma.'
// RUN: graph-compile %s --quiet --target=cuda:sm_90 --emit=ptx | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: graph-compile %s --quiet --target=cuda:sm_90a --emit=ptx | FileCheck %s --check-prefixes=CHECK,SM90A
// RUN: graph-compile %s --quiet --target=cuda:sm_100 --emit=ptx | FileCheck %s --check-prefixes=CHECK,SM100
// RUN: not graph-compile %s --target=cuda:sm_70 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not graph-compile %s --target=cpu --emit=ptx 2>&1 | FileCheck %s --check-prefix=CPU

// UNKNOWN: found target 'cuda:sm_70', expected cpu, cpu:<vector bits>, or cuda: and one of sm_80, sm_90, sm_90a, sm_100
// CPU: found a CPU as the target of PTX, expected a target such as cuda:sm_90

// SM80: .version 7.0
// SM80: .target sm_80
// SM90: .target sm_90{{$}}
// SM90A: .target sm_90a
// SM100: .target sm_100

// CHECK: .visible .entry mul_add_0(
// CHECK: .maxntid 256
// CHECK: ld.global.v{{2.b64|4.b32}}
// CHECK: mul.rn.f32
// CHECK: add.rn.f32
// CHECK: st.global.v{{2.b64|4.b32}}
func.func @f(%x: tensor<4096xf32>, %y: tensor<4096xf32>) -> tensor<4096xf32> {
  %0 = graph.mul %x, %y : tensor<4096xf32>
  %1 = graph.add %0, %y : tensor<4096xf32>
  return %1 : tensor<4096xf32>
}
