//===- Vjp.cpp - Rules of reverse-mode differentiation --------------------===//

#include "graph/Autodiff/Vjp.h"

using namespace mlir;
using namespace graph;

const VjpTable::Rule *VjpTable::lookup(Operation *op) const {
  auto it = rules.find(op->getName().getStringRef());
  return it == rules.end() ? nullptr : &it->second;
}
