//===- LossScaling.h - Dynamic loss scaling of training steps ---*- C++ -*-===//
//
// Gradients in f16 may be smaller than its smallest number. The derivative is
// linear in the loss: multiplied by a large number before and divided by it
// after, they are not. The largest number that does not overflow is found as
// training goes on, in the state `loss_scale`.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_TRANSFORMS_LOSSSCALING_H
#define GRAPH_TRANSFORMS_LOSSSCALING_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace graph {

struct LossScalingOptions {
  /// A power of two.
  double initialScale;
  /// Good steps in a row until the scale is doubled.
  int32_t growthInterval;
};

/// Whether a function gives states their first value: it writes some and reads
/// none.
bool isInitializer(mlir::func::FuncOp function);

/// Scales every `graph.value_and_grad` in a public function, and adds the
/// states that this needs. `differentiated` are the functions reached from one.
/// A module without derivatives stays as it is.
mlir::LogicalResult scaleLoss(mlir::ModuleOp module,
                              llvm::ArrayRef<mlir::Operation *> differentiated,
                              const LossScalingOptions &options);

} // namespace graph

#endif // GRAPH_TRANSFORMS_LOSSSCALING_H
