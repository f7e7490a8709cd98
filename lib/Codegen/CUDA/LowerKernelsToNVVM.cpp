//===- LowerKernelsToNVVM.cpp - GPU kernels to the llvm dialect -----------===//

#include "graph/Codegen/CUDA/Passes.h"
#include "graph/Dialect/Exec/IR/ExecOps.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"

namespace graph {
#define GEN_PASS_DEF_LOWERKERNELSTONVVM
#include "graph/Codegen/CUDA/Passes.h.inc"
} // namespace graph

using namespace mlir;

namespace {
struct LowerKernelsToNVVM
    : graph::impl::LowerKernelsToNVVMBase<LowerKernelsToNVVM> {
  using LowerKernelsToNVVMBase::LowerKernelsToNVVMBase;

  void runOnOperation() override {
    if (failed(verifyMath()))
      return signalPassFailure();
    MLIRContext *context = &getContext();
    LowerToLLVMOptions options(context);
    options.overrideIndexBitwidth(indexBits);
    options.useBarePtrCallConv = true;
    LLVMTypeConverter converter(context, options);
    configureGpuToNVVMTypeConverter(converter);

    RewritePatternSet patterns(context);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    index::populateIndexToLLVMConversionPatterns(converter, patterns);
    populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
    populateFuncToLLVMConversionPatterns(converter, patterns);
    populateGpuToNVVMConversionPatterns(converter, patterns);
    populateMathToLLVMConversionPatterns(converter, patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    ub::populateUBToLLVMConversionPatterns(converter, patterns);

    LLVMConversionTarget target(*context);
    target.addLegalDialect<NVVM::NVVMDialect>();
    target.addLegalOp<gpu::GPUModuleOp>();
    if (failed(applyFullConversion(getOperation().getOperation(), target,
                                   std::move(patterns))))
      return signalPassFailure();
    for (auto kernel : getOperation().getOps<LLVM::LLVMFuncOp>())
      passTensorMapsByValue(kernel);
    // Dynamic shared memory is no variable of one byte, but what the launch
    // says; its tiles begin at multiples of eight rows of 128 bytes.
    constexpr int64_t kSharedAlignment = 1024;
    for (auto global : getOperation().getOps<LLVM::GlobalOp>())
      if (auto array = dyn_cast<LLVM::LLVMArrayType>(global.getGlobalType());
          array && array.getNumElements() == 0) {
        global.setLinkage(LLVM::Linkage::External);
        global.setAlignment(kSharedAlignment);
      }
  }

private:
  /// Tensor maps are parameters by value, which the kernel's threads and the
  /// TMA unit read where the launch has put them.
  void passTensorMapsByValue(LLVM::LLVMFuncOp kernel) {
    constexpr int64_t kBytes = 128, kAlignment = 64;
    size_t count = exec::getTensorMaps(kernel).size();
    Builder b(&getContext());
    auto bytes = LLVM::LLVMArrayType::get(b.getI8Type(), kBytes);
    for (size_t i = kernel.getNumArguments() - count;
         i < kernel.getNumArguments(); ++i) {
      kernel.setArgAttr(i, LLVM::LLVMDialect::getByValAttrName(),
                        TypeAttr::get(bytes));
      kernel.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                        b.getI64IntegerAttr(kAlignment));
      kernel.setArgAttr(i, NVVM::NVVMDialect::getGridConstantAttrName(),
                        b.getUnitAttr());
    }
  }

  /// The backend ends the process at a function that is no instruction.
  LogicalResult verifyMath() {
    WalkResult result = getOperation().walk([](Operation *op) {
      if (!isa<math::MathDialect>(op->getDialect()) ||
          isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
              math::CountLeadingZerosOp, math::CountTrailingZerosOp,
              math::CtPopOp, math::FloorOp, math::FmaOp, math::RoundEvenOp,
              math::RsqrtOp, math::SqrtOp, math::TruncOp>(op))
        return WalkResult::advance();
      op->emitError("found ")
          << op->getName() << ", which is no instruction of a GPU; expected "
          << "--codegen-lower-math to have a formula for it";
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }
};
} // namespace
