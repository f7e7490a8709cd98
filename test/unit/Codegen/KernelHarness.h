//===- KernelHarness.h - Compiles and runs kernels in process ---*- C++ -*-===//

#ifndef GRAPH_TEST_UNIT_CODEGEN_KERNELHARNESS_H
#define GRAPH_TEST_UNIT_CODEGEN_KERNELHARNESS_H

#include "graph/Codegen/KernelEmitter.h"
#include "graph/Reference/ReferenceTensor.h"

#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <string>
#include <vector>

namespace graph::test {

/// A function of the graph dialect, compiled as one kernel.
class CompiledKernel {
public:
  /// `source` is the text of a module with one function; its composites are
  /// decomposed, attention aside. Null, after a diagnostic, where it is not one
  /// kernel.
  static std::unique_ptr<CompiledKernel>
  create(mlir::MLIRContext &context, llvm::StringRef source,
         const KernelTarget &target = {});

  mlir::func::FuncOp getFunction() { return function; }
  const KernelPlan &getPlan() const { return plan; }
  int64_t getNumWorkgroups() const { return plan.partition.getNumWorkgroups(); }

  /// Calls every workgroup, the last one first. Buffers are those of the
  /// operands, then of the results.
  void run(llvm::ArrayRef<void *> buffers);

  std::vector<ReferenceTensor> run(llvm::ArrayRef<ReferenceTensor> inputs);

  /// What the interpreter says; results of bf16 and f16 operations are rounded
  /// one by one.
  std::vector<ReferenceTensor>
  interpret(llvm::ArrayRef<ReferenceTensor> inputs);

private:
  mlir::OwningOpRef<mlir::ModuleOp> module, reference;
  mlir::func::FuncOp function;
  KernelPlan plan;
  std::unique_ptr<mlir::ExecutionEngine> engine;
};

void registerAll(mlir::MLIRContext &context);

/// The greatest difference between elements, relative to 1 and the expected
/// value, in units of the type's precision. Infinite where one is NaN or
/// infinite and the other differs.
double getError(const ReferenceTensor &found, const ReferenceTensor &expected);

/// Compiles `source`, runs it on random inputs and compares with the
/// interpreter; `tolerance` is in units of `getError`.
void expectMatches(mlir::MLIRContext &context, llvm::StringRef source,
                   Hero hero, double tolerance = 32,
                   bool specialValues = false);

} // namespace graph::test

#endif // GRAPH_TEST_UNIT_CODEGEN_KERNELHARNESS_H
