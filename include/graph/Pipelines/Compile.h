//===- Compile.h - From a graph to an artifact ------------------*- C++ -*-===//

#ifndef GRAPH_PIPELINES_COMPILE_H
#define GRAPH_PIPELINES_COMPILE_H

#include "graph/Dialect/Graph/Transforms/LowPrecision.h"
#include "graph/Planning/KernelTarget.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/Timing.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace graph {

struct CompileOptions {
  /// What runs the program: "cpu", or "cuda:" and one of getCUDAChips().
  std::string target = "cpu";
  /// The processor, for the CPU: "native" for this machine, or a name LLVM
  /// knows, such as "x86-64-v3".
  std::string cpu = "native";
  /// CUDA: keep the machine code beside the PTX, so that no driver has to
  /// compile it; needs the toolkit's library nvJitLink.
  bool cubin = false;
  /// What dots and attention of f32 are computed in instead; see
  /// docs/mixed-precision.md.
  std::optional<LowPrecision> mixedPrecision = {};
  /// The text to keep in the artifact as its source; empty keeps the module
  /// itself, printed without large constants.
  std::string source = {};
  /// Where the time of each phase is added up.
  mlir::TimingScope *timing = nullptr;
};

/// The memory of one call of a function, in bytes.
struct FunctionMemory {
  std::string name;
  /// Scratch memory as laid out.
  int64_t arena;
  /// What is alive at the worst point of the chosen order of commands: no
  /// layout can beat it.
  int64_t maxLive;
  /// What no order of commands can beat.
  int64_t lowerBound;
};

/// What a compilation ends with.
enum class CompileOutput {
  /// The fused graph, as text.
  Graph,
  /// The functions of the kernels, as text.
  Kernels,
  /// The exec module with its memory plans, kernels as declarations, as text.
  Exec,
  /// The kernels as optimised LLVM IR, as text.
  LLVM,
  /// CUDA: the kernels as PTX.
  PTX,
  /// CUDA: a table of the kernels' registers, shared memory and occupancy, as
  /// the CUDA toolkit's ptxas reports them.
  Resources,
  /// The bytes of a .gx file.
  Artifact,
};

/// Compiles every public function of `module`, which is consumed. Emits errors
/// on the operations they are about. Fills `memory`, if given, from
/// CompileOutput::Exec on.
llvm::FailureOr<std::string>
compile(mlir::ModuleOp module, const CompileOptions &options,
        CompileOutput output, std::vector<FunctionMemory> *memory = nullptr);

/// The bytes of a .gx file with every public function of `module`, which is
/// consumed. Emits errors on the operations they are about.
inline llvm::FailureOr<std::string>
compileToArtifact(mlir::ModuleOp module, const CompileOptions &options) {
  return compile(module, options, CompileOutput::Artifact);
}

/// From what people write to graph.fusion, graph.dot, graph.reshape and
/// graph.constant in public functions, products of f32 in `mixedPrecision`.
void buildGraphPipeline(mlir::OpPassManager &pm, const KernelTarget &target,
                        std::optional<LowPrecision> mixedPrecision = {});

/// From there to planned exec functions and kernels.
void buildExecPipeline(mlir::OpPassManager &pm, const KernelTarget &target);

} // namespace graph

#endif // GRAPH_PIPELINES_COMPILE_H
