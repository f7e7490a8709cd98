//===- Pipeline.cpp - GPU kernels to the llvm and nvvm dialects -----------===//

#include "graph/Codegen/CUDA/Passes.h"
#include "graph/Codegen/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void graph::buildCUDAKernelPipeline(OpPassManager &module, unsigned indexBits) {
  OpPassManager &pm = module.nest<gpu::GPUModuleOp>();
  // 1. Polynomials for transcendental functions, integer arithmetic for bf16;
  //    only scalars and one-dimensional vectors.
  pm.addPass(createCodegenLowerMath());
  pm.addPass(createConvertVectorToSCFPass(
      VectorTransferToSCFOptions().enableFullUnroll()));
  pm.addPass(arith::createArithExpandOpsPass());

  // 2. Addresses as arithmetic on indices.
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());

  // 3. The llvm and nvvm dialects.
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createLowerKernelsToNVVM({indexBits}));

  // 4. What LLVM has no intrinsic for (wgmma) becomes inline assembly.
  pm.addPass(createConvertNVVMToLLVMPass());
}
