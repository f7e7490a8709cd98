//===- TargetCPU.cpp - The processor that code is generated for -----------===//

#include "graph/Codegen/CPU/TargetCPU.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/Triple.h"
#include <algorithm>

using namespace llvm;

namespace {
struct FeatureName {
  StringRef llvm;
  StringRef cpuinfo;
};
} // namespace

/// The features that generated code may use; all others are switched off, so
/// that the list of what an artifact needs is complete.
static constexpr FeatureName x86Features[] = {
    {"sse3", "pni"},
    {"ssse3", "ssse3"},
    {"sse4.1", "sse4_1"},
    {"sse4.2", "sse4_2"},
    {"popcnt", "popcnt"},
    {"sse4a", "sse4a"},
    {"fma4", "fma4"},
    {"xop", "xop"},
    {"tbm", "tbm"},
    {"movbe", "movbe"},
    {"lzcnt", "abm"},
    {"bmi", "bmi1"},
    {"bmi2", "bmi2"},
    {"f16c", "f16c"},
    {"fma", "fma"},
    {"avx", "avx"},
    {"avx2", "avx2"},
    {"avxvnni", "avx_vnni"},
    {"gfni", "gfni"},
    {"avx512f", "avx512f"},
    {"avx512cd", "avx512cd"},
    {"avx512bw", "avx512bw"},
    {"avx512dq", "avx512dq"},
    {"avx512vl", "avx512vl"},
    {"avx512ifma", "avx512ifma"},
    {"avx512vbmi", "avx512vbmi"},
    {"avx512vbmi2", "avx512_vbmi2"},
    {"avx512vnni", "avx512_vnni"},
    {"avx512bitalg", "avx512_bitalg"},
    {"avx512vpopcntdq", "avx512_vpopcntdq"},
};
static constexpr FeatureName aarch64Features[] = {
    {"neon", "asimd"},       {"fp-armv8", "fp"},   {"lse", "atomics"},
    {"rdm", "asimdrdm"},     {"fullfp16", "fphp"}, {"dotprod", "asimddp"},
    {"fp16fml", "asimdfhm"},
};

static ArrayRef<FeatureName> getFeatureNames(const Triple &triple) {
  return triple.isX86() ? ArrayRef(x86Features) : ArrayRef(aarch64Features);
}

/// The features of `name` according to LLVM's tables; fails for a name that
/// they do not have.
static Expected<StringSet<>> getFeaturesOf(StringRef name, const Target &target,
                                           const Triple &triple) {
  std::unique_ptr<MCSubtargetInfo> generic(
      target.createMCSubtargetInfo(triple, "", ""));
  if (!generic->isCPUStringValid(name))
    return createStringError("unknown cpu '" + name + "' of the architecture " +
                             triple.getArchName());
  std::unique_ptr<MCSubtargetInfo> info(
      target.createMCSubtargetInfo(triple, name, ""));
  StringSet<> features;
  for (const SubtargetFeatureKV &feature : info->getEnabledProcessorFeatures())
    features.insert(feature.Key);
  return features;
}

Expected<graph::TargetCPU> graph::getTargetCPU(StringRef name) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();

  graph::TargetCPU cpu;
  Triple triple(sys::getProcessTriple());
  if (triple.getArch() != Triple::x86_64 && triple.getArch() != Triple::aarch64)
    return createStringError("found the architecture " + triple.getArchName() +
                             ", expected x86_64 or aarch64");
  cpu.triple = triple.str();
  cpu.architecture = triple.isX86() ? "x86-64" : "aarch64";
  cpu.name = name == "native" ? sys::getHostCPUName().str() : name.str();

  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return createStringError(error);
  Expected<StringSet<>> known = getFeaturesOf(cpu.name, *target, triple);
  if (!known)
    return known.takeError();
  if (triple.isX86() && !known->contains("64bit"))
    return createStringError("found cpu '" + name +
                             "', expected a 64-bit processor");
  // A virtual machine may hide features that its processor's name implies.
  StringSet<> enabled = std::move(*known);
  if (name == "native")
    for (const auto &feature : sys::getHostCPUFeatures()) {
      if (feature.second)
        enabled.insert(feature.first());
      else
        enabled.erase(feature.first());
    }

  ArrayRef<FeatureName> names = getFeatureNames(triple);
  SubtargetFeatures features;
  for (const FeatureName &feature : names) {
    bool isEnabled = enabled.contains(feature.llvm);
    features.AddFeature(feature.llvm, isEnabled);
    if (isEnabled)
      cpu.requiredFeatures.push_back(feature.cpuinfo.str());
  }
  // Those outside the table, off: later entries win.
  for (const auto &feature : enabled)
    if ((feature.first().starts_with("avx") ||
         feature.first().starts_with("amx") ||
         feature.first().starts_with("sve")) &&
        llvm::none_of(names, [&](const FeatureName &known) {
          return known.llvm == feature.first();
        }))
      features.AddFeature(feature.first(), /*Enable=*/false);
  cpu.vectorBits = enabled.contains("avx512f") ? 512
                   : enabled.contains("avx")   ? 256
                                               : 128;
  std::sort(cpu.requiredFeatures.begin(), cpu.requiredFeatures.end());
  cpu.features = features.getString();
  return cpu;
}
