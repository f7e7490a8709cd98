//===- IterationSpace.cpp - Building blocks of iteration spaces -----------===//

#include "graph/Dialect/Graph/IR/IterationSpace.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include <numeric>

using namespace mlir;
using namespace graph;

unsigned IterationSpace::addFactor(int64_t size, FactorKind kind,
                                   ReduceKind combiner) {
  factors.push_back({size, kind, combiner});
  return factors.size() - 1;
}

int64_t IterationSpace::getNumPoints() const {
  int64_t points = 1;
  for (const Factor &factor : factors)
    points *= factor.size;
  return points;
}

IterationSpace IterationSpace::elementwise(Operation *op) {
  IterationSpace space;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  TensorMap map;
  for (int64_t size : type.getShape())
    map.push_back(DimMap{{space.addFactor(size)}});
  space.operands.assign(op->getNumOperands(), map);
  space.results.assign(op->getNumResults(), map);
  return space;
}

static LogicalResult verifyMap(Operation *op, const IterationSpace &space,
                               const TensorMap &map, Type type, Twine name) {
  auto tensor = cast<RankedTensorType>(type);
  if (static_cast<int64_t>(map.size()) != tensor.getRank())
    return op->emitOpError("found an iteration space with ")
           << map.size() << " dimensions of " << name << ", expected "
           << tensor.getRank();
  for (auto [i, dim] : llvm::enumerate(map)) {
    int64_t size = tensor.getDimSize(i);
    int64_t product = 1;
    for (unsigned factor : dim.factors) {
      if (factor >= space.factors.size())
        return op->emitOpError("found factor ")
               << factor << " in its iteration space, expected one of "
               << space.factors.size();
      product *= space.factors[factor].size;
    }
    auto has = [&](FactorKind kind, auto &&factors) {
      return llvm::any_of(factors, [&](unsigned factor) {
        return space.factors[factor].kind == kind;
      });
    };
    // Data or a rearrangement may say where a dimension is read, a window need
    // not cover it.
    bool isFree =
        dim.factors.empty() &&
        has(FactorKind::Whole, llvm::seq<unsigned>(0, space.factors.size()));
    if (!isFree && !has(FactorKind::Window, dim.factors) && product != size)
      return op->emitOpError("found an iteration space with ")
             << product << " points along dimension " << i << " of " << name
             << ", expected " << size;
  }
  return success();
}

LogicalResult IterationSpace::verify(Operation *op) const {
  if (operands.size() != op->getNumOperands() ||
      results.size() != op->getNumResults())
    return op->emitOpError("found an iteration space with maps for ")
           << operands.size() << " operands and " << results.size()
           << " results, expected " << op->getNumOperands() << " and "
           << op->getNumResults();
  for (auto [i, map] : llvm::enumerate(operands))
    if (failed(verifyMap(op, *this, map, op->getOperand(i).getType(),
                         "operand " + Twine(i))))
      return failure();
  for (auto [i, map] : llvm::enumerate(results))
    if (failed(verifyMap(op, *this, map, op->getResult(i).getType(),
                         "result " + Twine(i))))
      return failure();
  return success();
}

FailureOr<SmallVector<int64_t>>
graph::getCommonRefinement(ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
  SmallVector<int64_t> refinement;
  size_t l = 0, r = 0;
  // What is left of the current element on each side.
  int64_t left = 1, right = 1;
  while (true) {
    while (left == 1 && l < lhs.size())
      left = lhs[l++];
    while (right == 1 && r < rhs.size())
      right = rhs[r++];
    if (left == 1 && right == 1)
      return refinement;
    int64_t size = std::gcd(left, right);
    // The outermost group must be as small as the smaller side, or the two
    // sides cut the same points at different places.
    if (size != std::min(left, right) || size == 0)
      return failure();
    // Cutting the larger side keeps its inner part for the next groups.
    refinement.push_back(size);
    left /= size;
    right /= size;
  }
}
