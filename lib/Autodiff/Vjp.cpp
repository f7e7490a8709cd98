//===- Vjp.cpp - Rules of reverse-mode differentiation --------------------===//

#include "graph/Autodiff/Vjp.h"

using namespace mlir;
using namespace graph;

Tensor graph::widen(Tensor x) {
  Type type = x.getElementType();
  if (!isa<FloatType>(type) || type.getIntOrFloatBitWidth() >= 32)
    return x;
  return cast(x, x.getBuilder().getF32Type());
}

const VjpTable::Rule *VjpTable::lookup(Operation *op) const {
  auto it = rules.find(op->getName().getStringRef());
  return it == rules.end() ? nullptr : &it->second;
}
