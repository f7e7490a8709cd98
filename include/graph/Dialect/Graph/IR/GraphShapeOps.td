//===- GraphShapeOps.td - Sources and movements of elements ---------------===//

#ifndef GRAPH_SHAPE_OPS_TD
#define GRAPH_SHAPE_OPS_TD

include "graph/Dialect/Graph/IR/GraphDialect.td"

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

def Graph_ConstantOp : Graph_Op<"constant", [
    ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "a literal tensor";
  let description = [{
    The elements are dense, a splat, or a resource of the file
    (`dense_resource<name>`) of exactly the tensor's bytes.

    ```mlir
    %c = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::ElementsAttr":$value)>];
}

def Graph_IotaOp : Graph_Op<"iota"> {
  let summary = "each element is its own position along one dimension";
  let description = [{
    Positions that the element type cannot hold are rounded (floating point)
    or wrap (integers).

    ```mlir
    %i = graph.iota dim = 1 : tensor<2x3xi32>
    ```
  }];
  let arguments = (ins I64Attr:$dim);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = "`dim` `=` $dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}

class Graph_RandomOp<string mnemonic> : Graph_Op<mnemonic> {
  let arguments = (ins Graph_KeyTensor:$key, DefaultValuedAttr<I64Attr, "0">:$stream);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$key attr-dict `:` type($key) `to` type($result)";
  let hasVerifier = 1;
}

def Graph_RandomUniformOp : Graph_RandomOp<"random_uniform"> {
  let summary = "uniform in [0, 1)";
  let description = [{
    Counter based (Philox 4x32, 10 rounds): the element at row-major position i
    of the whole tensor depends only on the scalar `key`, on `stream` and on i,
    so recomputation and sharding never change it. With w0..w3 the words of
    `Philox(counter = [lo32(i), hi32(i), lo32(stream), hi32(stream)],
    key = [lo32(key), hi32(key)])`:
    f32 and narrower: (w0 >> 8) * 2^-24, rounded toward zero to the narrower
    type; f64: ((w0 >> 5) * 2^26 + (w1 >> 6)) * 2^-53.

    ```mlir
    %u = graph.random_uniform %key {stream = 7 : i64} : tensor<i64> to tensor<2x3xf32>
    ```
  }];
}

def Graph_RandomNormalOp : Graph_RandomOp<"random_normal"> {
  let summary = "normal with mean 0 and deviation 1";
  let description = [{
    Words as for `graph.random_uniform`; Box-Muller with
    u = ((w0 >> 8) + 1) * 2^-24 in (0, 1], v = (w1 >> 8) * 2^-24:
    sqrt(-2 log u) cos(2 pi v), computed in f32 (in f64 for f64) and then
    rounded to the element type.

    ```mlir
    %n = graph.random_normal %key : tensor<i64> to tensor<2x3xf32>
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Movements
//===----------------------------------------------------------------------===//

def Graph_BroadcastOp : Graph_Op<"broadcast"> {
  let summary = "repetition along new dimensions";
  let description = [{
    `dims[i]` is the result dimension that operand dimension i becomes: strictly
    increasing, sizes equal. The result repeats the operand along the others.

    ```mlir
    %y = graph.broadcast %x dims = [1] : tensor<3xf32> to tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$operand, DenseI64ArrayAttr:$dims);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$operand `dims` `=` $dims attr-dict `:` type($operand) `to` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Graph_ReshapeOp : Graph_Op<"reshape"> {
  let summary = "the same elements in row-major order under another shape";
  let description = [{
    ```mlir
    %y = graph.reshape %x : tensor<2x12xf32> to tensor<2x3x4xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$operand);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

class Graph_InferredOp<string mnemonic, list<Trait> traits = []>
    : Graph_Op<mnemonic, !listconcat([InferTypeOpAdaptor], traits)>;

def Graph_TransposeOp : Graph_InferredOp<"transpose"> {
  let summary = "permutation of the dimensions";
  let description = [{
    Result dimension i is operand dimension `perm[i]`.

    ```mlir
    %y = graph.transpose %x perm = [1, 0] : tensor<2x3xf32> to tensor<3x2xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$operand, DenseI64ArrayAttr:$perm);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$operand `perm` `=` $perm attr-dict `:` type($operand) `to` type($result)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Graph_SliceOp : Graph_InferredOp<"slice"> {
  let summary = "a strided box";
  let description = [{
    Elements `starts[d] + i * strides[d]` below `limits[d]` of every dimension d.

    ```mlir
    %y = graph.slice %x starts = [1, 0] limits = [2, 7] strides = [1, 3]
        : tensor<2x8xf32> to tensor<1x3xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$operand, DenseI64ArrayAttr:$starts,
                       DenseI64ArrayAttr:$limits, DenseI64ArrayAttr:$strides);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $operand `starts` `=` $starts `limits` `=` $limits `strides` `=` $strides
    attr-dict `:` type($operand) `to` type($result)
  }];
  let hasFolder = 1;
}

def Graph_PadOp : Graph_InferredOp<"pad"> {
  let summary = "a border of one value, and gaps of it between elements";
  let description = [{
    Dimension d of size n becomes
    `low[d] + n + (n - 1) * interior[d] + high[d]` (n = 0 has no gaps); operand
    element i stands at `low[d] + i * (interior[d] + 1)`. The padding is the
    scalar `value`. The transpose of `graph.slice`.

    ```mlir
    %y = graph.pad %x with 0.0 : f32 low = [1] high = [2] interior = [1]
        : tensor<3xf32> to tensor<8xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$operand, TypedAttrInterface:$value,
                       DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high,
                       DenseI64ArrayAttr:$interior);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $operand `with` $value `low` `=` $low `high` `=` $high
    `interior` `=` $interior attr-dict `:` type($operand) `to` type($result)
  }];
  let hasFolder = 1;
}

def Graph_ConcatOp : Graph_InferredOp<"concat"> {
  let summary = "operands one after the other along a dimension";
  let description = [{
    ```mlir
    %z = graph.concat %x, %y dim = 0 : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<6x3xf32>
    ```
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$operands, I64Attr:$dim);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$operands `dim` `=` $dim attr-dict `:` functional-type($operands, $result)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Graph_GatherOp : Graph_InferredOp<"gather"> {
  let summary = "rows of a table by index";
  let description = [{
    `result[i..., d...] = table[indices[i...], d...]`; the result's shape is
    the indices' followed by the table's without its first dimension. A
    negative or too large index reads a row of zeros (`fill`) or the nearest
    row (`clip`; the table has a row then).

    ```mlir
    %y = graph.gather fill %table[%i] : tensor<5x4xf32>[tensor<2x3xi64>] to tensor<2x3x4xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$table, Graph_IndexTensor:$indices,
                       Graph_IndexModeAttr:$mode);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    `` $mode $table `[` $indices `]` attr-dict
    `:` type($table) `[` type($indices) `]` `to` type($result)
  }];
}

def Graph_ScatterAddOp : Graph_InferredOp<"scatter_add"> {
  let summary = "adds rows into a table by index";
  let description = [{
    `result = init; result[indices[i...], d...] += updates[i..., d...]` in
    row-major order of i. A negative or too large index is dropped (`fill`) or
    goes to the nearest row (`clip`; init has a row then). The transpose of `graph.gather`.

    ```mlir
    %y = graph.scatter_add fill %init[%i], %updates
        : tensor<5x4xf32>[tensor<3xi64>], tensor<3x4xf32> to tensor<5x4xf32>
    ```
  }];
  let arguments = (ins Graph_NumberTensor:$init, Graph_IndexTensor:$indices,
                       Graph_NumberTensor:$updates, Graph_IndexModeAttr:$mode);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = [{
    `` $mode $init `[` $indices `]` `,` $updates attr-dict
    `:` type($init) `[` type($indices) `]` `,` type($updates) `to` type($result)
  }];
}

#endif // GRAPH_SHAPE_OPS_TD
