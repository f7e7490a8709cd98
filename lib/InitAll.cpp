//===- InitAll.cpp - Registers every dialect and pass ---------------------===//

#include "graph/InitAll.h"

#include "graph/Autodiff/Passes.h"
#include "graph/Codegen/CPU/Passes.h"
#include "graph/Codegen/CUDA/Passes.h"
#include "graph/Codegen/Passes.h"
#include "graph/Conversion/Passes.h"
#include "graph/Dialect/Exec/IR/ExecOps.h"
#include "graph/Dialect/Exec/Transforms/Passes.h"
#include "graph/Dialect/Graph/IR/GraphOps.h"
#include "graph/Dialect/Graph/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void graph::registerAllDialects(DialectRegistry &registry) {
  registry.insert<GraphDialect, exec::ExecDialect>();
  registry.insert<arith::ArithDialect, func::FuncDialect, gpu::GPUDialect,
                  math::MathDialect, memref::MemRefDialect, NVVM::NVVMDialect,
                  scf::SCFDialect, vector::VectorDialect>();
  func::registerInlinerExtension(registry);
}

void graph::registerAllPasses() {
  registerAutodiffPasses();
  registerCodegenPasses();
  exec::registerExecPasses();
  registerGraphCPUPasses();
  registerGraphCUDAPasses();
  registerGraphConversionPasses();
  registerGraphPasses();
  registerTransformsPasses();
}
