//===- GraphOps.h - The graph dialect ---------------------------*- C++ -*-===//

#ifndef GRAPH_DIALECT_GRAPH_IR_GRAPHOPS_H
#define GRAPH_DIALECT_GRAPH_IR_GRAPHOPS_H

#include "graph/Dialect/Graph/IR/IterationSpace.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "graph/Dialect/Graph/IR/GraphDialect.h.inc"
#include "graph/Dialect/Graph/IR/GraphEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "graph/Dialect/Graph/IR/GraphAttrs.h.inc"

#include "graph/Dialect/Graph/IR/GraphInterfaces.h.inc"

namespace graph {
/// Whether the bytes of a tensor of this static shape can be counted in an
/// int64_t; a boolean takes one byte.
bool isAddressable(mlir::RankedTensorType type);

/// The type of an attention's log_sum_exp: a number of at least f32 for each
/// row of the query. A query of rank 0, which the verifier rejects, has itself.
mlir::RankedTensorType getLogSumExpType(mlir::RankedTensorType query);
} // namespace graph

#define GET_OP_CLASSES
#include "graph/Dialect/Graph/IR/GraphOps.h.inc"

namespace graph {

/// The attribute names of function arguments and results; see the dialect.
inline constexpr llvm::StringLiteral kNameAttr = "graph.name";
inline constexpr llvm::StringLiteral kStateAttr = "graph.state";

} // namespace graph

#endif // GRAPH_DIALECT_GRAPH_IR_GRAPHOPS_H
