//===- DotEpilogue.cpp - Epilogues that a library knows -------------------===//
//
// Formulas are compared as trees. Sums and products match with their operands
// in either order. Conversions between floating-point types are looked through:
// the library rounds once where a kernel of ours rounds after every operation.
//
//===----------------------------------------------------------------------===//

#include "graph/Planning/DotEpilogue.h"

#include <numbers>

using namespace mlir;
using namespace graph;

/// The rows of extra matrices begin at multiples of so many elements.
static constexpr int64_t kMatrixAlignment = 8;

namespace {
struct Formula {
  enum Kind { Sum, Bias, Aux, LhsSum, RhsSum, Constant, Operation };
  Kind kind;
  double constant = 0;
  StringRef op = {};
  std::vector<Formula> operands = {};
};
} // namespace

static Formula operator+(Formula lhs, Formula rhs) {
  return {Formula::Operation, 0, AddOp::getOperationName(), {lhs, rhs}};
}
static Formula operator-(Formula lhs, Formula rhs) {
  return {Formula::Operation, 0, SubOp::getOperationName(), {lhs, rhs}};
}
static Formula operator*(Formula lhs, Formula rhs) {
  return {Formula::Operation, 0, MulOp::getOperationName(), {lhs, rhs}};
}
static Formula constant(double value) { return {Formula::Constant, value}; }
static Formula tanh(Formula x) {
  return {Formula::Operation, 0, TanhOp::getOperationName(), {x}};
}
static Formula relu(Formula x) {
  return {Formula::Operation, 0, MaxOp::getOperationName(), {x, constant(0)}};
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static Formula getTanhArgument(Formula x) {
  return constant(std::numbers::sqrt2 * std::numbers::inv_sqrtpi) *
         (x + constant(0.044715) * (x * x * x));
}
static Formula gelu(Formula x) {
  return constant(0.5) * x * (constant(1) + tanh(getTanhArgument(x)));
}
static Formula geluDerivative(Formula x) {
  Formula t = tanh(getTanhArgument(x));
  Formula du = constant(std::numbers::sqrt2 * std::numbers::inv_sqrtpi) *
               (constant(1) + constant(3 * 0.044715) * (x * x));
  return constant(0.5) * (constant(1) + t) +
         constant(0.5) * x * ((constant(1) - t * t) * du);
}

namespace {
struct Row {
  EpilogueKind kind;
  Formula result;
  /// What a second output of the kernel may be.
  std::optional<Formula> extra = {};
};
} // namespace

static const std::vector<Row> &getTable() {
  static const Formula s = {Formula::Sum}, bias = {Formula::Bias},
                       aux = {Formula::Aux}, lhsSum = {Formula::LhsSum},
                       rhsSum = {Formula::RhsSum};
  static const std::vector<Row> table = {
      {EpilogueKind::None, s},
      {EpilogueKind::Bias, s + bias},
      {EpilogueKind::Relu, relu(s)},
      {EpilogueKind::ReluBias, relu(s + bias)},
      {EpilogueKind::Gelu, gelu(s), s},
      {EpilogueKind::GeluBias, gelu(s + bias), s + bias},
      {EpilogueKind::DGelu, s * geluDerivative(aux)},
      {EpilogueKind::BGradA, s, lhsSum},
      {EpilogueKind::BGradB, s, rhsSum},
  };
  return table;
}

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

namespace {
class Matcher {
public:
  explicit Matcher(const KernelPlan &plan)
      : plan(plan), form(plan.contraction->form) {}

  bool match(const Formula &formula, unsigned number);
  std::optional<unsigned> bias, aux;

private:
  bool matchOperands(const Formula &formula, const KernelNode &node);
  bool matchLoad(const KernelNode &node, const AffineIndex &index, int64_t size,
                 std::optional<unsigned> &input);
  AffineIndex getColumn() const;

  const KernelPlan &plan;
  const GemmForm &form;
};
} // namespace

/// The index along n.
AffineIndex Matcher::getColumn() const {
  AffineIndex index;
  int64_t stride = 1;
  for (unsigned variable : llvm::reverse(plan.contraction->columns)) {
    index += AffineIndex::variable(variable) * stride;
    stride *= plan.variables[variable].size;
  }
  return index;
}

bool Matcher::matchLoad(const KernelNode &node, const AffineIndex &index,
                        int64_t size, std::optional<unsigned> &input) {
  auto type = cast<RankedTensorType>(node.value.getType());
  if (node.kind != KernelNode::Load || !(node.index == index) ||
      type.getNumElements() != size || (input && *input != node.input))
    return false;
  input = node.input;
  return true;
}

bool Matcher::matchOperands(const Formula &formula, const KernelNode &node) {
  if (node.operands.size() != formula.operands.size())
    return false;
  auto matchInOrder = [&](bool isSwapped) {
    for (auto [i, operand] : llvm::enumerate(node.operands)) {
      size_t other = isSwapped ? node.operands.size() - 1 - i : i;
      if (!match(formula.operands[other], operand))
        return false;
    }
    return true;
  };
  std::optional<unsigned> oldBias = bias, oldAux = aux;
  if (matchInOrder(/*isSwapped=*/false))
    return true;
  bias = oldBias;
  aux = oldAux;
  return isa<AddOp, MulOp, MaxOp>(node.value.getDefiningOp()) &&
         matchInOrder(/*isSwapped=*/true);
}

bool Matcher::match(const Formula &formula, unsigned number) {
  const KernelNode *node = &plan.nodes[number];
  while (node->kind == KernelNode::Elementwise &&
         isa<CastOp>(node->value.getDefiningOp()) &&
         isa<FloatType>(node->getElementType()) &&
         isa<FloatType>(plan.nodes[node->operands[0]].getElementType()))
    node = &plan.nodes[node->operands[0]];
  switch (formula.kind) {
  case Formula::Sum:
    return node->kind == KernelNode::Dot;
  case Formula::Bias:
    return matchLoad(*node, getColumn(), form.n, bias);
  case Formula::Aux:
    return matchLoad(*node, plan.nodes[plan.contraction->node].index,
                     form.m * form.n, aux);
  case Formula::LhsSum:
  case Formula::RhsSum:
    return node->kind == KernelNode::OperandSum &&
           plan.contraction->operandSum->isRhs ==
               (formula.kind == Formula::RhsSum);
  case Formula::Constant: {
    auto value = node->kind == KernelNode::Constant
                     ? dyn_cast<FloatAttr>(node->constant)
                     : FloatAttr();
    return value && std::abs(value.getValueAsDouble() - formula.constant) <=
                        1e-6 * std::abs(formula.constant);
  }
  case Formula::Operation:
    return node->kind == KernelNode::Elementwise &&
           node->value.getDefiningOp()->getName().getStringRef() ==
               formula.op &&
           matchOperands(formula, *node);
  }
}

/// Extra operands of the library have the element type of c.
static bool hasOneElementType(const KernelPlan &plan) {
  Type element = plan.nodes[plan.contraction->node].getElementType();
  return llvm::all_of(plan.outputs,
                      [&](const KernelOutput &output) {
                        return getElementTypeOrSelf(output.value) == element;
                      }) &&
         llvm::all_of(plan.inputs, [&](Value input) {
           return getElementTypeOrSelf(input) == element;
         });
}

static std::optional<DotEpilogue> matchRow(const KernelPlan &plan,
                                           const Row &row) {
  Matcher matcher(plan);
  if (!matcher.match(row.result, plan.outputs.back().node))
    return std::nullopt;
  bool hasExtra = plan.outputs.size() == 2;
  if (hasExtra &&
      (!row.extra || !matcher.match(*row.extra, plan.outputs.front().node)))
    return std::nullopt;
  return DotEpilogue{row.kind, matcher.bias, matcher.aux, hasExtra};
}

std::optional<DotEpilogue> graph::matchDotEpilogue(const KernelPlan &plan) {
  if (!plan.contraction || plan.contraction->hasPrologue() ||
      plan.outputs.size() > 2 || !hasOneElementType(plan))
    return std::nullopt;
  for (const Row &row : getTable())
    if (std::optional<DotEpilogue> epilogue = matchRow(plan, row)) {
      const GemmForm &form = plan.contraction->form;
      bool hasMatrix = epilogue->aux || (epilogue->hasExtraOutput &&
                                         plan.outputs.front().isFull);
      if ((hasMatrix && form.n % kMatrixAlignment != 0) ||
          ((hasMatrix || epilogue->bias) && !form.batch.empty()))
        return std::nullopt;
      return epilogue;
    }
  return std::nullopt;
}
