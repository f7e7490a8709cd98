//===- MixedPrecisionPolicy.cpp - Which types operations like -------------===//

#include "MixedPrecisionPolicy.h"

#include "graph/Dialect/Graph/IR/GraphOps.h"

using namespace mlir;
using namespace graph;

template <typename... OpTs> static bool isOneOf(OperationName name) {
  return ((name.getStringRef() == OpTs::getOperationName()) || ...);
}

/// Products.
static bool isLow(OperationName name) {
  return isOneOf<DotOp, AttentionOp>(name);
}

/// One rounding of a well-conditioned function, or none at all.
static bool follows(OperationName name) {
  return isOneOf<
      // Arithmetic and selection.
      NegOp, AbsOp, AddOp, SubOp, MulOp, DivOp, MaxOp, MinOp, CompareOp,
      SelectOp,
      // Functions with a bounded derivative.
      SqrtOp, TanhOp, ErfOp, LogisticOp, SinOp, CosOp, ReluOp, SiluOp, GeluOp,
      // Movements.
      BroadcastOp, ReshapeOp, TransposeOp, SliceOp, PadOp, ConcatOp, GatherOp>(
      name);
}

PrecisionClass graph::getPrecisionClass(OperationName name) {
  if (isLow(name))
    return PrecisionClass::Low;
  return follows(name) ? PrecisionClass::Follow : PrecisionClass::AsWritten;
}
