//===- Vjp.cpp - Rules of reverse-mode differentiation --------------------===//

#include "graph/Autodiff/Vjp.h"

using namespace mlir;
using namespace graph;

const VjpTable::Rule *VjpTable::lookup(OperationName name) const {
  auto it = rules.find(name.getStringRef());
  return it == rules.end() ? nullptr : &it->second;
}
