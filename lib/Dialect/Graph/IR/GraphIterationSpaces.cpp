//===- GraphIterationSpaces.cpp - The iteration space of each operation ---===//

#include "graph/Dialect/Graph/IR/GraphOps.h"

#include <algorithm>

using namespace mlir;
using namespace graph;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// A map with one new factor of the given kind per dimension of `shape`.
static TensorMap addFactors(IterationSpace &space, ArrayRef<int64_t> shape,
                            FactorKind kind = FactorKind::Parallel) {
  TensorMap map;
  for (int64_t size : shape)
    map.push_back(DimMap{{space.addFactor(size, kind)}});
  return map;
}

/// No operands; the result alone spans the space.
static IterationSpace sourceSpace(Operation *op) {
  IterationSpace space;
  space.results.push_back(addFactors(space, shapeOf(op->getResult(0))));
  return space;
}

IterationSpace ConstantOp::getIterationSpace() { return sourceSpace(*this); }
IterationSpace IotaOp::getIterationSpace() { return sourceSpace(*this); }

static IterationSpace randomSpace(Operation *op) {
  IterationSpace space = sourceSpace(op);
  space.operands.emplace_back();
  return space;
}
IterationSpace RandomUniformOp::getIterationSpace() {
  return randomSpace(*this);
}
IterationSpace RandomNormalOp::getIterationSpace() {
  return randomSpace(*this);
}

IterationSpace BroadcastOp::getIterationSpace() {
  IterationSpace space = sourceSpace(*this);
  TensorMap &operand = space.operands.emplace_back();
  for (int64_t dim : getDims())
    operand.push_back(space.results[0][dim]);
  return space;
}

/// Appends to both maps the dimensions of a piece of a reshape whose two sides
/// have the same number of points.
static void addReshapedPiece(IterationSpace &space, ArrayRef<int64_t> from,
                             ArrayRef<int64_t> to, TensorMap &operand,
                             TensorMap &result) {
  auto sizes = getCommonRefinement(from, to);
  if (failed(sizes)) {
    // The positions in the operand are no product of factors.
    operand.append(from.size(), DimMap());
    llvm::append_range(result, addFactors(space, to, FactorKind::Whole));
    return;
  }
  unsigned first = space.factors.size();
  for (int64_t size : *sizes)
    space.addFactor(size);
  auto group = [&](ArrayRef<int64_t> shape, TensorMap &map) {
    unsigned next = first;
    for (int64_t size : shape) {
      DimMap &dim = map.emplace_back();
      for (int64_t product = 1; product < size;)
        product *= space.factors[dim.factors.emplace_back(next++)].size;
    }
  };
  group(from, operand);
  group(to, result);
}

IterationSpace ReshapeOp::getIterationSpace() {
  IterationSpace space;
  ArrayRef<int64_t> from = shapeOf(getOperand()), to = shapeOf(getResult());
  TensorMap operand, result;
  // Shortest pieces with the same number of points on both sides, so that one
  // without a common refinement leaves the others' factors alone. An empty
  // tensor is one piece.
  bool isEmpty = llvm::is_contained(from, 0);
  while (!isEmpty && !from.empty() && !to.empty()) {
    size_t l = 1, r = 1;
    int64_t left = from[0], right = to[0];
    while (left != right)
      if (left < right)
        left *= from[l++];
      else
        right *= to[r++];
    addReshapedPiece(space, from.take_front(l), to.take_front(r), operand,
                     result);
    from = from.drop_front(l);
    to = to.drop_front(r);
  }
  addReshapedPiece(space, from, to, operand, result);
  space.operands.push_back(std::move(operand));
  space.results.push_back(std::move(result));
  return space;
}

IterationSpace TransposeOp::getIterationSpace() {
  IterationSpace space = sourceSpace(*this);
  TensorMap operand(getPerm().size());
  for (auto [i, dim] : llvm::enumerate(getPerm()))
    operand[dim] = space.results[0][i];
  space.operands.push_back(std::move(operand));
  return space;
}

/// A dimension whose positions differ between operand and result.
static bool isMoved(int64_t offset, int64_t stride, int64_t from, int64_t to) {
  return offset != 0 || stride != 1 || from != to;
}

IterationSpace SliceOp::getIterationSpace() {
  IterationSpace space;
  TensorMap operand, result;
  for (auto [from, to, start, stride] :
       llvm::zip_equal(shapeOf(getOperand()), shapeOf(getResult()), getStarts(),
                       getStrides())) {
    bool moved = isMoved(start, stride, from, to);
    unsigned factor =
        space.addFactor(to, moved ? FactorKind::Window : FactorKind::Parallel);
    operand.push_back(DimMap{{factor}, start, stride});
    result.push_back(DimMap{{factor}});
  }
  space.operands.push_back(operand);
  space.results.push_back(result);
  return space;
}

IterationSpace PadOp::getIterationSpace() {
  // The factors run over the operand; the result's positions are moved.
  IterationSpace space;
  TensorMap operand, result;
  for (auto [from, to, low, interior] :
       llvm::zip_equal(shapeOf(getOperand()), shapeOf(getResult()), getLow(),
                       getInterior())) {
    bool moved = isMoved(low, interior + 1, from, to);
    unsigned factor = space.addFactor(from, moved ? FactorKind::Window
                                                  : FactorKind::Parallel);
    operand.push_back(DimMap{{factor}});
    result.push_back(DimMap{{factor}, low, interior + 1});
  }
  space.operands.push_back(operand);
  space.results.push_back(result);
  return space;
}

IterationSpace ConcatOp::getIterationSpace() {
  // One window factor along `dim` per operand, the others are shared.
  IterationSpace space;
  int64_t along = getDim();
  TensorMap result;
  for (auto [dim, size] : llvm::enumerate(shapeOf(getResult())))
    result.push_back(DimMap{{space.addFactor(
        size, static_cast<int64_t>(dim) == along ? FactorKind::Window
                                                 : FactorKind::Parallel)}});
  int64_t offset = 0;
  for (Value operand : getOperands()) {
    TensorMap map = result;
    map[along].offset = -offset;
    offset += shapeOf(operand)[along];
    space.operands.push_back(std::move(map));
  }
  space.results.push_back(std::move(result));
  return space;
}

IterationSpace GatherOp::getIterationSpace() {
  IterationSpace space;
  unsigned row = space.addFactor(shapeOf(getTable())[0], FactorKind::Whole);
  TensorMap indices = addFactors(space, shapeOf(getIndices()));
  TensorMap columns = addFactors(space, shapeOf(getTable()).drop_front());
  TensorMap table = {DimMap{{row}}};
  llvm::append_range(table, columns);
  TensorMap result = indices;
  llvm::append_range(result, columns);
  space.operands = {table, indices};
  space.results = {result};
  return space;
}

IterationSpace ScatterAddOp::getIterationSpace() {
  IterationSpace space;
  unsigned row = space.addFactor(shapeOf(getInit())[0], FactorKind::Whole);
  TensorMap indices;
  for (int64_t size : shapeOf(getIndices()))
    indices.push_back(DimMap{
        {space.addFactor(size, FactorKind::Reduction, ReduceKind::sum)}});
  TensorMap columns = addFactors(space, shapeOf(getInit()).drop_front());
  TensorMap table = {DimMap{{row}}};
  llvm::append_range(table, columns);
  TensorMap updates = indices;
  llvm::append_range(updates, columns);
  space.operands = {table, indices, updates};
  space.results = {table};
  return space;
}

IterationSpace ReduceOp::getIterationSpace() {
  IterationSpace space;
  TensorMap operand, result;
  for (auto [dim, size] : llvm::enumerate(shapeOf(getOperand()))) {
    bool reduced = llvm::is_contained(getDims(), static_cast<int64_t>(dim));
    DimMap map{{space.addFactor(
        size, reduced ? FactorKind::Reduction : FactorKind::Parallel,
        getKind())}};
    operand.push_back(map);
    if (!reduced)
      result.push_back(map);
  }
  space.operands.push_back(operand);
  space.results.push_back(result);
  return space;
}

IterationSpace DotOp::getIterationSpace() {
  IterationSpace space;
  ArrayRef<int64_t> lhs = shapeOf(getLhs()), rhs = shapeOf(getRhs());
  TensorMap lhsMap(lhs.size()), rhsMap(rhs.size()), result;
  for (auto [l, r] : llvm::zip_equal(getLhsBatch(), getRhsBatch())) {
    lhsMap[l] = rhsMap[r] = DimMap{{space.addFactor(lhs[l])}};
    result.push_back(lhsMap[l]);
  }
  for (int64_t dim : getLhsFree())
    result.push_back(lhsMap[dim] = DimMap{{space.addFactor(lhs[dim])}});
  for (int64_t dim : getRhsFree())
    result.push_back(rhsMap[dim] = DimMap{{space.addFactor(rhs[dim])}});
  for (auto [l, r] : llvm::zip_equal(getLhsContract(), getRhsContract()))
    lhsMap[l] = rhsMap[r] = DimMap{
        {space.addFactor(lhs[l], FactorKind::Reduction, ReduceKind::sum)}};
  space.operands = {lhsMap, rhsMap};
  space.results = {result};
  return space;
}

//===----------------------------------------------------------------------===//
// Composites
//===----------------------------------------------------------------------===//

IterationSpace ReluOp::getIterationSpace() {
  return IterationSpace::elementwise(*this);
}
IterationSpace SiluOp::getIterationSpace() {
  return IterationSpace::elementwise(*this);
}
IterationSpace GeluOp::getIterationSpace() {
  return IterationSpace::elementwise(*this);
}

/// Elementwise, but the points along `dim` depend on each other.
static IterationSpace rowwiseSpace(Operation *op, int64_t dim) {
  IterationSpace space = IterationSpace::elementwise(op);
  space.factors[dim].kind = FactorKind::Whole;
  return space;
}
IterationSpace SoftmaxOp::getIterationSpace() {
  return rowwiseSpace(*this, getDim());
}
IterationSpace LogSoftmaxOp::getIterationSpace() {
  return rowwiseSpace(*this, getDim());
}

IterationSpace LayerNormOp::getIterationSpace() {
  int64_t last = shapeOf(getOperand()).size() - 1;
  IterationSpace space = rowwiseSpace(*this, last);
  DimMap column = space.results[0][last];
  space.operands[1] = {column};
  space.operands[2] = {column};
  return space;
}

IterationSpace CrossEntropyOp::getIterationSpace() {
  IterationSpace space;
  TensorMap rows = addFactors(space, shapeOf(getTargets()));
  TensorMap logits = rows;
  logits.push_back(DimMap{
      {space.addFactor(shapeOf(getLogits()).back(), FactorKind::Whole)}});
  space.operands = {logits, rows};
  space.results = {rows};
  return space;
}

namespace {
/// The maps of an attention's tensors. Positions in the head are never split:
/// the scores are sums over them of which the softmax needs all.
struct AttentionSpace {
  AttentionSpace(AttentionOpInterface op, FactorKind queries, FactorKind keys)
      : op(op) {
    ArrayRef<int64_t> query = shapeOf(op.getQuery());
    ArrayRef<int64_t> value = shapeOf(op.getValue());
    batch = addFactors(space, query.drop_back(2));
    // Which keys a causal query sees follows from its position.
    auto addPositions = [&](ArrayRef<int64_t> shape, FactorKind kind) {
      return DimMap{{space.addFactor(shape[shape.size() - 2],
                                     op.getCausal() ? FactorKind::Whole : kind,
                                     ReduceKind::sum)}};
    };
    s = addPositions(query, queries);
    t = addPositions(value, keys);
    d = DimMap{{space.addFactor(query.back(), FactorKind::Whole)}};
    e = DimMap{{space.addFactor(value.back())}};
  }

  TensorMap with(std::initializer_list<DimMap> dims) const {
    TensorMap map = batch;
    map.append(dims);
    return map;
  }
  /// The mask's map is the end of that of the scores.
  void addMask() {
    if (!op.getMask())
      return;
    TensorMap scores = with({s, t});
    size_t rank = shapeOf(op.getMask()).size();
    space.operands.emplace_back(scores.end() - rank, scores.end());
  }

  AttentionOpInterface op;
  IterationSpace space;
  TensorMap batch;
  DimMap s, t, d, e;
};
} // namespace

IterationSpace AttentionOp::getIterationSpace() {
  AttentionSpace a(*this, FactorKind::Parallel, FactorKind::Whole);
  a.space.operands = {a.with({a.s, a.d}), a.with({a.t, a.d}),
                      a.with({a.t, a.e})};
  a.addMask();
  a.space.results = {a.with({a.s, a.e}), a.with({a.s})};
  return a.space;
}

/// Given log_sum_exp the weights of different keys and queries are independent.
IterationSpace AttentionGradOp::getIterationSpace() {
  AttentionSpace a(*this, FactorKind::Reduction, FactorKind::Reduction);
  // Every score's derivative is a sum over the value's columns.
  a.space.factors[a.e.factors[0]].kind = FactorKind::Whole;
  TensorMap query = a.with({a.s, a.d}), key = a.with({a.t, a.d});
  TensorMap value = a.with({a.t, a.e}), result = a.with({a.s, a.e});
  a.space.operands = {query, key, value, result, a.with({a.s}), result};
  a.addMask();
  a.space.results = {query, key, value};
  return a.space;
}
