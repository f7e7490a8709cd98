//===- TargetCPU.h - The processor that code is generated for ---*- C++ -*-===//

#ifndef GRAPH_CODEGEN_CPU_TARGETCPU_H
#define GRAPH_CODEGEN_CPU_TARGETCPU_H

#include "mlir/Support/LLVM.h"
#include <string>
#include <vector>

namespace graph {

struct TargetCPU {
  /// LLVM's names: "x86_64-unknown-linux-gnu", "znver3", "+avx2,+fma,-avx512f".
  std::string triple;
  std::string name;
  std::string features;
  /// "x86-64" or "aarch64".
  std::string architecture;
  /// What the code needs of the machine that runs it, named as in
  /// /proc/cpuinfo, sorted.
  std::vector<std::string> requiredFeatures;
  /// The width of the widest vector register.
  unsigned vectorBits;
};

/// The processor called `name`: "native" for this machine, or a name LLVM knows
/// for this machine's architecture, such as "x86-64-v3". The error says what is
/// wrong with the name.
llvm::Expected<TargetCPU> getTargetCPU(llvm::StringRef name);

} // namespace graph

#endif // GRAPH_CODEGEN_CPU_TARGETCPU_H
