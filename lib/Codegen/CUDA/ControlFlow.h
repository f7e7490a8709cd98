//===- ControlFlow.h - Loops and branches on integers -----------*- C++ -*-===//

#ifndef GRAPH_LIB_CODEGEN_CUDA_CONTROLFLOW_H
#define GRAPH_LIB_CODEGEN_CUDA_CONTROLFLOW_H

#include "IntBuilder.h"

namespace graph::cuda {

/// `for (i = begin; i < end; ++i)`; `body` receives i and the carried values
/// and returns their next values; the result is the last ones.
llvm::SmallVector<mlir::Value>
emitLoop(mlir::ImplicitLocOpBuilder &b, int64_t begin, int64_t end,
         mlir::ValueRange init,
         llvm::function_ref<
             llvm::SmallVector<mlir::Value>(Int, llvm::ArrayRef<mlir::Value>)>
             body);
/// The same without carried values.
void emitLoop(mlir::ImplicitLocOpBuilder &b, int64_t begin, int64_t end,
              llvm::function_ref<void(Int)> body);

/// Runs `body` where `condition` (an i1) holds, always where it is null.
void emitIf(mlir::ImplicitLocOpBuilder &b, mlir::Value condition,
            llvm::function_ref<void()> body);
/// Runs one or the other.
void emitIfElse(mlir::ImplicitLocOpBuilder &b, mlir::Value condition,
                llvm::function_ref<void()> body,
                llvm::function_ref<void()> otherwise);
/// The values of `body`, zeros where the condition does not hold.
llvm::SmallVector<mlir::Value>
emitIfElseZero(mlir::ImplicitLocOpBuilder &b, mlir::Value condition,
               llvm::function_ref<llvm::SmallVector<mlir::Value>()> body);

/// Repeats `test`, which returns an i1, until it holds.
void emitUntil(mlir::ImplicitLocOpBuilder &b,
               llvm::function_ref<mlir::Value()> test);

} // namespace graph::cuda

#endif // GRAPH_LIB_CODEGEN_CUDA_CONTROLFLOW_H
