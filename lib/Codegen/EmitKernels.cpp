//===- EmitKernels.cpp - Emit a kernel function for every fusion ----------===//

#include "graph/Codegen/KernelEmitter.h"
#include "graph/Codegen/Passes.h"

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
    KernelTarget target;
    target.vectorBits = vectorBits;
    SmallVector<FusionOp> fusions;
    module.walk([&](FusionOp fusion) { fusions.push_back(fusion); });

    auto builder = OpBuilder::atBlockEnd(module.getBody());
    auto kernels = ModuleOp::create(builder, module.getLoc(), "kernels");
    for (auto [number, fusion] : llvm::enumerate(fusions)) {
      FailureOr<EmittedKernel> kernel = emitKernel(
          fusion, target, kernels, "kernel_" + std::to_string(number));
      if (failed(kernel))
        return signalPassFailure();
      kernel->function->setAttr(
          "workgroups", builder.getI64IntegerAttr(kernel->numWorkgroups));
    }
  }
};
} // namespace
