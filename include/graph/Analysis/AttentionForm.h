//===- AttentionForm.h - Attention as strided matrices ----------*- C++ -*-===//
//
// What a kernel needs to know of a graph.attention or graph.attention_grad. The
// operands and results of both are, batch by batch, matrices in memory:
//
//   query, dquery    [S, D]      result, cotangent   [S, E]
//   key, dkey        [T, D]      value, dvalue       [T, E]
//   mask             [S, T]      log_sum_exp         [S, 1]
//
// How an attention is written in the IR after `--graph-prepare-attention`: in a
// `graph.fusion` that holds nothing but the attention, the view operations
// above it down from block arguments and those between its results and the
// yield:
//
//   %o, %lse = graph.fusion(%qkv) : ... {
//   ^bb0(%a: tensor<2x16x3x4x8xf32>):
//     %q = graph.slice %a ...
//     ...
//     %y, %l = graph.attention causal %qt, %kt, %vt scale = 0.5 : ...
//     %t = graph.transpose %y perm = [0, 2, 1, 3] ...
//     graph.yield %t, %l
//   }
//
// Heads are read where they lie in a tensor of all of them, and written there.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_ANALYSIS_ATTENTIONFORM_H
#define GRAPH_ANALYSIS_ATTENTIONFORM_H

#include "graph/Analysis/StridedView.h"

namespace graph {

/// The matrices of all batches in one buffer of a fusion. Strides and offset
/// count elements and are not negative; 0 repeats.
struct AttentionMatrix {
  /// The number of the buffer: operands of the fusion, then its results.
  unsigned buffer = 0;
  mlir::Type elementType;
  int64_t offset = 0;
  llvm::SmallVector<int64_t> batchStrides = {};
  int64_t rowStride = 0, columnStride = 0;
};

struct AttentionForm {
  /// The leading dimensions.
  llvm::SmallVector<int64_t> batch;
  int64_t numQueries, numKeys, headSize, valueSize;
  bool causal;
  double scale;
  /// Whether this is the derivative.
  bool isGrad;

  AttentionMatrix query, key, value;
  std::optional<AttentionMatrix> mask;
  /// Written by attention, where the fusion yields them; read by the
  /// derivative.
  std::optional<AttentionMatrix> result, logSumExp;
  /// Of the derivative; what it writes where the fusion yields it.
  std::optional<AttentionMatrix> cotangent, dquery, dkey, dvalue;

  int64_t getNumBatches() const;
};

/// Whether there is a kernel for the operation, on every target: for heads of
/// 1 to 256 elements of f32, bf16 or f16.
bool hasAttentionKernel(AttentionOpInterface op);

/// The attention of a fusion that was formed by `--graph-prepare-attention`,
/// null in any other fusion.
AttentionOpInterface getFusedAttention(FusionOp fusion);

/// The form of such a fusion. Fails where a view is not one of strides.
llvm::FailureOr<AttentionForm> getAttentionForm(FusionOp fusion);

} // namespace graph

#endif // GRAPH_ANALYSIS_ATTENTIONFORM_H
