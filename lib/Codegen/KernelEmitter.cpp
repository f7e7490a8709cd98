//===- KernelEmitter.cpp - From a fusion to a kernel function -------------===//

#include "graph/Codegen/KernelEmitter.h"

#include "ElementEmitter.h"
#include "Schedules/Schedules.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace graph;

/// One dimension, whatever the shape: positions in kernels are row-major.
static MemRefType getBufferType(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return MemRefType::get({type.getNumElements()},
                         getStorageType(type.getElementType()));
}

/// In the order of Hero.
static constexpr Schedule kSchedules[] = {emitPointwise, emitRowReduction,
                                          emitColumnReduction, emitTranspose,
                                          emitScatter};

FailureOr<EmittedKernel> graph::emitKernel(FusionOp fusion,
                                           const KernelTarget &target,
                                           ModuleOp kernels, StringRef name) {
  std::string whyNot;
  FailureOr<KernelPlan> plan = planKernel(fusion, target, &whyNot);
  if (failed(plan))
    return fusion.emitOpError("is not one kernel: ") << whyNot;

  ImplicitLocOpBuilder b(fusion.getLoc(), fusion.getContext());
  b.setInsertionPointToEnd(kernels.getBody());
  SmallVector<Type> types;
  for (Value input : plan->inputs)
    types.push_back(getBufferType(input));
  for (const KernelOutput &output : plan->outputs)
    types.push_back(getBufferType(output.value));
  types.push_back(b.getIndexType());
  auto function = func::FuncOp::create(b, name, b.getFunctionType(types, {}));
  b.setInsertionPointToStart(function.addEntryBlock());

  SmallVector<Value> buffers(function.getArguments().drop_back());
  ArrayRef<Value> all = buffers;
  size_t numInputs = plan->inputs.size();
  ElementEmitter emitter(b, *plan, all.take_front(numInputs),
                         all.drop_front(numInputs));
  kSchedules[static_cast<size_t>(plan->hero)](emitter,
                                              function.getArguments().back());
  func::ReturnOp::create(b);
  return EmittedKernel{function, plan->partition.getNumWorkgroups(),
                       plan->inPlace, plan->cost};
}
