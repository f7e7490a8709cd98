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

  void emit(Value workgroup) {
    IndexRange columns = getWorkgroupRanges(b, plan.partition, workgroup).lane;
    emitCounter(scatter.rowVariable, scatter.numRows, [&](Value) {
      emitColumns(columns, [&] {
        emitter.store(0, emitter.evaluateLanes(scatter.initNode));
      });
    });
    if (scatter.numRows > 0)
      emitCounter(scatter.pointVariable, scatter.numPoints,
                  [&](Value) { emitPoint(columns); });
  }

private:
  /// Loops over a variable; a variable of size 1 is none.
  void emitCounter(int variable, int64_t size, function_ref<void(Value)> body) {
    emitFor(emitter, createIndex(b, 0), createIndex(b, size), 1, [&](Value i) {
      if (variable >= 0)
        emitter.state.variables[variable] = i;
      body(i);
    });
  }

  void emitColumns(IndexRange columns, function_ref<void()> body) {
    if (!plan.lane)
      return body();
    emitLaneLoops(emitter, columns, /*unroll=*/1, [&](unsigned) { body(); });
  }

  void emitPoint(IndexRange columns) {
    Value index = emitter.evaluate(scatter.indicesNode);
    Type type = index.getType();
    Value zero = createInteger(b, type, 0);
    Value last = createInteger(b, type, scatter.numRows - 1);
    auto add = [&](Value row) {
      row = arith::IndexCastOp::create(b, b.getIndexType(), row);
      if (scatter.rowVariable >= 0)
        emitter.state.variables[scatter.rowVariable] = row;
      emitColumns(columns, [&] {
        Value update = emitter.evaluateLanes(scatter.updatesNode);
        Value sum = combine(b, ReduceKind::sum, emitter.loadOutput(0), update);
        Type element = getElementTypeOrSelf(plan.outputs[0].value);
        emitter.store(0, roundTo(b, sum, element));
      });
    };
    if (ScatterAddOp(scatter.op).getMode() == IndexMode::clip) {
      Value row = arith::MaxSIOp::create(b, index, zero);
      return add(arith::MinSIOp::create(b, row, last));
    }
    Value inRange = arith::AndIOp::create(
        b, arith::CmpIOp::create(b, arith::CmpIPredicate::sge, index, zero),
        arith::CmpIOp::create(b, arith::CmpIPredicate::sle, index, last));
    auto branch = scf::IfOp::create(b, inRange, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard insertion(b);
    ElementEmitter::Scope scope(emitter);
    b.setInsertionPointToStart(branch.thenBlock());
    add(index);
  }

  ElementEmitter &emitter;
  ImplicitLocOpBuilder &b;
  const KernelPlan &plan;
  const ScatterPlan &scatter;
};
} // namespace

void graph::emitScatter(ElementEmitter &emitter, Value workgroup) {
  ScatterEmitter(emitter).emit(workgroup);
}
