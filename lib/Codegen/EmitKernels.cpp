//===- EmitKernels.cpp - Emit a kernel function for every fusion ----------===//

#include "graph/Codegen/KernelEmitter.h"
#include "graph/Codegen/Passes.h"
#include "graph/Dialect/Exec/IR/ExecOps.h"
#include "graph/Planning/TargetOption.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace graph {
#define GEN_PASS_DEF_GRAPHEMITKERNELS
#include "graph/Codegen/Passes.h.inc"
} // namespace graph

using namespace mlir;
using namespace graph;

namespace {
struct EmitKernels : graph::impl::GraphEmitKernelsBase<EmitKernels> {
  using GraphEmitKernelsBase::GraphEmitKernelsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<KernelTarget> target = parseTargetOption(module, this->target);
    if (failed(target))
      return signalPassFailure();
    SmallVector<FusionOp> fusions;
    module.walk([&](FusionOp fusion) { fusions.push_back(fusion); });

    auto builder = OpBuilder::atBlockEnd(module.getBody());
    Operation *kernels = createKernelModule(builder, module.getLoc(), *target);
    for (auto [number, fusion] : llvm::enumerate(fusions)) {
      FailureOr<EmittedKernel> kernel = emitKernel(
          fusion, *target, kernels, "kernel_" + std::to_string(number));
      if (failed(kernel))
        return signalPassFailure();
      kernel->function->setAttr(
          "workgroups", builder.getI64IntegerAttr(kernel->numWorkgroups));
    }
  }
};
} // namespace
