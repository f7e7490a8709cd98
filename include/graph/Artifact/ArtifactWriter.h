//===- ArtifactWriter.h - The exec dialect as a file ------------*- C++ -*-===//

#ifndef GRAPH_ARTIFACT_ARTIFACTWRITER_H
#define GRAPH_ARTIFACT_ARTIFACTWRITER_H

#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <vector>

namespace graph {

/// What an artifact holds beside the image of the exec module.
struct ArtifactContents {
  /// "cpu" or "cuda".
  std::string target;
  /// "x86-64" or "aarch64", and what the code needs of it, named as in
  /// /proc/cpuinfo; for CUDA the chip, such as "sm_90".
  std::string architecture;
  std::vector<std::string> cpuFeatures;
  /// The shared object or the PTX with the kernels; empty if there are none.
  std::string code;
  /// CUDA: the machine code of the PTX; empty if it was not made.
  std::string cubin;
  /// The text of the source IR.
  std::string source;
};

/// The bytes of a .gx file for `module`, whose functions have memory plans. Its
/// format is that of graphrt/artifact/Container.h and schema/program.fbs.
/// Emits errors on `module`.
llvm::FailureOr<std::string> writeArtifact(mlir::ModuleOp module,
                                           const ArtifactContents &contents);

} // namespace graph

#endif // GRAPH_ARTIFACT_ARTIFACTWRITER_H
