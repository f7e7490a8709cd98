//===- KernelPlanner.cpp - Builds the nodes of a kernel plan --------------===//

#include "KernelPlanner.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include <numeric>

using namespace mlir;
using namespace graph;

/// More nodes than this are a sign of recomputation that explodes.
static constexpr size_t kMaxNodes = 4096;
static constexpr size_t kMaxVariables = 64;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}
static int64_t sizeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

LogicalResult KernelPlanner::fail(const Twine &reason) {
  if (whyNot && whyNot->empty())
    *whyNot = reason.str();
  return failure();
}

//===----------------------------------------------------------------------===//
// The domain
//===----------------------------------------------------------------------===//

void KernelPlanner::addDomain(ArrayRef<int64_t> shape,
                              KernelVariable::Kind kind) {
  for (int64_t size : shape)
    if (size != 1)
      domain.push_back({size, kind});
}

LogicalResult KernelPlanner::chooseDomain(ArrayRef<Value> outputs) {
  if (contraction) {
    chooseContractionDomain();
    return success();
  }
  // All operations of the kernel, reached from its outputs.
  llvm::SetVector<Operation *> ops;
  for (Value output : outputs)
    if (Operation *op = output.getDefiningOp(); op && isInside(op))
      ops.insert(op);
  for (size_t i = 0; i < ops.size(); ++i)
    for (Value operand : ops[i]->getOperands())
      if (Operation *op = operand.getDefiningOp(); op && isInside(op))
        ops.insert(op);

  ReduceOp reduce;
  for (Operation *op : ops) {
    if (auto found = dyn_cast<ScatterAddOp>(op)) {
      if (outputs.size() != 1 || outputs[0] != found.getResult())
        return fail("scatter_add is not the only output");
      scatter = found;
    }
    // The first in program order: its operand's shape orders the domain.
    if (auto found = dyn_cast<ReduceOp>(op))
      if (!reduce || found->isBeforeInBlock(reduce))
        reduce = found;
    if (FailureOr<GemmForm> form = getGemmForm(op); succeeded(form)) {
      if (contraction)
        return fail("two dots do not share a kernel");
      if (Type element = getElementTypeOrSelf(form->c.base);
          !isa<FloatType>(element))
        return fail("no kernel computes dots of integers");
      contraction = *form;
    }
  }
  if (scatter && reduce)
    return fail("scatter_add and reduce do not share a kernel");
  if (contraction && (scatter || (reduce && !findOperandSum(reduce))))
    return fail("a dot and a reduction do not share a kernel");

  using Kind = KernelVariable::Kind;
  if (scatter) {
    addDomain(shapeOf(scatter.getInit()).front(), Kind::Parallel);
    addDomain(sizeOf(scatter.getIndices()), Kind::Reduced);
    ArrayRef<int64_t> columns = shapeOf(scatter.getInit()).drop_front();
    addDomain(llvm::product_of(columns), Kind::Parallel);
    return success();
  }
  if (contraction) {
    chooseContractionDomain();
    return success();
  }
  if (reduce) {
    for (auto [dim, size] : llvm::enumerate(shapeOf(reduce.getOperand())))
      addDomain(size,
                llvm::is_contained(reduce.getDims(), static_cast<int64_t>(dim))
                    ? Kind::Reduced
                    : Kind::Parallel);
    return success();
  }
  addDomain(shapeOf(outputs.front()), Kind::Parallel);
  return success();
}

AffineIndex
KernelPlanner::getPosition(function_ref<bool(unsigned)> isCounted) const {
  AffineIndex index;
  int64_t stride = 1;
  for (unsigned variable : llvm::reverse(plan.domain)) {
    if (!isCounted(variable))
      continue;
    index += AffineIndex::variable(variable) * stride;
    stride *= plan.variables[variable].size;
  }
  return index;
}

AffineIndex KernelPlanner::getDomainPosition(KernelVariable::Kind kind) const {
  return getPosition(
      [&](unsigned variable) { return plan.variables[variable].kind == kind; });
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

VariableSet KernelPlanner::close(const AffineIndex &index) const {
  VariableSet set = 0;
  for (AffineIndex::Term term : index.terms) {
    const KernelVariable &variable = plan.variables[term.variable];
    if (variable.kind == KernelVariable::Derived)
      set |= close(variable.index);
    else if (variable.kind == KernelVariable::Row)
      set |= plan.nodes[variable.node].variables;
    else
      set |= VariableSet(1) << term.variable;
  }
  return set;
}

unsigned KernelPlanner::getPhase(const AffineIndex &index) const {
  unsigned phase = 0;
  for (AffineIndex::Term term : index.terms) {
    const KernelVariable &variable = plan.variables[term.variable];
    if (variable.kind == KernelVariable::Derived)
      phase = std::max(phase, getPhase(variable.index));
    if (variable.kind == KernelVariable::Row)
      phase = std::max(phase, plan.nodes[variable.node].phase);
  }
  return phase;
}

unsigned KernelPlanner::addNode(KernelNode node) {
  node.variables = close(node.index);
  node.phase = getPhase(node.index);
  auto use = [&](unsigned operand) {
    node.variables |= plan.nodes[operand].variables;
    node.phase = std::max(node.phase, plan.nodes[operand].phase);
  };
  for (unsigned operand : node.operands)
    use(operand);
  for (const Alternative &alternative : node.alternatives) {
    use(alternative.node);
    for (const Guard &guard : alternative.guards) {
      node.variables |= close(guard.index);
      node.phase = std::max(node.phase, getPhase(guard.index));
      if (guard.node)
        use(*guard.node);
    }
  }
  if (node.kind == KernelNode::Reduce) {
    node.variables &=
        ~getDomainPosition(KernelVariable::Reduced).getVariables();
    ++node.phase;
    plan.numPhases = std::max(plan.numPhases, node.phase + 1);
  }
  plan.nodes.push_back(std::move(node));
  return plan.nodes.size() - 1;
}

AffineIndex KernelPlanner::addVariable(KernelVariable variable) {
  if (variable.size <= 1)
    return AffineIndex::constant(0);
  for (auto [number, other] : llvm::enumerate(plan.variables))
    if (other.kind == variable.kind && other.size == variable.size &&
        other.index == variable.index && other.step == variable.step &&
        other.node == variable.node && number >= plan.domain.size())
      return AffineIndex::variable(number);
  plan.variables.push_back(std::move(variable));
  return AffineIndex::variable(plan.variables.size() - 1);
}

unsigned KernelPlanner::getInput(Value value) {
  auto *it = llvm::find(plan.inputs, value);
  if (it == plan.inputs.end()) {
    plan.inputs.push_back(value);
    return plan.inputs.size() - 1;
  }
  return it - plan.inputs.begin();
}

FailureOr<unsigned> KernelPlanner::evaluate(Value value,
                                            const AffineIndex &index) {
  for (auto &[known, node] : memo[value])
    if (known == index)
      return node;
  if (plan.nodes.size() >= kMaxNodes || plan.variables.size() >= kMaxVariables)
    return fail("too many elements are needed at different positions");

  auto compute = [&]() -> FailureOr<unsigned> {
    Operation *op = value.getDefiningOp();
    SplatElementsAttr splat;
    if (op && matchPattern(op, m_Constant(&splat))) {
      KernelNode node{KernelNode::Constant, value};
      node.constant = cast<TypedAttr>(splat.getSplatValue<Attribute>());
      return addNode(node);
    }
    if (contraction && value == contraction->c.base)
      return evaluateDot(index);
    if (operandSum && value == operandSum.getResult())
      return evaluateOperandSum(index);
    if (!op || !isInside(op)) {
      KernelNode node{KernelNode::Load, value, index};
      node.input = getInput(value);
      return addNode(node);
    }
    if (KernelRule rule = getKernelRule(op))
      return rule(*this, op, index);
    return fail("a kernel cannot compute '" + op->getName().getStringRef() +
                "'");
  };
  FailureOr<unsigned> node = compute();
  if (succeeded(node))
    memo[value].push_back({index, *node});
  return node;
}

FailureOr<KernelPlanner::Indices>
KernelPlanner::getDims(const AffineIndex &index, ArrayRef<int64_t> shape) {
  auto sizeOfVariable = [&](unsigned v) { return plan.variables[v].size; };
  auto dims = unflatten(index, shape, sizeOfVariable, split);
  if (failed(dims) && !split)
    return fail("no common factors of the shapes on both sides of a reshape");
  return dims;
}

KernelPlanner::Window KernelPlanner::getWindow(const AffineIndex &index,
                                               int64_t low, int64_t step,
                                               int64_t size) {
  auto sizeOfVariable = [&](unsigned v) { return plan.variables[v].size; };
  int64_t largest = index.offset;
  for (AffineIndex::Term term : index.terms)
    largest += term.coefficient * (sizeOfVariable(term.variable) - 1);
  int64_t smallest = index.offset;
  if (size == 0 || largest < low || smallest > low + (size - 1) * step)
    return {{}, {}, /*isEmpty=*/true};
  AffineIndex moved = index + AffineIndex::constant(-low);
  if (step == 1 && smallest >= low && largest < low + size)
    return {{}, moved};
  if (step != 1) {
    Guard guard{moved, step, size};
    return {guard, addVariable({KernelVariable::Derived, size, moved, step})};
  }

  // Terms that never cross the window's borders stay out of the guard: the
  // borders, the offset and all larger terms are multiples of their extent.
  SmallVector<AffineIndex::Term> terms(index.terms.begin(), index.terms.end());
  llvm::sort(terms,
             [](auto a, auto b) { return a.coefficient < b.coefficient; });
  AffineIndex inner, outer = moved;
  int64_t multiple = 1, extent = 0;
  for (size_t i = 0; i < terms.size(); ++i) {
    AffineIndex candidate;
    extent += terms[i].coefficient * (sizeOfVariable(terms[i].variable) - 1);
    for (size_t j = 0; j <= i; ++j)
      candidate +=
          AffineIndex::variable(terms[j].variable) * terms[j].coefficient;
    int64_t divisor = std::gcd(size, moved.offset);
    for (size_t j = i + 1; j < terms.size(); ++j)
      divisor = std::gcd(divisor, terms[j].coefficient);
    if (extent >= divisor)
      continue;
    inner = candidate;
    outer = moved + candidate * -1;
    multiple = divisor;
  }
  outer.offset /= multiple;
  for (AffineIndex::Term &term : outer.terms)
    term.coefficient /= multiple;
  Guard guard{outer, 1, size / multiple};
  AffineIndex quotient = addVariable(
      {KernelVariable::Derived, size / multiple, outer, /*step=*/1});
  return {guard, quotient * multiple + inner};
}

LogicalResult KernelPlanner::alignTo(const AffineIndex &index, int64_t inner) {
  // Shorter pieces would cost more in short vectors than they save in guards.
  constexpr int64_t kShortest = 16;
  if (inner < kShortest || index.offset != 0 || index.terms.size() != 1 ||
      index.terms[0].coefficient != 1)
    return success();
  unsigned variable = index.terms[0].variable;
  int64_t size = plan.variables[variable].size;
  if (variable >= plan.domain.size() || size <= inner || size % inner != 0)
    return success();
  split = {variable, inner};
  return failure();
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

void KernelPlanner::startPlan(ArrayRef<Value> inputs) {
  plan = KernelPlan();
  plan.inputs.assign(inputs.begin(), inputs.end());
  memo.clear();
  split.reset();
  if (whyNot)
    whyNot->clear();
  for (DomainEntry entry : domain) {
    plan.domain.push_back(plan.variables.size());
    plan.variables.push_back({entry.kind, entry.size});
  }
}

LogicalResult KernelPlanner::planOutput(Value output) {
  int64_t rows = plan.getNumPoints(KernelVariable::Parallel);
  int64_t all = rows * plan.getNumPoints(KernelVariable::Reduced);
  int64_t size = sizeOf(output);
  bool isFull = size == all;
  bool isSum = !isFull && operandSum && size == sizeOf(operandSum.getResult());
  if (!isFull && !isSum && size != rows)
    return fail("found an output of " + Twine(size) + " elements, expected " +
                Twine(all) + (rows == all ? Twine() : " or " + Twine(rows)));
  AffineIndex index = isSum    ? getRolePosition(getSumRole())
                      : isFull ? getPosition([](unsigned) { return true; })
                               : getDomainPosition(KernelVariable::Parallel);
  FailureOr<unsigned> node = evaluate(output, index);
  if (failed(node))
    return failure();
  plan.outputs.push_back(
      {output, *node, index, isFull, plan.nodes[*node].phase});
  return success();
}

LogicalResult KernelPlanner::planScatter(ScatterAddOp op) {
  ScatterPlan result;
  result.op = op;
  result.numRows = shapeOf(op.getInit()).front();
  result.numPoints = sizeOf(op.getIndices());
  result.numColumns = llvm::product_of(shapeOf(op.getInit()).drop_front());
  unsigned next = 0;
  auto take = [&](int64_t size, int &variable) {
    variable = size == 1 ? -1 : static_cast<int>(next++);
    return variable < 0 ? AffineIndex() : AffineIndex::variable(variable);
  };
  AffineIndex row = take(result.numRows, result.rowVariable);
  AffineIndex point = take(result.numPoints, result.pointVariable);
  AffineIndex column = take(result.numColumns, result.columnVariable);

  auto init = evaluate(op.getInit(), row * result.numColumns + column);
  auto indices = evaluate(op.getIndices(), point);
  auto updates = evaluate(op.getUpdates(), point * result.numColumns + column);
  if (failed(init) || failed(indices) || failed(updates))
    return failure();
  result.initNode = *init;
  result.indicesNode = *indices;
  result.updatesNode = *updates;
  plan.scatter = result;
  plan.hero = Hero::Scatter;
  plan.outputs.push_back({op.getResult(), *init,
                          row * result.numColumns + column, /*isFull=*/false,
                          /*phase=*/0});
  return success();
}

LogicalResult KernelPlanner::run(ArrayRef<Value> inputs,
                                 ArrayRef<Value> outputs) {
  if (outputs.empty())
    return fail("no outputs");
  if (failed(chooseDomain(outputs)))
    return failure();
  while (true) {
    startPlan(inputs);
    if (domain.size() > kMaxVariables)
      return fail("too many dimensions");
    if (contraction && failed(planContraction()))
      return failure();
    LogicalResult result = scatter ? planScatter(scatter) : success();
    if (!scatter)
      for (Value output : outputs)
        if (failed(result = planOutput(output)))
          break;
    if (succeeded(result))
      return contraction ? checkContraction() : success();
    if (!split)
      return failure();
    if (split->variable >= domain.size() || scatter)
      return fail("no common factors of the shapes on both sides of a reshape");
    DomainEntry &entry = domain[split->variable];
    entry.size /= split->inner;
    DomainEntry inner{split->inner, entry.kind, entry.role};
    domain.insert(domain.begin() + split->variable + 1, inner);
  }
}
