//===- ExecDialect.td - The exec dialect: types and attributes ------------===//

#ifndef EXEC_DIALECT_TD
#define EXEC_DIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Exec_Dialect : Dialect {
  let name = "exec";
  let cppNamespace = "::exec";
  let summary = "byte ranges, and commands that run in order on them";
  let description = [{
    The last IR before the artifact, which is its image one to one. A value is a
    range of bytes; its type says how many. A function is a list of commands:
    kernels to dispatch, matrix products, copies. Tensor types appear only where
    the caller sees them: inputs, outputs, states.

    A module holds states, constants, functions, and one module of kernels whose
    functions compute one workgroup each: they take one memref per buffer and
    then the workgroup's number.

    ```mlir
    module {
      exec.state @w "w" : tensor<4xf32>
      exec.func @step(x: tensor<4xf32>) -> (y: tensor<4xf32>) {
        %x = exec.input "x" : !exec.buffer<16>
        %w = exec.state_ref @w : !exec.buffer<16>
        %y = exec.output "y" : !exec.buffer<16>
        exec.dispatch @kernels::@add[1] ins(%x, %w) outs(%y)
            : (!exec.buffer<16>, !exec.buffer<16>) -> !exec.buffer<16>
      }
      module @kernels {
        func.func private @add(memref<4xf32>, memref<4xf32>, memref<4xf32>, index)
      }
    }
    ```
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

def Exec_Buffer : TypeDef<Exec_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "a range of bytes in the memory of the device";
  let parameters = (ins "int64_t":$size);
  let assemblyFormat = "`<` $size `>`";
  let genVerifyDecl = 1;
}

def Exec_PlanAttr : AttrDef<Exec_Dialect, "Plan"> {
  let mnemonic = "plan";
  let summary = "the result of the memory planner for one function, in bytes";
  let description = [{
    `arena` is the size of the scratch memory of one call. `max_live` is the sum
    of the scratch buffers alive at the worst point of the chosen order, which
    no placement can beat; `lower_bound` is the bound that no order can beat.
  }];
  let parameters = (ins "int64_t":$arena, "int64_t":$max_live,
                        "int64_t":$lower_bound);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Exec_TensorMapAttr : AttrDef<Exec_Dialect, "TensorMap"> {
  let mnemonic = "tensor_map";
  let summary = "a tensor in a parameter of a kernel, as TMA reads it";
  let description = [{
    The tensor begins `offset` bytes into parameter `buffer` of the kernel.
    `sizes` and `box`, of which one copy moves as many elements, begin with the
    innermost dimension, which has no gaps; `strides` are in bytes and begin with
    the next one. Rows of a box, of at most `swizzle` bytes, are permuted in
    shared memory. A kernel's attribute `exec.tensor_maps` is the list of those
    that it takes behind its buffers.

    ```mlir
    #exec.tensor_map<buffer = 0, offset = 0, element_type = bf16,
                     sizes = [512, 2048], strides = [1024], box = [64, 128],
                     swizzle = 128>
    ```
  }];
  let parameters = (ins "int64_t":$buffer, "int64_t":$offset,
                        "::mlir::Type":$element_type,
                        "::mlir::DenseI64ArrayAttr":$sizes,
                        "::mlir::DenseI64ArrayAttr":$strides,
                        "::mlir::DenseI64ArrayAttr":$box, "int64_t":$swizzle);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Exec_Epilogue : I32EnumAttr<"Epilogue",
    "what a matrix product does with its sums before it stores them", [
      I32EnumAttrCase<"bias", 1>, I32EnumAttrCase<"relu", 2>,
      I32EnumAttrCase<"relu_bias", 3>, I32EnumAttrCase<"gelu", 4>,
      I32EnumAttrCase<"gelu_bias", 5>, I32EnumAttrCase<"dgelu", 6>,
      I32EnumAttrCase<"bgrad_a", 7>, I32EnumAttrCase<"bgrad_b", 8>
    ]> {
  let cppNamespace = "::exec";
  let genSpecializedAttr = 0;
}
def Exec_EpilogueAttr : EnumAttr<Exec_Dialect, Exec_Epilogue, "epilogue">;

#endif // EXEC_DIALECT_TD
