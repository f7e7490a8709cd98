//===- KernelTarget.cpp - What a machine offers to a kernel ---------------===//

#include "graph/Planning/TargetOption.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Error.h"

using namespace mlir;
using namespace graph;

ArrayRef<StringRef> graph::getCUDAChips() {
  static constexpr StringRef chips[] = {"sm_80", "sm_90", "sm_90a", "sm_100"};
  return chips;
}

KernelTarget KernelTarget::getCPU(unsigned vectorBits) {
  KernelTarget target;
  target.vectorBits = vectorBits;
  return target;
}

KernelTarget KernelTarget::getCUDA(StringRef chip) {
  KernelTarget target;
  target.device = Device::CUDA;
  target.chip = chip.str();
  target.vectorBits = 128;
  target.maxThreads = 256;
  target.warpSize = 32;
  target.rowBufferBytes = 32 * 1024;
  // A few vectors per thread: enough to hide latencies, few enough that small
  // tensors still fill the machine.
  target.workgroupCost = 16 * 1024;
  return target;
}

llvm::Expected<KernelTarget> KernelTarget::parse(StringRef text) {
  auto [device, detail] = text.split(':');
  bool allowTF32 = device == "cuda" && detail.consume_back("+tf32");
  if (device == "cuda" && llvm::is_contained(getCUDAChips(), detail)) {
    KernelTarget target = getCUDA(detail);
    target.allowTF32 = allowTF32;
    return target;
  }
  unsigned bits = 256;
  if (device == "cpu" && (text == "cpu" || (!detail.getAsInteger(10, bits) &&
                                            llvm::has_single_bit(bits) &&
                                            bits >= 64 && bits <= 2048)))
    return getCPU(bits);
  return llvm::createStringError(
      "found target '" + text +
      "', expected cpu, cpu:<vector bits>, or cuda: and one of " +
      llvm::join(getCUDAChips(), ", "));
}

FailureOr<KernelTarget> graph::parseTargetOption(Operation *op,
                                                 StringRef text) {
  llvm::Expected<KernelTarget> target = KernelTarget::parse(text);
  if (!target)
    return op->emitError(llvm::toString(target.takeError()));
  return *target;
}

std::string KernelTarget::getText() const {
  if (!isCUDA())
    return "cpu:" + std::to_string(vectorBits);
  return "cuda:" + chip + (allowTF32 ? "+tf32" : "");
}
