//===- KernelEmitter.cpp - From a fusion to a kernel function -------------===//

#include "graph/Codegen/KernelEmitter.h"

#include "ElementEmitter.h"
#include "Schedules/Schedules.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
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
static constexpr Schedule kSchedules[] = {
    emitPointwise, emitRowReduction, emitColumnReduction, emitTranspose,
    emitScatter,   emitContraction,  emitAttention};

/// Whether all positions are far below 2^31: far, since the ends of chunks and
/// the positions before guards pass them a little.
static bool isNarrow(const KernelPlan &plan) {
  // Products on tensor cores compute with pointers, and keep what is short in
  // i32.
  if (plan.contraction || (plan.attention && plan.attention->usesTensorCores))
    return false;
  constexpr double kLimit = 1 << 30;
  double points = 1;
  for (unsigned variable : plan.domain)
    points *= plan.variables[variable].size;
  auto isSmall = [&](Value value) {
    return cast<RankedTensorType>(value.getType()).getNumElements() < kLimit;
  };
  return points < kLimit && llvm::all_of(plan.inputs, isSmall) &&
         llvm::all_of(
             plan.outputs,
             [&](const KernelOutput &output) {
               return isSmall(output.value);
             }) &&
         llvm::all_of(
             plan.nodes,
             [&](const KernelNode &node) { return isSmall(node.value); });
}

/// Tells LLVM what it cannot see: that buffers overlap only as `inPlace` says,
/// and that inputs are not written, so that a GPU reads them through the
/// read-only cache.
static void annotateBuffers(FunctionOpInterface function,
                            const KernelPlan &plan) {
  MLIRContext *context = function->getContext();
  unsigned numInputs = plan.inputs.size();
  auto isInPlace = [&](unsigned argument) {
    return llvm::any_of(plan.inPlace, [&](InPlacePair pair) {
      return pair.input == argument || pair.output + numInputs == argument;
    });
  };
  for (unsigned i = 0; i < numInputs + plan.outputs.size(); ++i) {
    if (isInPlace(i))
      continue;
    function.setArgAttr(i, "llvm.noalias", UnitAttr::get(context));
    if (i < numInputs)
      function.setArgAttr(i, "llvm.readonly", UnitAttr::get(context));
  }
}

static std::optional<LibraryProduct> getProduct(const KernelPlan &plan) {
  std::optional<DotEpilogue> epilogue = matchDotEpilogue(plan);
  if (!epilogue)
    return std::nullopt;
  const ContractionPlan &contraction = *plan.contraction;
  LibraryProduct product = {contraction.form, contraction.lhs, contraction.rhs,
                            *epilogue};
  for (MatrixView *view : {&product.form.a, &product.form.b, &product.form.c})
    view->base = Value();
  return product;
}

FailureOr<EmittedKernel> graph::emitKernel(FusionOp fusion,
                                           const KernelTarget &target,
                                           Operation *kernels, StringRef name) {
  std::string whyNot;
  FailureOr<KernelPlan> plan = planKernel(fusion, target, &whyNot);
  if (failed(plan))
    return fusion.emitOpError("is not one kernel: ") << whyNot;

  int64_t numWorkgroups = plan->partition.getNumWorkgroups();
  if (target.isCUDA() && numWorkgroups > std::numeric_limits<int32_t>::max())
    return fusion.emitOpError("needs ")
           << numWorkgroups << " blocks of threads, expected at most "
           << std::numeric_limits<int32_t>::max();

  ImplicitLocOpBuilder b(fusion.getLoc(), fusion.getContext());
  b.setInsertionPointToEnd(&kernels->getRegion(0).front());
  SmallVector<Type> types;
  for (Value input : plan->inputs)
    types.push_back(getBufferType(input));
  for (const KernelOutput &output : plan->outputs)
    types.push_back(getBufferType(output.value));
  std::unique_ptr<Workgroup> workgroup =
      Workgroup::open(b, name, types, target, plan->threads);
  ElementEmitter emitter(b, *plan, *workgroup);
  kSchedules[static_cast<size_t>(plan->hero)](emitter);
  workgroup->close();
  if (target.isCUDA())
    annotateBuffers(workgroup->getFunction(), *plan);
  if (target.isCUDA() && isNarrow(*plan))
    workgroup->getFunction()->setAttr(kIndexBitsAttr, b.getI64IntegerAttr(32));
  return EmittedKernel{workgroup->getFunction(), numWorkgroups, plan->inPlace,
                       plan->cost, getProduct(*plan)};
}

Operation *graph::createKernelModule(OpBuilder &builder, Location location,
                                     const KernelTarget &target) {
  if (target.isCUDA())
    return gpu::GPUModuleOp::create(builder, location, "kernels");
  return ModuleOp::create(builder, location, "kernels");
}
