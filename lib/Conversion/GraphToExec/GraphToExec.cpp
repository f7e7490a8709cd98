//===- GraphToExec.cpp - Functions become lists of commands ---------------===//

#include "FunctionConverter.h"
#include "graph/Conversion/Passes.h"
#include "graph/Planning/TargetOption.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace graph {
#define GEN_PASS_DEF_CONVERTGRAPHTOEXEC
#include "graph/Conversion/Passes.h.inc"
} // namespace graph

using namespace mlir;
using namespace graph;

ModuleContext::ModuleContext(ModuleOp module, KernelTarget target)
    : module(module), symbols(module),
      builder(OpBuilder::atBlockBegin(module.getBody())), target(target),
      kernelModule(createKernelModule(builder, module.getLoc(), target)),
      kernels(kernelModule, target) {
  kernelModule->moveBefore(module.getBody(), module.getBody()->end());
  symbols.insert(kernelModule);
}

FailureOr<exec::StateOp> ModuleContext::getState(StringRef name,
                                                 RankedTensorType type,
                                                 Location location) {
  exec::StateOp &state = states[name];
  if (!state) {
    StringAttr nameAttr = builder.getStringAttr(name);
    state = exec::StateOp::create(builder, location, nameAttr, nameAttr,
                                  TypeAttr::get(type));
    symbols.insert(state);
  } else if (state.getType() != type) {
    InFlightDiagnostic error = emitError(location)
                               << "found state '" << name << "' of type "
                               << type << ", expected " << state.getType();
    error.attachNote(state.getLoc()) << "as it is used here";
    return error;
  }
  return state;
}

exec::ConstantOp ModuleContext::getConstant(ElementsAttr value,
                                            Location location) {
  exec::ConstantOp &constant = constants[value];
  if (!constant) {
    constant = exec::ConstantOp::create(builder, location, "constant", value);
    symbols.insert(constant);
  }
  return constant;
}

SymbolRefAttr ModuleContext::getKernelSymbol(const EmittedKernel &kernel) {
  return SymbolRefAttr::get(
      SymbolTable::getSymbolName(kernelModule),
      FlatSymbolRefAttr::get(SymbolTable::getSymbolName(kernel.function)));
}

namespace {
struct ConvertGraphToExec
    : graph::impl::ConvertGraphToExecBase<ConvertGraphToExec> {
  using ConvertGraphToExecBase::ConvertGraphToExecBase;

  void runOnOperation() override {
    FailureOr<KernelTarget> target =
        parseTargetOption(getOperation(), this->target);
    if (failed(target))
      return signalPassFailure();
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    ModuleContext context(getOperation(), *target);
    for (func::FuncOp function : functions)
      if (function.isPublic() && failed(convertFunction(function, context)))
        return signalPassFailure();
    // Only now: the table of kernels compares with earlier fusions.
    for (func::FuncOp function : functions)
      function.erase();
    numKernels += context.getKernels().getNumKernels();
    numSharedKernels += context.getKernels().getNumShared();
  }
};
} // namespace
