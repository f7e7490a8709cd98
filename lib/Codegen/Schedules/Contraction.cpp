//===- Contraction.cpp - Matrix products and what follows them ------------===//

#include "../CUDA/Contraction.h"
#include "Schedules.h"

#include "graph/Dialect/Exec/IR/ExecOps.h"
#include "graph/Planning/OperandTensorMap.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace graph;

/// Sets the variables, which count together in row-major order, to `position`.
static void setVariables(ElementEmitter &emitter, ArrayRef<unsigned> variables,
                         cuda::Int position) {
  for (auto [i, variable] : llvm::enumerate(llvm::reverse(variables))) {
    int64_t size = emitter.getPlan().variables[variable].size;
    bool isOutermost = i + 1 == variables.size();
    emitter.state.variables[variable] =
        (isOutermost ? position : position % size).toIndex();
    position = position / size;
  }
}

/// What the runtime encodes for the kernel: element counts become bytes.
static exec::TensorMapAttr getAttribute(OpBuilder &b,
                                        const OperandTensorMap &map,
                                        unsigned buffer, Type element) {
  SmallVector<int64_t> sizes, strides, box;
  for (const OperandTensorMap::Dimension &dimension : map.dimensions) {
    sizes.push_back(dimension.size);
    strides.push_back(dimension.stride * map.elementBytes);
    box.push_back(dimension.box);
  }
  return exec::TensorMapAttr::get(
      b.getContext(), buffer, map.offset * map.elementBytes, element,
      b.getDenseI64ArrayAttr(sizes),
      b.getDenseI64ArrayAttr(ArrayRef(strides).drop_front()),
      b.getDenseI64ArrayAttr(box), kTensorMapRowBytes);
}

/// Adds parameters for the tensor maps of a and b behind the buffers.
static void addTensorMaps(Workgroup &workgroup, OpBuilder &b,
                          const ContractionPlan &contraction, Type element,
                          cuda::ContractionOperands &operands) {
  FunctionOpInterface function = workgroup.getFunction();
  auto add = [&]() -> Value {
    unsigned position = function.getNumArguments();
    LogicalResult added = function.insertArgument(
        position, LLVM::LLVMPointerType::get(b.getContext()), DictionaryAttr(),
        function.getLoc());
    assert(succeeded(added) && "kernels take any parameters");
    (void)added;
    return function.getArgument(position);
  };
  operands.lhsMap = add();
  operands.rhsMap = add();
  const ContractionTiling &tiling = contraction.tiling;
  function->setAttr(
      exec::kTensorMapsAttr,
      b.getArrayAttr(
          {getAttribute(b, *getLhsTensorMap(contraction.form, tiling),
                        contraction.lhs, element),
           getAttribute(b, *getRhsTensorMap(contraction.form, tiling),
                        contraction.rhs, element)}));
}

namespace {
/// Evaluates the elements of an operand that is computed.
class PrologueEmitter : public cuda::ComputedOperand {
public:
  PrologueEmitter(ImplicitLocOpBuilder &b, const OperandPlan &operand,
                  Workgroup &workgroup)
      : operand(operand), emitter(b, operand.plan, workgroup) {
    emitter.state.lanes = operand.plan.numLanes;
    for (auto [number, node] : llvm::enumerate(operand.plan.nodes))
      if (node.kind == KernelNode::Load)
        loads.push_back(number);
  }

  unsigned getWidth() const override { return operand.plan.numLanes; }

  SmallVector<Value> load(const cuda::ElementPosition &position) override {
    ElementEmitter::Scope scope(emitter);
    setPosition(position);
    return llvm::map_to_vector(
        loads, [&](unsigned number) { return emitter.loadStored(number); });
  }

  Value compute(const cuda::ElementPosition &position,
                ArrayRef<Value> loaded) override {
    ElementEmitter::Scope scope(emitter);
    setPosition(position);
    for (auto [number, value] : llvm::zip_equal(loads, loaded))
      emitter.setStored(number, value);
    const KernelOutput &output = operand.plan.outputs[0];
    return toStorage(emitter.getBuilder(), emitter.evaluateLanes(output.node),
                     getElementTypeOrSelf(output.value));
  }

private:
  void setPosition(const cuda::ElementPosition &position) {
    auto set = [&](std::optional<unsigned> variable, cuda::Int value) {
      if (variable)
        emitter.state.variables[*variable] = value.toIndex();
    };
    for (auto [variable, index] :
         llvm::zip_equal(operand.batch, position.batch))
      set(variable, index);
    set(operand.outer, position.outer);
    set(operand.depth, position.depth);
  }

  const OperandPlan &operand;
  ElementEmitter emitter;
  SmallVector<unsigned> loads;
};
} // namespace

void graph::emitContraction(ElementEmitter &emitter) {
  const KernelPlan &plan = emitter.getPlan();
  const ContractionPlan &contraction = *plan.contraction;
  Workgroup &workgroup = emitter.getWorkgroup();
  ImplicitLocOpBuilder &b = emitter.getBuilder();
  workgroup.getFunction()->setAttr(
      exec::kSharedBytesAttr,
      b.getI64IntegerAttr(contraction.tiling.getSharedBytes()));

  Type element = plan.nodes[contraction.node].getElementType();
  ArrayRef<Value> buffers = workgroup.getBuffers();
  cuda::ContractionOperands operands = {
      buffers[contraction.lhs], buffers[contraction.rhs], workgroup.getNumber(),
      workgroup.getThread()};
  if (contraction.tiling.usesTMA)
    addTensorMaps(workgroup, b, contraction, element, operands);
  std::optional<PrologueEmitter> lhsPrologue, rhsPrologue;
  if (contraction.lhsPrologue)
    operands.computedLhs =
        &lhsPrologue.emplace(b, *contraction.lhsPrologue, workgroup);
  if (contraction.rhsPrologue)
    operands.computedRhs =
        &rhsPrologue.emplace(b, *contraction.rhsPrologue, workgroup);
  // The sums of an operand, and what is computed from them.
  auto storeSum = [&](cuda::Int outer, Value sum) {
    ElementEmitter::Scope scope(emitter);
    bool isRhs = contraction.operandSum->isRhs;
    setVariables(emitter, isRhs ? contraction.columns : contraction.rows,
                 outer);
    emitter.state.nodes[contraction.operandSum->node] =
        roundTo(b, sum, element);
    emitOutputs(emitter, /*isFull=*/false);
  };
  std::optional<cuda::OperandSum> operandSum;
  if (contraction.operandSum)
    operandSum = {contraction.operandSum->isRhs, storeSum};
  cuda::emitContraction(
      b, contraction.form, contraction.tiling, element, operands, plan.numLanes,
      [&](const cuda::SumPosition &position, Value sums) {
        ElementEmitter::Scope scope(emitter);
        emitter.state.lanes = plan.numLanes;
        for (auto [variables, index] :
             llvm::zip_equal(contraction.batch, position.batch))
          setVariables(emitter, variables, index);
        setVariables(emitter, contraction.rows, position.row);
        setVariables(emitter, contraction.columns, position.column);
        emitter.state.nodes[contraction.node] = roundTo(b, sums, element);
        emitOutputs(emitter);
      },
      operandSum);
}
