//===- InitAll.h - Registers every dialect and pass -------------*- C++ -*-===//
//
// The one place that knows them all: the tools call these and nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_INITALL_H
#define GRAPH_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace graph {

/// Our dialects, the upstream dialects that our IR contains at some level, and
/// the extensions (inlining and such) that our passes rely on.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Our passes and upstream's general ones (inline, canonicalize, cse, ...).
void registerAllPasses();

} // namespace graph

#endif // GRAPH_INITALL_H
