//===- KernelTable.cpp - One kernel for equal fusions ---------------------===//

#include "KernelTable.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace graph;

/// A hash that is equal for fusions with equal bodies.
static size_t hashBody(FusionOp fusion) {
  llvm::hash_code hash(0);
  for (Operation &op : fusion.getBody().front())
    hash =
        llvm::hash_combine(hash, OperationEquivalence::computeHash(
                                     &op, OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::IgnoreLocations));
  return hash;
}

/// Operations that leave little trace in the code of a kernel.
static bool isMinor(Operation &op) {
  return isa<YieldOp, ConstantOp, BroadcastOp, ReshapeOp, CastOp, FusionOp>(op);
}

std::string graph::summarize(FusionOp fusion, StringRef separator) {
  constexpr size_t maxNames = 4;
  SetVector<StringRef> names;
  // A dot may be nested with its views.
  fusion.getBody().walk([&](Operation *op) {
    if (!isMinor(*op))
      names.insert(op->getName().stripDialect());
  });
  if (names.empty())
    for (Operation &op : fusion.getBody().front().without_terminator())
      names.insert(op.getName().stripDialect());
  // The last operations say most about what the kernel is for.
  return llvm::join(names.getArrayRef().take_back(maxNames), separator);
}

FailureOr<EmittedKernel> KernelTable::getKernel(FusionOp fusion) {
  SmallVector<Entry, 1> &candidates = entries[hashBody(fusion)];
  for (const Entry &entry : candidates) {
    FusionOp other = entry.fusion;
    if (OperationEquivalence::isRegionEquivalentTo(
            &other.getBody(), &fusion.getBody(),
            OperationEquivalence::IgnoreLocations)) {
      ++numShared;
      return entry.kernel;
    }
  }
  // Always numbered: a kernel named tanh would take the place of libm's.
  std::string name = summarize(fusion, "_");
  name += "_" + llvm::utostr(nameCounts[name]++);
  FailureOr<EmittedKernel> kernel = emitKernel(fusion, target, kernels, name);
  if (failed(kernel))
    return failure();
  ++numKernels;
  candidates.push_back({fusion, *kernel});
  return kernel;
}
