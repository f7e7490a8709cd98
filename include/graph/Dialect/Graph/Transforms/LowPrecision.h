//===- LowPrecision.h - The types of mixed precision ------------*- C++ -*-===//

#ifndef GRAPH_DIALECT_GRAPH_TRANSFORMS_LOWPRECISION_H
#define GRAPH_DIALECT_GRAPH_TRANSFORMS_LOWPRECISION_H

namespace graph {

/// What `--graph-mixed-precision` computes products in.
enum class LowPrecision { bf16, f16 };

} // namespace graph

#endif // GRAPH_DIALECT_GRAPH_TRANSFORMS_LOWPRECISION_H
