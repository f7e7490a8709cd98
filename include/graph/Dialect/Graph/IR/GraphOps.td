//===- GraphOps.td - All operations of the graph dialect ------------------===//

#ifndef GRAPH_OPS_TD
#define GRAPH_OPS_TD

include "graph/Dialect/Graph/IR/GraphElementwiseOps.td"
include "graph/Dialect/Graph/IR/GraphShapeOps.td"
include "graph/Dialect/Graph/IR/GraphContractionOps.td"
include "graph/Dialect/Graph/IR/GraphCompositeOps.td"
include "graph/Dialect/Graph/IR/GraphStructureOps.td"

#endif // GRAPH_OPS_TD
