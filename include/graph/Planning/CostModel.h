//===- CostModel.h - Time of a kernel ---------------------------*- C++ -*-===//
//
// An estimate good enough to compare two ways of computing the same values:
//
//   time = launch + bytes moved / bandwidth + operations / throughput
//
// The terms are added, not overlapped: recomputation always costs something,
// so that of two equally large kernels the one that repeats less wins.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_PLANNING_COSTMODEL_H
#define GRAPH_PLANNING_COSTMODEL_H

#include "graph/Planning/KernelPlan.h"

namespace graph {

/// Times are in nanoseconds. The defaults are a few cores of a CPU: what
/// matters is that a launch costs as much as moving 100 KB or as about 50,000
/// operations. On a data centre's GPU it costs as much as moving 4 MB or as 20
/// million operations.
struct CostModel {
  double launch = 5000;
  double bytesPerNanosecond = 20;
  double flopsPerNanosecond = 10;
  /// What an operation of a product takes longer in a kernel of ours than in
  /// the vendor's library. An estimate: tensor cores at 250 instead of 500
  /// operations per picosecond. It leaves products of more than some hundred
  /// terms per sum to the library.
  double productPenalty = 2e-6;

  static CostModel get(const KernelTarget &target) {
    return target.isCUDA() ? CostModel{2000, 2000, 10000} : CostModel();
  }

  double getTime(const KernelCost &cost) const {
    return launch + (cost.bytesRead + cost.bytesWritten) / bytesPerNanosecond +
           cost.flops / flopsPerNanosecond;
  }
};

/// The bytes of a tensor; elements take whole bytes.
int64_t getTensorBytes(mlir::Type type);

} // namespace graph

#endif // GRAPH_PLANNING_COSTMODEL_H
