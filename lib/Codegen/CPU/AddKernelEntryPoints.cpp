//===- AddKernelEntryPoints.cpp - The signature the runtime calls ---------===//

#include "graph/Codegen/CPU/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace graph {
#define GEN_PASS_DEF_ADDKERNELENTRYPOINTS
#include "graph/Codegen/CPU/Passes.h.inc"
} // namespace graph

using namespace mlir;

/// Adds `void name(ptr buffers, i64 workgroup)`, which calls `body`.
static void addEntryPoint(StringRef name, LLVM::LLVMFuncOp body) {
  ImplicitLocOpBuilder builder(body.getLoc(), body);
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                  {pointer, builder.getI64Type()});
  auto entry = LLVM::LLVMFuncOp::create(builder, name, type);
  Block *block = entry.addEntryBlock(builder);
  builder.setInsertionPointToStart(block);
  SmallVector<Value> arguments;
  for (unsigned i = 0; i + 1 < body.getNumArguments(); ++i) {
    Value address =
        LLVM::GEPOp::create(builder, pointer, pointer, block->getArgument(0),
                            ArrayRef<LLVM::GEPArg>{i});
    arguments.push_back(LLVM::LoadOp::create(builder, pointer, address));
  }
  arguments.push_back(block->getArgument(1));
  LLVM::CallOp::create(builder, body, arguments);
  LLVM::ReturnOp::create(builder, ValueRange());
}

namespace {
struct AddKernelEntryPoints
    : graph::impl::AddKernelEntryPointsBase<AddKernelEntryPoints> {
  void runOnOperation() override {
    SmallVector<LLVM::LLVMFuncOp> kernels;
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      if (!function.isExternal() && !function.isPrivate() &&
          function.getLinkage() == LLVM::Linkage::External)
        kernels.push_back(function);
    for (LLVM::LLVMFuncOp kernel : kernels) {
      std::string name = kernel.getSymName().str();
      kernel.setSymName(name + ".body");
      kernel.setLinkage(LLVM::Linkage::Internal);
      addEntryPoint(name, kernel);
    }
  }
};
} // namespace
