//===- CostModel.cpp - Time of a kernel -----------------------------------===//

#include "graph/Planning/CostModel.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace graph;

int64_t graph::getTensorBytes(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getNumElements() *
         llvm::divideCeil(tensor.getElementTypeBitWidth(), 8);
}
