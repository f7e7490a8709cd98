//===- ElementEmitter.cpp - Emits the nodes of a kernel plan --------------===//

#include "ElementEmitter.h"

#include "graph/Dialect/Graph/IR/ScalarConversions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace graph;

ElementEmitter::ElementEmitter(ImplicitLocOpBuilder &b, const KernelPlan &plan,
                               Workgroup &workgroup)
    : b(b), plan(plan), workgroup(workgroup) {
  ArrayRef<Value> all = workgroup.getBuffers();
  inputs.assign(all.take_front(plan.inputs.size()));
  outputs.assign(all.drop_front(plan.inputs.size()));
}

Value ElementEmitter::evaluate(unsigned number) {
  if (Value known = state.nodes.lookup(number))
    return known;
  Value value = emitNode(number);
  state.nodes[number] = value;
  return value;
}

void ElementEmitter::hoist(ArrayRef<unsigned> roots, VariableSet known) {
  walkNodes(
      plan, roots, [&](unsigned node) { return buffers.contains(node); },
      [&](unsigned number, bool underGuard) {
        const KernelNode &node = plan.nodes[number];
        bool isOpen = node.kind == KernelNode::Reduce ||
                      node.kind == KernelNode::Dot ||
                      node.kind == KernelNode::OperandSum;
        if (!underGuard && !isOpen && !buffers.contains(number) &&
            (node.variables & ~known) == 0)
          evaluate(number);
      });
}

Value ElementEmitter::emitNode(unsigned number) {
  const KernelNode &node = plan.nodes[number];
  if (auto it = buffers.find(number); it != buffers.end())
    return load(it->second, state.lanes > 1,
                getComputeType(node.getElementType()));
  switch (node.kind) {
  case KernelNode::Load:
    return emitLoad(node, number);
  case KernelNode::Constant:
    // Narrow floating-point constants are held in the compute type.
    if (auto attr = dyn_cast<FloatAttr>(node.constant)) {
      Type type = getComputeType(attr.getType());
      return arith::ConstantOp::create(
          b, b.getFloatAttr(type, attr.getValueAsDouble()));
    }
    return arith::ConstantOp::create(b, node.constant);
  case KernelNode::Position:
    return emitPositionNode(node);
  case KernelNode::Random:
    return emitRandomNode(node);
  case KernelNode::Elementwise:
    return emitElementwise(node);
  case KernelNode::Guarded:
    return emitGuarded(node, 0);
  case KernelNode::Reduce:
  case KernelNode::Dot:
  case KernelNode::OperandSum:
    break;
  }
  llvm_unreachable("the schedule knows reductions and dots when it needs them");
}

Value ElementEmitter::emitElementwise(const KernelNode &node) {
  unsigned lanes = isVector(node) ? state.lanes : 1;
  SmallVector<Value> operands;
  for (unsigned operand : node.operands)
    operands.push_back(splat(b, evaluate(operand), lanes));
  Type element = node.getElementType();
  Type type = getLanesType(getComputeType(element), lanes);
  auto body = cast<ScalarBodyOpInterface>(node.value.getDefiningOp());
  return roundTo(b, body.buildScalarBody(b, operands, type), element);
}

Value ElementEmitter::emitPositionNode(const KernelNode &node) {
  Type element = node.getElementType();
  unsigned lanes = isVector(node) ? state.lanes : 1;
  Value position;
  if (lanes == 1)
    position =
        arith::IndexCastOp::create(b, b.getI64Type(), getPosition(node.index));
  else
    position = getLanePositions(node.index);
  Type type = getLanesType(getComputeType(element), lanes);
  if (auto floating = dyn_cast<FloatType>(element))
    return roundTo(b, buildIntToFloat(b, position, floating), element);
  if (element.getIntOrFloatBitWidth() == 64)
    return position;
  return arith::TruncIOp::create(b, type, position);
}

Value ElementEmitter::emitRandomNode(const KernelNode &node) {
  Value key = evaluate(node.operands[0]);
  Value counter = isVector(node)
                      ? getLanePositions(node.index)
                      : Value(arith::IndexCastOp::create(
                            b, b.getI64Type(), getPosition(node.index)));
  return emitRandom(b, node.value.getDefiningOp(), key, counter);
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

bool ElementEmitter::isLaneGuard(const Guard &guard) const {
  if (state.lanes == 1 || !plan.lane)
    return false;
  if (guard.node)
    return isVector(plan.nodes[*guard.node]);
  return getLaneStep(plan, guard.index, *plan.lane) != 0;
}

Value ElementEmitter::emitGuard(const Guard &guard) {
  bool isLane = isLaneGuard(guard);
  Value value;
  if (guard.node)
    value = evaluate(*guard.node);
  else
    value = isLane ? getLanePositions(guard.index)
                   : Value(arith::IndexCastOp::create(
                         b, b.getI64Type(), getPosition(guard.index)));
  Type type = value.getType();
  auto compare = [&](arith::CmpIPredicate predicate, Value lhs,
                     int64_t rhs) -> Value {
    return arith::CmpIOp::create(b, predicate, lhs,
                                 createInteger(b, type, rhs));
  };
  // A negative number is a large one without sign.
  int64_t extent = (guard.size - 1) * guard.step + 1;
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  Value holds = width < 64 && extent > llvm::maxIntN(width)
                    ? compare(arith::CmpIPredicate::sge, value, 0)
                    : compare(arith::CmpIPredicate::ult, value, extent);
  if (guard.step == 1)
    return holds;
  Value rest =
      arith::RemSIOp::create(b, value, createInteger(b, type, guard.step));
  return arith::AndIOp::create(b, holds,
                               compare(arith::CmpIPredicate::eq, rest, 0));
}

Value ElementEmitter::emitGuarded(const KernelNode &node, size_t number) {
  unsigned lanes = isVector(node) ? state.lanes : 1;
  Type type = getLanesType(getComputeType(node.getElementType()), lanes);
  if (number == node.alternatives.size()) {
    TypedAttr constant = node.constant;
    if (auto attr = dyn_cast<FloatAttr>(constant))
      constant =
          b.getFloatAttr(getElementTypeOrSelf(type), attr.getValueAsDouble());
    return createConstant(b, type, constant);
  }
  const Alternative &alternative = node.alternatives[number];
  if (alternative.guards.empty())
    return splat(b, evaluate(alternative.node), lanes);

  Value scalar, vector;
  for (const Guard &guard : alternative.guards) {
    Value holds = emitGuard(guard);
    Value &all = isLaneGuard(guard) ? vector : scalar;
    all = all ? Value(arith::AndIOp::create(b, all, holds)) : holds;
  }
  // With a condition per lane everything is computed (positions are moved into
  // range), then selected. A condition that all lanes share is a branch.
  auto emitInside = [&]() -> Value {
    Value inside = splat(b, evaluate(alternative.node), lanes);
    if (!vector)
      return inside;
    return arith::SelectOp::create(b, vector, inside,
                                   emitGuarded(node, number + 1));
  };
  if (!scalar)
    return emitInside();
  auto branch = scf::IfOp::create(b, TypeRange{type}, scalar,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard insertion(b);
  // What a branch computes is not seen by the other rows of a tile.
  llvm::SaveAndRestore<Tile *> noTile(tile, nullptr);
  {
    Scope scope(*this);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, emitInside());
  }
  {
    Scope scope(*this);
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, emitGuarded(node, number + 1));
  }
  return branch.getResult(0);
}
