//===- ExecOps.td - Operations of the exec dialect ------------------------===//

#ifndef EXEC_OPS_TD
#define EXEC_OPS_TD

include "graph/Dialect/Exec/IR/ExecDialect.td"
include "graph/Dialect/Exec/IR/ExecInterfaces.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Exec_Op<string mnemonic, list<Trait> traits = []>
    : Op<Exec_Dialect, mnemonic, traits>;

def Exec_TensorTypeAttr : TypeAttrBase<"::mlir::RankedTensorType",
                                       "a tensor type of static shape">;
def Exec_TensorTypeArrayAttr
    : TypedArrayAttrBase<Exec_TensorTypeAttr, "array of tensor types">;

//===----------------------------------------------------------------------===//
// Module level
//===----------------------------------------------------------------------===//

def Exec_StateOp : Exec_Op<"state", [Symbol]> {
  let summary = "a named tensor that lives as long as the session";
  let description = [{
    Functions read and write it in place. `name` is what checkpoints call it; the
    symbol differs from it where a function has the same name.

    ```mlir
    exec.state @w "w" : tensor<8x3xf32>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$name,
                       Exec_TensorTypeAttr:$type);
  let assemblyFormat = "$sym_name $name `:` $type attr-dict";
  let hasVerifier = 1;
}

def Exec_ConstantOp : Exec_Op<"constant", [Symbol]> {
  let summary = "read-only data of the artifact";
  let description = [{
    ```mlir
    exec.constant @c0 dense<[1.0, 2.0]> : tensor<2xf32>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, ElementsAttr:$value);
  let assemblyFormat = "$sym_name $value attr-dict";
}

def Exec_FuncOp : Exec_Op<"func", [
    Symbol, IsolatedFromAbove, NoTerminator, SingleBlock, NoRegionArguments]> {
  let summary = "an entry point: commands in the order in which they run";
  let description = [{
    Inputs and outputs are named and typed; states are reached by `exec.state_ref`
    and appear in neither. `--exec-plan-memory` adds `plan`, after which scratch
    memory is `exec.arena` and no `exec.alloc` is left.

    ```mlir
    exec.func @f(x: tensor<4xf32>) -> (y: tensor<4xf32>) {
      %x = exec.input "x" : !exec.buffer<16>
      %y = exec.output "y" : !exec.buffer<16>
      exec.copy %x to %y : !exec.buffer<16>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$input_names,
                       Exec_TensorTypeArrayAttr:$input_types,
                       StrArrayAttr:$output_names,
                       Exec_TensorTypeArrayAttr:$output_types,
                       OptionalAttr<Exec_PlanAttr>:$plan);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `` custom<NamedTensors>($input_names, $input_types) `->`
    custom<NamedTensors>($output_names, $output_types) (`plan` $plan^)?
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

class Exec_MemoryOp<string mnemonic, list<Trait> traits = []>
    : Exec_Op<mnemonic, !listconcat([Pure], traits)> {
  let results = (outs Exec_Buffer:$buffer);
}

def Exec_InputOp : Exec_MemoryOp<"input", [HasParent<"FuncOp">]> {
  let summary = "the bytes of an argument of the call; read only";
  let arguments = (ins StrAttr:$name);
  let assemblyFormat = "$name attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def Exec_OutputOp : Exec_MemoryOp<"output", [HasParent<"FuncOp">]> {
  let summary = "the bytes of a result of the call";
  let description = [{Undefined at the start; may be read after it is written.}];
  let arguments = (ins StrAttr:$name);
  let assemblyFormat = "$name attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def Exec_StateRefOp : Exec_MemoryOp<"state_ref", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the bytes of a state";
  let arguments = (ins FlatSymbolRefAttr:$state);
  let assemblyFormat = "$state attr-dict `:` type($buffer)";
}

def Exec_ConstantRefOp : Exec_MemoryOp<"constant_ref", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the bytes of a constant; read only";
  let arguments = (ins FlatSymbolRefAttr:$constant);
  let assemblyFormat = "$constant attr-dict `:` type($buffer)";
}

def Exec_AllocOp : Exec_Op<"alloc", [HasParent<"FuncOp">]> {
  let summary = "scratch memory that has no place yet";
  let description = [{
    Created by `--convert-graph-to-exec`, removed by `--exec-plan-memory`.
  }];
  let results = (outs Res<Exec_Buffer, "", [MemAlloc]>:$buffer);
  let assemblyFormat = "attr-dict `:` type($buffer)";
}

def Exec_ArenaOp : Exec_MemoryOp<"arena", [HasParent<"FuncOp">]> {
  let summary = "scratch memory at a byte offset in the function's arena";
  let description = [{
    Made by `--exec-plan-memory`.

    ```mlir
    %0 = exec.arena 128 : !exec.buffer<64>
    ```
  }];
  let arguments = (ins I64Attr:$offset);
  let assemblyFormat = "$offset attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def Exec_ViewOp : Exec_MemoryOp<"view"> {
  let summary = "a part of a buffer, from a byte offset on";
  let description = [{
    ```mlir
    %1 = exec.view %0[64] : !exec.buffer<128> to !exec.buffer<32>
    ```
  }];
  let arguments = (ins Exec_Buffer:$source, I64Attr:$offset);
  let assemblyFormat = "$source `[` $offset `]` attr-dict `:` type($source) `to` type($buffer)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

class Exec_Command<string mnemonic, list<Trait> traits = [],
                   list<string> overridden = []>
    : Exec_Op<mnemonic, !listconcat([
        HasParent<"FuncOp">,
        DeclareOpInterfaceMethods<CommandOpInterface, overridden>
      ], traits)>;

def Exec_DispatchOp : Exec_Command<"dispatch", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>], ["canWriteInPlace"]> {
  let summary = "runs every workgroup of a kernel";
  let description = [{
    `ins` and then `outs` are the kernel's parameters. `in_place` has one list
    per element of `outs`: the numbers of the `ins` that may be the same bytes
    as it, because a workgroup reads every element there before it writes it
    and no other workgroup touches it.

    ```mlir
    exec.dispatch @kernels::@add[8] ins(%a, %b) outs(%c) in_place = [[0, 1]]
        : (!exec.buffer<64>, !exec.buffer<64>) -> !exec.buffer<64>
    ```
  }];
  let arguments = (ins SymbolRefAttr:$kernel, I64Attr:$workgroups,
                       Arg<Variadic<Exec_Buffer>, "", [MemRead]>:$ins,
                       Arg<Variadic<Exec_Buffer>, "", [MemWrite]>:$outs,
                       OptionalAttr<TypedArrayAttrBase<I64ArrayAttr,
                         "array of arrays of integers">>:$in_place);
  let assemblyFormat = [{
    $kernel `[` $workgroups `]` `ins` `(` $ins `)` `outs` `(` $outs `)`
    (`in_place` `=` $in_place^)? attr-dict `:` functional-type($ins, $outs)
  }];
  let hasVerifier = 1;
}

def Exec_GemmOp : Exec_Command<"gemm", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a batch of matrix products by the vendor's library";
  let description = [{
    For every batch index, `c[i, j] = epilogue(sum over l of a[i, l] * b[l, j])`
    with i < m, j < n, l < k. Strides are in elements: one per batch dimension (0
    broadcasts), then the row's, then the column's, one of which is 1. bf16 and
    f16 accumulate in f32 and round once, after the epilogue. No written buffer
    overlaps another one.

    | epilogue    | c              | extra                    |
    |-------------|----------------|--------------------------|
    | `bias`      | s + bias       | in: bias, n elements     |
    | `relu`      | max(s, 0)      |                          |
    | `relu_bias` | max(u, 0)      | in: bias; u = s + bias   |
    | `gelu`      | gelu(s)        | out, if present: s       |
    | `gelu_bias` | gelu(u)        | in: bias; out: u         |
    | `dgelu`     | s * gelu'(aux) | in: aux, as large as c   |
    | `bgrad_a`   | s              | out: a's rows' sums, m   |
    | `bgrad_b`   | s              | out: b's columns' sums, n |

    gelu is the approximation by tanh; what is as large as c has its strides.
    With extra operands there is no batch.

    `kernel`, where given, is our own kernel that does all of this where the
    library is absent: its parameters are `kernel_ins`, which hold a, b and the
    extra inputs, then `extra_outs` and c.

    ```mlir
    exec.gemm f32 batch = [2] m = 8 n = 4 k = 16
        %a strides = [128, 16, 1], %b strides = [64, 4, 1] into %c strides = [32, 4, 1]
        : !exec.buffer<1024>, !exec.buffer<512>, !exec.buffer<256>
    exec.gemm f32 batch = [] m = 8 n = 4 k = 16
        %a strides = [16, 1], %b strides = [4, 1] into %c strides = [4, 1]
        epilogue relu_bias ins(%bias : !exec.buffer<16>)
        kernel @kernels::@dot_0[1] ins(%a, %b, %bias : !exec.buffer<512>, !exec.buffer<256>, !exec.buffer<16>)
        : !exec.buffer<512>, !exec.buffer<256>, !exec.buffer<128>
    ```
  }];
  let arguments = (ins TypeAttr:$element_type, DenseI64ArrayAttr:$batch,
                       I64Attr:$m, I64Attr:$n, I64Attr:$k,
                       Arg<Exec_Buffer, "", [MemRead]>:$a,
                       Arg<Exec_Buffer, "", [MemRead]>:$b,
                       Arg<Variadic<Exec_Buffer>, "", [MemRead]>:$extra_ins,
                       Arg<Variadic<Exec_Buffer>, "", [MemRead]>:$kernel_ins,
                       Arg<Variadic<Exec_Buffer>, "", [MemWrite]>:$extra_outs,
                       Arg<Exec_Buffer, "", [MemWrite]>:$c,
                       DenseI64ArrayAttr:$a_strides,
                       DenseI64ArrayAttr:$b_strides,
                       DenseI64ArrayAttr:$c_strides,
                       OptionalAttr<Exec_EpilogueAttr>:$epilogue,
                       OptionalAttr<SymbolRefAttr>:$kernel,
                       OptionalAttr<I64Attr>:$workgroups);
  let assemblyFormat = [{
    $element_type `batch` `=` $batch `m` `=` $m `n` `=` $n `k` `=` $k
    $a `strides` `=` $a_strides `,` $b `strides` `=` $b_strides
    `into` $c `strides` `=` $c_strides
    (`epilogue` $epilogue^)?
    (`ins` `(` $extra_ins^ `:` type($extra_ins) `)`)?
    (`outs` `(` $extra_outs^ `:` type($extra_outs) `)`)?
    (`kernel` $kernel^ `[` $workgroups `]`
     `ins` `(` $kernel_ins `:` type($kernel_ins) `)`)?
    attr-dict `:` type($a) `,` type($b) `,` type($c)
  }];
  let hasVerifier = 1;
}

def Exec_CopyOp : Exec_Command<"copy", [
    AllTypesMatch<["source", "destination"]>]> {
  let summary = "copies bytes between ranges that do not overlap";
  let arguments = (ins Arg<Exec_Buffer, "", [MemRead]>:$source,
                       Arg<Exec_Buffer, "", [MemWrite]>:$destination);
  let assemblyFormat = "$source `to` $destination attr-dict `:` type($source)";
  let hasVerifier = 1;
}

#endif // EXEC_OPS_TD
