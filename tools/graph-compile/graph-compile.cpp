//===- graph-compile.cpp - Compiles a graph to an artifact ----------------===//

#include "graph/Codegen/CUDA/Assemble.h"
#include "graph/InitAll.h"
#include "graph/Pipelines/Compile.h"

#include "graphrt/support/AtomicFile.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;
using graph::CompileOutput;

namespace {
struct Options {
  cl::OptionCategory category{"graph-compile options"};
  cl::opt<std::string> input{cl::Positional, cl::desc("<model.mlir>"),
                             cl::init("-"), cl::cat(category)};
  cl::opt<std::string> output{
      "o", cl::desc("Output file; '-' is the standard output"),
      cl::value_desc("file"), cl::init("-"), cl::cat(category)};
  cl::opt<std::string> target{"target",
                              cl::desc("Device to compile for: cpu, or "
                                       "cuda:sm_80, sm_90, sm_90a or sm_100"),
                              cl::init("cpu"), cl::cat(category)};
  cl::opt<std::string> cpu{
      "cpu",
      cl::desc("Processor to compile for: native, or a name such as x86-64-v3"),
      cl::init("native"), cl::cat(category)};
  enum class Cubin { Auto, On, Off };
  cl::opt<Cubin> cubin{
      "cubin", cl::desc("Keep machine code for a GPU beside the PTX:"),
      cl::values(clEnumValN(Cubin::Auto, "auto",
                            "where the CUDA toolkit's nvJitLink is found "
                            "(default)"),
                 clEnumValN(Cubin::On, "on", "always; an error without it"),
                 clEnumValN(Cubin::Off, "off", "never")),
      cl::init(Cubin::Auto), cl::cat(category)};
  cl::opt<graph::LowPrecision> mixedPrecision{
      "mixed-precision",
      cl::desc("Compute matrix products and attention of f32 in:"),
      cl::values(clEnumValN(graph::LowPrecision::bf16, "bf16", "bfloat16"),
                 clEnumValN(graph::LowPrecision::f16, "f16",
                            "IEEE half precision, with loss scaling")),
      cl::cat(category)};
  cl::opt<CompileOutput> emit{
      "emit", cl::desc("What to write:"),
      cl::values(
          clEnumValN(CompileOutput::Graph, "graph", "the fused graph"),
          clEnumValN(CompileOutput::Kernels, "kernels", "kernels in MLIR"),
          clEnumValN(CompileOutput::Exec, "exec",
                     "commands and their memory plan"),
          clEnumValN(CompileOutput::LLVM, "llvm", "kernels in LLVM IR"),
          clEnumValN(CompileOutput::PTX, "ptx", "kernels in PTX"),
          clEnumValN(CompileOutput::Resources, "resources",
                     "registers, shared memory and occupancy of CUDA kernels "
                     "(needs the CUDA toolkit's ptxas)"),
          clEnumValN(CompileOutput::Artifact, "artifact",
                     "the compiled program (default)")),
      cl::init(CompileOutput::Artifact), cl::cat(category)};
  cl::opt<bool> quiet{
      "quiet",
      cl::desc("Do not print the planned peak memory of every function beside "
               "its lower bounds"),
      cl::cat(category)};
  cl::opt<bool> time{"time", cl::desc("Print the time of every phase"),
                     cl::cat(category)};
};
} // namespace

static int fail(const Twine &message) {
  errs() << "graph-compile: error: " << message << '\n';
  return 1;
}

static int writeOutput(const std::string &path, const std::string &bytes) {
  if (path == "-") {
    outs() << bytes;
    return 0;
  }
  std::string_view piece = bytes;
  graphrt::Status status = graphrt::writeFileAtomically(path, {&piece, 1});
  return status ? fail(status.failure().message) : 0;
}

static void printMemory(ArrayRef<graph::FunctionMemory> functions) {
  errs() << "planned scratch memory in bytes: arena, largest live set of the "
            "order, bound of any order\n";
  for (const graph::FunctionMemory &memory : functions)
    errs() << format("  %-24s %14lld %14lld %14lld\n", memory.name.c_str(),
                     static_cast<long long>(memory.arena),
                     static_cast<long long>(memory.maxLive),
                     static_cast<long long>(memory.lowerBound));
}

static int compile(const Options &options) {
  llvm::Expected<graph::KernelTarget> target =
      graph::KernelTarget::parse(options.target);
  if (!target)
    return fail(toString(target.takeError()));
  if (options.emit == CompileOutput::Artifact && options.output == "-" &&
      sys::Process::StandardOutIsDisplayed())
    return fail("found a terminal as the output of an artifact, expected "
                "-o <file>");
  std::string error;
  std::unique_ptr<MemoryBuffer> input =
      mlir::openInputFile(options.input, &error);
  if (!input)
    return fail(error);

  // The linker inside the compiler resets all command line options.
  std::string outputPath = options.output;
  bool isMemoryPrinted = !options.quiet &&
                         options.emit == CompileOutput::Artifact &&
                         outputPath != "-";

  graph::CompileOptions compileOptions;
  compileOptions.target = options.target;
  compileOptions.cpu = options.cpu;
  compileOptions.cubin =
      options.cubin == Options::Cubin::On ||
      (options.cubin == Options::Cubin::Auto && graph::canAssemblePTX());
  if (options.mixedPrecision.getNumOccurrences() > 0)
    compileOptions.mixedPrecision = options.mixedPrecision;
  compileOptions.source = input->getBuffer().str();
  mlir::DefaultTimingManager timingManager;
  timingManager.setEnabled(options.time);
  timingManager.setDisplayMode(mlir::DefaultTimingManager::DisplayMode::Tree);
  mlir::TimingScope timing = timingManager.getRootScope();
  compileOptions.timing = &timing;

  mlir::DialectRegistry registry;
  graph::registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  // The message and the line say enough.
  context.printOpOnDiagnostic(false);
  SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(input), SMLoc());
  mlir::SourceMgrDiagnosticHandler diagnostics(sources, &context);
  mlir::OwningOpRef<mlir::ModuleOp> module;
  {
    mlir::TimingScope parsing = timing.nest("Parse");
    module = mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
  }
  if (!module)
    return 1;
  std::vector<graph::FunctionMemory> memory;
  FailureOr<std::string> bytes =
      graph::compile(*module, compileOptions, options.emit, &memory);
  if (failed(bytes))
    return 1;
  if (isMemoryPrinted)
    printMemory(memory);
  return writeOutput(outputPath, *bytes);
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  Options options;
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(argc, argv, "Compiles a graph to an artifact\n");
  return compile(options);
}
