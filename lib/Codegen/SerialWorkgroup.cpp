//===- SerialWorkgroup.cpp - A workgroup of one CPU thread ----------------===//

#include "Arithmetic.h"
#include "Workgroup.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace graph;

/// Stack buffers begin at a cache line.
static constexpr int64_t kStackAlignment = 64;

namespace {
class SerialWorkgroup : public Workgroup {
public:
  SerialWorkgroup(ImplicitLocOpBuilder &b, StringRef name, TypeRange types)
      : Workgroup(b, {}) {
    SmallVector<Type> arguments(types);
    arguments.push_back(b.getIndexType());
    auto op = func::FuncOp::create(b, name, b.getFunctionType(arguments, {}));
    function = op;
    b.setInsertionPointToStart(op.addEntryBlock());
    llvm::append_range(buffers, op.getArguments().drop_back());
    number = op.getArguments().back();
    thread = team = createIndex(b, 0);
  }

  void close() override { func::ReturnOp::create(b); }
  bool needsAlignment() const override { return false; }

  Value allocate(Type element, int64_t count) override {
    return memref::AllocaOp::create(b, MemRefType::get({count}, element),
                                    b.getI64IntegerAttr(kStackAlignment));
  }
  void synchronize() override {}
  Value combine(ReduceKind, Value value) override { return value; }
  Value combineTeams(ReduceKind, Value value) override { return value; }

  void forEachSelected(int64_t size, Condition isSelected, Body body) override {
    auto loop = scf::ForOp::create(b, createIndex(b, 0), createIndex(b, size),
                                   createIndex(b, 1));
    OpBuilder::InsertionGuard insertion(b);
    b.setInsertionPoint(loop.getBody()->getTerminator());
    Value i = loop.getInductionVar();
    auto branch = scf::IfOp::create(b, isSelected(i), /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
    body(i);
  }
};
} // namespace

std::unique_ptr<Workgroup> graph::openSerialWorkgroup(ImplicitLocOpBuilder &b,
                                                      StringRef name,
                                                      TypeRange buffers) {
  return std::make_unique<SerialWorkgroup>(b, name, buffers);
}

std::unique_ptr<Workgroup> Workgroup::open(ImplicitLocOpBuilder &b,
                                           StringRef name, TypeRange buffers,
                                           const KernelTarget &target,
                                           ThreadShape shape) {
  if (target.isCUDA())
    return openGPUWorkgroup(b, name, buffers, target, shape);
  assert(shape.getNumThreads() == 1 && "CPU kernels have one thread");
  return openSerialWorkgroup(b, name, buffers);
}
