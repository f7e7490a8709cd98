//===- ModuleBuilder.h - Whole modules written in C++ -----------*- C++ -*-===//
//
// `ModuleBuilder` makes a module of the graph dialect; `FunctionBuilder` is one
// function of it while its body is being written. Bodies are formulas over
// `Tensor` (Tensor.h); the two classes here add what surrounds them: the named
// inputs and outputs of entry points, persistent state, calls, derivatives.
//
//   ModuleBuilder module;
//   auto matrix = module.type({8, 3}), row = module.type({3});
//   auto loss = module.privateFunction("loss", [&](FunctionBuilder &f) {
//     Tensor w = f.input("w", row), x = f.input("x", matrix);
//     f.output("loss", mean(matmul(x, reshape(w, {3, 1}))));
//   });
//   module.publicFunction("step", [&](FunctionBuilder &f) {
//     Tensor w = f.state("w", row), x = f.input("x", matrix);
//     ValueAndGrad result = f.valueAndGrad(loss, {w, x}, {0});
//     f.setState("w", w - 0.1 * result.gradients[0]);
//     f.output("loss", result.values[0]);
//   });
//   if (failed(module.verify()))
//     return 1;
//   module.print(llvm::outs());
//
// A mistake (a name used twice, a state of two types, arguments that do not
// match a callee) is reported as an MLIR error at once or by `verify`, which
// then fails. Locations are the functions' names.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_BUILDER_MODULEBUILDER_H
#define GRAPH_BUILDER_MODULEBUILDER_H

#include "graph/Dialect/Graph/IR/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <memory>

namespace graph {

class ModuleBuilder;

/// What `FunctionBuilder::valueAndGrad` gives: the callee's results, and the
/// derivative of the first of them with respect to each operand asked for.
struct ValueAndGrad {
  llvm::SmallVector<Tensor> values;
  llvm::SmallVector<Tensor> gradients;
};

/// A function whose body is being written. Lives as long as the body callback
/// that it is passed to; so do the Tensors it makes.
class FunctionBuilder {
public:
  /// Adds an argument that callers pass under `name`.
  Tensor input(llvm::StringRef name, mlir::RankedTensorType type);
  /// Adds a result that callers receive under `name`.
  void output(llvm::StringRef name, Tensor value);

  /// Reads the session's state `name`; asking again gives the same value.
  Tensor state(llvm::StringRef name, mlir::RankedTensorType type);
  /// Writes the session's state `name` when the function returns. At most once
  /// per function and name.
  void setState(llvm::StringRef name, Tensor value);

  /// The results of a call. `callee` must be complete and in the same module.
  llvm::SmallVector<Tensor> call(mlir::func::FuncOp callee,
                                 llvm::ArrayRef<Tensor> operands);
  /// Calls `callee` and differentiates its first result, a scalar, with respect
  /// to the operands numbered in `wrt`. `callee` must be complete.
  ValueAndGrad valueAndGrad(mlir::func::FuncOp callee,
                            llvm::ArrayRef<Tensor> operands,
                            llvm::ArrayRef<int64_t> wrt);

  /// For graph::full, graph::iota and operations that Tensor.h does not have.
  mlir::ImplicitLocOpBuilder &getBuilder() { return builder; }

private:
  friend class ModuleBuilder;
  FunctionBuilder(ModuleBuilder &module, mlir::func::FuncOp function);
  void addArgument(llvm::StringRef name, mlir::RankedTensorType type,
                   bool isState);
  void addResult(llvm::StringRef name, Tensor value, bool isState);
  void finish();

  ModuleBuilder &module;
  mlir::func::FuncOp function;
  mlir::ImplicitLocOpBuilder builder;
  llvm::StringSet<> inputs, outputs;
  llvm::StringMap<Tensor> statesRead;
  llvm::StringSet<> statesWritten;
  llvm::SmallVector<mlir::Value> results;
  llvm::SmallVector<mlir::DictionaryAttr> argumentAttrs, resultAttrs;
};

class ModuleBuilder {
public:
  using Body = llvm::function_ref<void(FunctionBuilder &)>;

  /// An empty module in a context of its own.
  ModuleBuilder();
  /// An empty module in a context that must outlive this.
  explicit ModuleBuilder(mlir::MLIRContext &context);

  mlir::MLIRContext *getContext() { return context; }

  /// A tensor type; the element type is f32 where none is given.
  mlir::RankedTensorType type(llvm::ArrayRef<int64_t> shape,
                              mlir::Type elementType = {});

  /// Adds an entry point that callers of the compiled module see.
  mlir::func::FuncOp publicFunction(llvm::StringRef name, Body body);
  /// Adds a function for calls and derivatives within the module.
  mlir::func::FuncOp privateFunction(llvm::StringRef name, Body body);

  /// Fails if any error has been reported or the module is not valid.
  llvm::LogicalResult verify();
  /// Textual IR, constants in full.
  void print(llvm::raw_ostream &os);

  mlir::ModuleOp getModule() { return *module; }
  /// Hands the module over; this builder is then empty and not to be used.
  mlir::OwningOpRef<mlir::ModuleOp> takeModule() { return std::move(module); }

private:
  friend class FunctionBuilder;
  void initialize();
  mlir::func::FuncOp addFunction(llvm::StringRef name, bool isPublic,
                                 Body body);
  /// Reports an error and remembers that there was one.
  mlir::InFlightDiagnostic error(mlir::Location loc);
  /// Checks that the state has one type in the whole module.
  void checkState(mlir::Location loc, llvm::StringRef name, mlir::Type type);

  std::unique_ptr<mlir::MLIRContext> ownedContext;
  mlir::MLIRContext *context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  llvm::StringMap<mlir::Type> stateTypes;
  bool hasErrors = false;
};

} // namespace graph

#endif // GRAPH_BUILDER_MODULEBUILDER_H
