//===- Scatter.cpp - Rows added into a table ------------------------------===//

#include "Schedules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace graph;

namespace {
class ScatterEmitter {
public:
  explicit ScatterEmitter(ElementEmitter &emitter)
      : emitter(emitter), b(emitter.getBuilder()), plan(emitter.getPlan()),
        scatter(*plan.scatter) {}

  void emit() {
    WorkgroupRanges ranges = getWorkgroupRanges(emitter);
    columns = ranges.lane;
    rows = ranges.outer;
    emitFor(emitter, rows.begin, rows.end, 1, [&](Value row) {
      setVariable(scatter.rowVariable, row);
      emitColumns(
          [&] { emitter.store(0, emitter.evaluateLanes(scatter.initNode)); });
    });
    if (scatter.numRows > 0)
      emitter.getWorkgroup().forEachSelected(
          scatter.numPoints,
          [&](Value point) {
            ElementEmitter::Scope scope(emitter);
            return isInRows(evaluateRow(point));
          },
          [&](Value point) {
            ElementEmitter::Scope scope(emitter);
            emitPoint(point);
          });
  }

private:
  /// A variable of size 1 is none.
  void setVariable(int variable, Value value) {
    if (variable >= 0)
      emitter.state.variables[variable] = value;
  }

  void emitColumns(function_ref<void()> body) {
    if (plan.lane)
      return emitLaneLoops(emitter, columns, /*unroll=*/1,
                           [&](unsigned) { body(); });
    Workgroup &workgroup = emitter.getWorkgroup();
    if (workgroup.getShape().teamSize == 1)
      return body();
    // Threads do not share an element: another's sum might come between.
    Value isFirst = arith::CmpIOp::create(
        b, arith::CmpIPredicate::eq, workgroup.getThread(), createIndex(b, 0));
    auto branch = scf::IfOp::create(b, isFirst, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard insertion(b);
    b.setInsertionPointToStart(branch.thenBlock());
    ElementEmitter::Scope scope(emitter);
    body();
  }

  /// The row of a point as an integer.
  Value evaluateRow(Value point) {
    setVariable(scatter.pointVariable, point);
    Value row = emitter.evaluate(scatter.indicesNode);
    if (ScatterAddOp(scatter.op).getMode() != IndexMode::clip)
      return row;
    Type type = row.getType();
    row = arith::MaxSIOp::create(b, row, createInteger(b, type, 0));
    return arith::MinSIOp::create(b, row,
                                  createInteger(b, type, scatter.numRows - 1));
  }

  /// Whether this workgroup has the row.
  Value isInRows(Value row) {
    Value index = arith::IndexCastOp::create(b, b.getIndexType(), row);
    return arith::AndIOp::create(
        b,
        arith::CmpIOp::create(b, arith::CmpIPredicate::sge, index, rows.begin),
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, index, rows.end));
  }

  void emitPoint(Value point) {
    Value row = evaluateRow(point);
    setVariable(scatter.rowVariable,
                arith::IndexCastOp::create(b, b.getIndexType(), row));
    emitColumns([&] {
      Value update = emitter.evaluateLanes(scatter.updatesNode);
      Value sum = combine(b, ReduceKind::sum, emitter.loadOutput(0), update);
      Type element = getElementTypeOrSelf(plan.outputs[0].value);
      emitter.store(0, roundTo(b, sum, element));
    });
  }

  ElementEmitter &emitter;
  ImplicitLocOpBuilder &b;
  const KernelPlan &plan;
  const ScatterPlan &scatter;
  IndexRange columns, rows;
};
} // namespace

void graph::emitScatter(ElementEmitter &emitter) {
  ScatterEmitter(emitter).emit();
}
