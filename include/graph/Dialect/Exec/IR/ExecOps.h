//===- ExecOps.h - The exec dialect -----------------------------*- C++ -*-===//

#ifndef GRAPH_DIALECT_EXEC_IR_EXECOPS_H
#define GRAPH_DIALECT_EXEC_IR_EXECOPS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "graph/Dialect/Exec/IR/ExecDialect.h.inc"
#include "graph/Dialect/Exec/IR/ExecEnums.h.inc"
#define GET_TYPEDEF_CLASSES
#include "graph/Dialect/Exec/IR/ExecTypes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "graph/Dialect/Exec/IR/ExecAttrs.h.inc"

#include "graph/Dialect/Exec/IR/ExecInterfaces.h.inc"

#define GET_OP_CLASSES
#include "graph/Dialect/Exec/IR/ExecOps.h.inc"

namespace exec {

/// The module nested in `module` that holds the kernels, a builtin module or a
/// gpu.module; null if there is none.
mlir::Operation *getKernels(mlir::ModuleOp module);

/// Attribute of a gpu.func: bytes of dynamic shared memory that its launches
/// must provide (i64; none where it is absent).
inline constexpr llvm::StringLiteral kSharedBytesAttr = "exec.shared_bytes";

/// Attribute of a gpu.func: the tensor maps (TensorMapAttr) that it takes
/// behind its buffers, each as a pointer to one; none where it is absent.
inline constexpr llvm::StringLiteral kTensorMapsAttr = "exec.tensor_maps";

/// The elements of this attribute.
llvm::ArrayRef<mlir::Attribute> getTensorMaps(mlir::Operation *kernel);

/// Offsets of scratch buffers and constants are multiples of this many bytes.
inline constexpr int64_t kBufferAlignment = 64;

/// Bytes of one element in memory: i1 takes a byte of its own.
int64_t getElementSize(mlir::Type elementType);

/// Bytes of a tensor or memref of static shape in row-major order.
int64_t getByteSize(mlir::ShapedType type);

} // namespace exec

#endif // GRAPH_DIALECT_EXEC_IR_EXECOPS_H
