//===- FunctionConverter.h - One function to commands -----------*- C++ -*-===//

#ifndef GRAPH_LIB_CONVERSION_GRAPHTOEXEC_FUNCTIONCONVERTER_H
#define GRAPH_LIB_CONVERSION_GRAPHTOEXEC_FUNCTIONCONVERTER_H

#include "KernelTable.h"
#include "graph/Dialect/Exec/IR/ExecOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace graph {

/// What the functions of a module share: states, constants, kernels.
class ModuleContext {
public:
  ModuleContext(mlir::ModuleOp module, KernelTarget target);

  /// The state `name`, made at its first use. Emits an error at `location` if
  /// it exists with another type.
  llvm::FailureOr<exec::StateOp> getState(llvm::StringRef name,
                                          mlir::RankedTensorType type,
                                          mlir::Location location);
  /// The constant of this value, made at its first use.
  exec::ConstantOp getConstant(mlir::ElementsAttr value,
                               mlir::Location location);
  KernelTable &getKernels() { return kernels; }
  const KernelTarget &getTarget() const { return target; }
  mlir::SymbolRefAttr getKernelSymbol(const EmittedKernel &kernel);

private:
  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  mlir::OpBuilder builder;
  KernelTarget target;
  mlir::Operation *kernelModule;
  KernelTable kernels;
  llvm::StringMap<exec::StateOp> states;
  llvm::DenseMap<mlir::Attribute, exec::ConstantOp> constants;
};

/// Makes the exec.func of `function`, behind it. Emits errors on what cannot be
/// converted.
llvm::LogicalResult convertFunction(mlir::func::FuncOp function,
                                    ModuleContext &context);

} // namespace graph

#endif // GRAPH_LIB_CONVERSION_GRAPHTOEXEC_FUNCTIONCONVERTER_H
