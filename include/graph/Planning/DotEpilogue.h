//===- DotEpilogue.h - Epilogues that a library knows -----------*- C++ -*-===//

#ifndef GRAPH_PLANNING_DOTEPILOGUE_H
#define GRAPH_PLANNING_DOTEPILOGUE_H

#include "graph/Planning/KernelPlan.h"

namespace graph {

/// What the vendor's library can do with the sums s of a product: add a bias
/// vector along n, apply relu or gelu (the form with tanh), or multiply by
/// gelu's derivative at another matrix. Or it adds a's rows or b's columns
/// along k beside the product: the gradient of a bias.
enum class EpilogueKind {
  None,
  Bias,
  Relu,
  ReluBias,
  Gelu,
  GeluBias,
  DGelu,
  BGradA,
  BGradB
};

struct DotEpilogue {
  EpilogueKind kind = EpilogueKind::None;
  /// Inputs of the plan, where the kind has them: `bias` has n elements, `aux`
  /// is laid out as c.
  std::optional<unsigned> bias, aux;
  /// Whether the plan's first output is gelu's argument, or the sums of the
  /// bgrad kinds. c is the last one.
  bool hasExtraOutput = false;
};

/// Nothing where the plan is no contraction, or does more than that.
std::optional<DotEpilogue> matchDotEpilogue(const KernelPlan &plan);

} // namespace graph

#endif // GRAPH_PLANNING_DOTEPILOGUE_H
