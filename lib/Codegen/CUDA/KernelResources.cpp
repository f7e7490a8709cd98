//===- KernelResources.cpp - What kernels take of a GPU -------------------===//

#include "graph/Codegen/CUDA/KernelResources.h"
#include "graph/Dialect/Exec/IR/ExecOps.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using graph::KernelResources;

//===----------------------------------------------------------------------===//
// ptxas
//===----------------------------------------------------------------------===//

static llvm::Expected<std::string> findPtxas() {
  SmallVector<std::string> folders = {"/usr/local/cuda/bin"};
  if (const char *home = std::getenv("CUDA_HOME"))
    folders.insert(folders.begin(), std::string(home) + "/bin");
  SmallVector<StringRef> more(folders.begin(), folders.end());
  for (ArrayRef<StringRef> paths : {ArrayRef<StringRef>(), ArrayRef(more)})
    if (auto found = llvm::sys::findProgramByName("ptxas", paths))
      return *found;
  return llvm::createStringError(
      "found no ptxas in PATH, CUDA_HOME/bin or /usr/local/cuda/bin, expected "
      "that of a CUDA toolkit");
}

/// What `ptxas --verbose` prints.
static llvm::Expected<std::string> runPtxas(StringRef ptx, StringRef chip) {
  llvm::Expected<std::string> program = findPtxas();
  if (!program)
    return program.takeError();
  SmallString<128> source, report;
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("kernels", "ptx", source))
    return llvm::createStringError(error, "cannot make a temporary file");
  llvm::scope_exit removeSource([&] { llvm::sys::fs::remove(source); });
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("kernels", "txt", report))
    return llvm::createStringError(error, "cannot make a temporary file");
  llvm::scope_exit removeReport([&] { llvm::sys::fs::remove(report); });
  std::error_code error;
  llvm::raw_fd_ostream stream(source, error);
  stream << ptx;
  stream.close();
  if (error || stream.has_error())
    return llvm::createStringError("cannot write '" + source + "'");

  std::string architecture = "--gpu-name=" + chip.str(), message;
  int status = llvm::sys::ExecuteAndWait(
      *program,
      {*program, architecture, "--verbose", "--output-file=/dev/null", source},
      std::nullopt, {std::nullopt, StringRef(report), StringRef(report)},
      /*SecondsToWait=*/0, /*MemoryLimit=*/0, &message);
  auto text = llvm::MemoryBuffer::getFile(report);
  std::string output = text ? (*text)->getBuffer().str() : "";
  if (status != 0)
    return llvm::createStringError(
        "ptxas did not accept the kernels: " + message + output);
  return output;
}

/// The number before `what` in `text`, 0 if there is none.
static unsigned findNumber(StringRef text, StringRef what) {
  SmallVector<StringRef> groups;
  unsigned number = 0;
  if (llvm::Regex(("([0-9]+) " + what).str()).match(text, &groups))
    groups[1].getAsInteger(10, number);
  return number;
}

/// What the report says of one kernel.
static KernelResources parseReport(StringRef report, StringRef name) {
  KernelResources result;
  result.name = name.str();
  StringRef part =
      report.split(("Compiling entry function '" + name + "'").str()).second;
  part = part.split("Compiling entry function").first;
  result.registers = findNumber(part, "registers");
  result.spillStores = findNumber(part, "bytes spill stores");
  result.spillLoads = findNumber(part, "bytes spill loads");
  result.sharedBytes = findNumber(part, "bytes smem");
  return result;
}

//===----------------------------------------------------------------------===//
// Occupancy
//===----------------------------------------------------------------------===//

/// The table of compute capabilities in the CUDA programming guide.
static double getOccupancy(const KernelResources &kernel, StringRef chip) {
  constexpr unsigned kWarps = 64, kBlocks = 32, kRegisters = 64 * 1024;
  constexpr unsigned kRegisterUnit = 256, kSharedUnit = 128;
  constexpr unsigned kReservedShared = 1024;
  unsigned shared = (chip == "sm_80" ? 164 : 228) * 1024;
  unsigned warps = llvm::divideCeil(kernel.threads, 32);
  uint64_t perWarp = llvm::alignTo(kernel.registers * 32, kRegisterUnit);
  uint64_t blocks = std::min(kBlocks, kWarps / warps);
  if (perWarp > 0)
    blocks = std::min<uint64_t>(blocks, kRegisters / perWarp / warps);
  blocks = std::min<uint64_t>(
      blocks, shared / (llvm::alignTo(kernel.sharedBytes, kSharedUnit) +
                        kReservedShared));
  return double(blocks * warps) / kWarps;
}

llvm::Expected<std::vector<KernelResources>>
graph::getKernelResources(gpu::GPUModuleOp kernels, StringRef ptx,
                          StringRef chip) {
  llvm::Expected<std::string> report = runPtxas(ptx, chip);
  if (!report)
    return report.takeError();
  std::vector<KernelResources> result;
  for (auto kernel : kernels.getOps<gpu::GPUFuncOp>()) {
    KernelResources resources = parseReport(*report, kernel.getName());
    resources.threads = llvm::product_of(*kernel.getKnownBlockSize());
    if (auto bytes = kernel->getAttrOfType<IntegerAttr>(exec::kSharedBytesAttr))
      resources.sharedBytes += bytes.getInt();
    resources.occupancy = getOccupancy(resources, chip);
    result.push_back(std::move(resources));
  }
  return result;
}

std::string
graph::printKernelResources(llvm::ArrayRef<KernelResources> kernels) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "| kernel | threads | registers | spilled bytes (stored, loaded) "
            "| shared bytes | occupancy |\n"
            "|---|--:|--:|--:|--:|--:|\n";
  for (const KernelResources &kernel : kernels)
    stream << "| " << kernel.name << " | " << kernel.threads << " | "
           << kernel.registers << " | " << kernel.spillStores << ", "
           << kernel.spillLoads << " | " << kernel.sharedBytes << " | "
           << llvm::format("%.0f %%", 100 * kernel.occupancy) << " |\n";
  return text;
}
